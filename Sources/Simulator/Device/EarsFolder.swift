public import DurableFiles
import Foundation

/// Why ears that were kept cannot be taken up again.
public enum EarsFolderError: Error, Hashable, Sendable {
    case unreadable(path: String)
    /// Not what these ears would have left: another length, no partition table, no such document.
    case damaged(path: String)
    /// Kept by ears of that family.
    case otherFamily(BoardFamily)
    case notWritten(DurableFileError)
}

/// A folder that keeps a pair of ears between runs: `flash.bin` with the whole flash, `ears.json` with what lies beside.
///
/// Each file is replaced whole or not at all. Between the two a crash leaves the newer flash with the older settings,
/// which is what a battery pulled out at that moment leaves in real ears.
public struct EarsFolder: Sendable {
    public let path: String

    private static let schema = "espurr.simulated-ears/1"
    private static let documentLimit = 64 << 10

    private struct Document: Codable {
        let schema: String
        let family: BoardFamily
        let memory: RetainedMemory
    }

    public init(path: String) { self.path = path }

    private var flashPath: String { path + "/flash.bin" }
    private var documentPath: String { path + "/ears.json" }

    /// The ears that were kept, powered off; fresh ones where the folder holds none.
    public func load(_ configuration: EarsConfiguration) throws(EarsFolderError) -> SimulatedEars {
        guard FileManager.default.fileExists(atPath: documentPath) else {
            return SimulatedEars(configuration: configuration)
        }
        let document = try document()
        guard document.family == configuration.family else { throw .otherFamily(document.family) }
        let flash = Flash(bytes: try bytes(of: flashPath, limit: configuration.family.flashSize))
        guard flash.size == configuration.family.flashSize, PartitionTable(in: flash) != nil else {
            throw .damaged(path: flashPath)
        }
        return SimulatedEars(configuration: configuration, flash: flash, memory: document.memory)
    }

    public func save(_ ears: SimulatedEars) throws(EarsFolderError) {
        let document = Document(schema: Self.schema, family: ears.configuration.family, memory: ears.memory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let json = try? encoder.encode(document) else { throw .damaged(path: documentPath) }
        do {
            try makeFolder(path)
            // The keys of bonds are in it.
            try DurableFile.replace(flashPath, with: ears.flash.bytes, permissions: 0o600)
            try DurableFile.replace(documentPath, with: Array(json), permissions: 0o600)
        } catch {
            throw .notWritten(error)
        }
    }

    private func document() throws(EarsFolderError) -> Document {
        let json = Data(try bytes(of: documentPath, limit: Self.documentLimit))
        guard let document = try? JSONDecoder().decode(Document.self, from: json), document.schema == Self.schema
        else { throw .damaged(path: documentPath) }
        return document
    }

    private func bytes(of path: String, limit: Int) throws(EarsFolderError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadable(path: path) }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: limit + 1) else { throw .damaged(path: path) }
        guard data.count <= limit else { throw .damaged(path: path) }
        return Array(data)
    }
}
