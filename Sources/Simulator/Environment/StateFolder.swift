import DurableFiles
import Foundation

/// What a run keeps: the ears' flash and memory, this side's bonds, and its XDG folders.
struct StateFolder: ~Copyable {
    let path: String
    /// Nobody else may use the folder meanwhile.
    private let lock: FileLock

    private struct Document: Codable {
        var schema: String
        /// Of each adapter by its address.
        var devices: [String: [KnownDevice]]
    }

    private static let schema = "espurr.simulated-bluez/1"
    private static let documentLimit = 256 << 10

    init(_ path: String) throws(SimulationError) {
        try Folder.make(path)
        let attempt: FileLock.Attempt
        do throws(DurableFileError) {
            attempt = try FileLock.attempt(path + "/lock")
        } catch {
            throw SimulationError(error)
        }
        switch consume attempt {
        case .held(let lock): self.lock = lock
        case .taken: throw .stateInUse(path: path)
        }
        self.path = path
    }

    func ears(_ number: Int) -> EarsFolder { EarsFolder(path: path + "/ears-\(number + 1)") }

    /// Nil where nothing was kept.
    func knownDevices() throws(SimulationError) -> [String: [KnownDevice]]? {
        guard let bytes = try Folder.read(documentPath, limit: Self.documentLimit) else { return nil }
        let document = try? JSONDecoder().decode(Document.self, from: Data(bytes))
        guard let document, document.schema == Self.schema else { throw .stateUnreadable(path: documentPath) }
        return document.devices
    }

    func save(_ devices: [String: [KnownDevice]]) throws(SimulationError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(Document(schema: Self.schema, devices: devices)) else {
            throw .stateUnreadable(path: documentPath)
        }
        try Folder.write(Array(data), to: documentPath)
    }

    private var documentPath: String { path + "/bluez.json" }
}
