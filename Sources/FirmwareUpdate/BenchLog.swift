internal import DurableFiles
internal import FoundationEssentials
internal import Glibc

/// Why the record of the last bench cannot be used.
public enum BenchLogError: Error, Hashable, Sendable {
    /// Another command of this user has a bench under way. The process id is information only.
    case underWay(process: Int32?)
    /// It cannot be read, or is no such record.
    case damaged(path: String)
    /// `errno` of the step that failed.
    case notWritten(path: String, errno: Int32)
}

/// The record of the last bench: one file, whole or not at all, and one bench at a time.
public struct BenchLog: Sendable {
    /// Bytes of the record.
    public static let maximumBytes = 256 * 1024

    private let folder: String
    private let runtimeFolder: String
    private var path: String { "\(folder)/bench.json" }

    /// - Parameters:
    ///   - stateFolder: `$XDG_STATE_HOME/espurr`.
    ///   - runtimeFolder: of locks, a folder of this user's own: `$XDG_RUNTIME_DIR/espurr`.
    public init(stateFolder: String, runtimeFolder: String) {
        folder = stateFolder
        self.runtimeFolder = runtimeFolder
    }

    /// That this command has the bench; lets go with its last reference.
    public final class Hold: Sendable {
        private let lock: FileLock

        fileprivate init(_ lock: consuming FileLock) { self.lock = lock }
    }

    /// - Throws: ``BenchLogError/underWay(process:)`` at once where another command has it.
    public func hold() throws(BenchLogError) -> Hold {
        let attempt: FileLock.Attempt
        do throws(DurableFileError) {
            try makeFolder(folder)
            try makeFolder(runtimeFolder, permissions: 0o700)
            attempt = try FileLock.attempt("\(runtimeFolder)/bench.lock")
        } catch {
            throw .notWritten(path: error.path, errno: error.errno)
        }
        switch consume attempt {
        case .held(let lock): return Hold(lock)
        case .taken(let holder): throw .underWay(process: holder)
        }
    }

    /// Nil where there was none.
    public func last() throws(BenchLogError) -> BenchRun? {
        guard access(path, F_OK) == 0 else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let bytes = BoundedFile.read(path, atMost: Self.maximumBytes),
            let document = try? decoder.decode(Document.self, from: Data(bytes)), document.schema == Document.current
        else { throw .damaged(path: path) }
        return document.run
    }

    /// Writes it: beside the destination, synced, renamed.
    public func write(_ run: BenchRun) throws(BenchLogError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        guard let record = try? encoder.encode(Document(schema: Document.current, run: run)) else {
            throw .notWritten(path: path, errno: EINVAL)
        }
        do throws(DurableFileError) {
            try DurableFile.replace(path, with: Array(record), permissions: 0o600)
        } catch {
            throw .notWritten(path: error.path, errno: error.errno)
        }
    }

    private struct Document: Codable {
        static let current = "espurr.bench/1"

        var schema: String
        var run: BenchRun
    }
}
