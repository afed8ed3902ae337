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
/// While the ears run, what changes is kept at once (``keepChanges(of:)``): a process that is killed leaves what a battery
/// pulled out at that moment leaves in real ears. Saved at the end, each file is replaced whole or not at all, and
/// outlives a power cut of this machine.
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

    /// Whether ears were kept here.
    var isInUse: Bool { FileManager.default.fileExists(atPath: documentPath) }

    /// The ears that were kept, powered off; fresh ones where the folder holds none.
    public func load(_ configuration: EarsConfiguration) throws(EarsFolderError) -> SimulatedEars {
        guard isInUse else {
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
        do throws(DurableFileError) {
            try makeFolder(path)
            try DurableFile.replace(flashPath, with: ears.flash.bytes, permissions: 0o600)
        } catch {
            throw .notWritten(error)
        }
        try saveMemory(of: ears, surviving: .powerCut)
    }

    /// Writes the sectors that changed, in their places, and the memory if it is not `kept`. The ears were saved whole
    /// before. What could not be written counts as changed the next time.
    func keepChanges(of ears: inout SimulatedEars, kept: RetainedMemory?) throws(EarsFolderError) {
        try writeChangedSectors(of: ears.flash)
        ears.flash.keptChanges()
        if ears.memory != kept { try saveMemory(of: ears, surviving: .process) }
    }

    private func writeChangedSectors(of flash: Flash) throws(EarsFolderError) {
        guard !flash.changedSectors.isEmpty else { return }
        let descriptor = open(flashPath, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notWritten(.failed(.open, path: flashPath, errno: errno)) }
        defer { close(descriptor) }
        for sector in flash.changedSectors.sorted() {
            let range = sector * Flash.sectorSize..<min((sector + 1) * Flash.sectorSize, flash.size)
            let written = flash.read(range).withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, range.lowerBound)
            }
            guard written == range.count else { throw .notWritten(.failed(.write, path: flashPath, errno: errno)) }
        }
    }

    private func saveMemory(of ears: SimulatedEars, surviving survival: DurableFile.Survival) throws(EarsFolderError) {
        let document = Document(schema: Self.schema, family: ears.configuration.family, memory: ears.memory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let json = try? encoder.encode(document) else { throw .damaged(path: documentPath) }
        do throws(DurableFileError) {
            // The keys of bonds are in it.
            try DurableFile.replace(documentPath, with: Array(json), permissions: 0o600, surviving: survival)
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
