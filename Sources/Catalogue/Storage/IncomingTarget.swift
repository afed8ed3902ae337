import DurableFiles
import Synchronization

/// A target on its way into a file: checked as it arrives, in place only when it was found right.
final class IncomingTarget: Sendable {
    private let state: Mutex<State>

    private struct State: ~Copyable, Sendable {
        var file: DurableFile?
        var check: FileCheck?
        var fault: DurableFileError?
        /// What arrived and was not written yet.
        var pending: [UInt8]

        mutating func writePending() throws(DurableFileError) {
            try file?.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
    }

    /// Bytes to write at once: a file system takes a third of the time for them that it takes for what one callback of
    /// libcurl brings.
    private static let pieceBytes = 256 * 1024
    /// Bytes that arrive at once, at most (`CURL_MAX_WRITE_SIZE`).
    private static let arrivalBytes = 16 * 1024

    init(file path: String, target: Target, limit: Int) throws(CatalogueError) {
        let check: FileCheck
        do { check = try target.check(limit: limit) } catch { throw .untrusted(file: target.path.string, error) }
        do {
            let folder = parentFolder(of: path)
            try makeFolder(folder, permissions: 0o700)
            removeAbandonedFiles(in: folder)
            var pending: [UInt8] = []
            pending.reserveCapacity(min(Self.pieceBytes + Self.arrivalBytes, target.length))
            state = Mutex(State(file: try DurableFile(at: path), check: check, fault: nil, pending: pending))
        } catch {
            throw .localState(error)
        }
    }

    /// Why the file could not be written.
    var fault: DurableFileError? { state.withLock { $0.fault } }

    /// The number of bytes received so far; `nil` when no more are wanted.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int? {
        state.withLock { state in
            guard state.check?.update(bytes) == true else { return nil }
            state.pending.append(contentsOf: bytes)
            do throws(DurableFileError) {
                if state.pending.count >= Self.pieceBytes { try state.writePending() }
            } catch {
                state.fault = error
                return nil
            }
            return state.check?.length
        }
    }

    /// Judges what arrived and puts the file in place.
    func finish(name: String) throws(CatalogueError) {
        let result = state.withLock { state -> Result<Void, CatalogueError> in
            guard var file = state.file.take(), let check = state.check.take() else { return .failure(.cancelled) }
            do throws(Distrust) { try check.finish() } catch { return .failure(.untrusted(file: name, error)) }
            // Not synced: the file is verified again whenever it is used, and what a power cut damages is fetched again.
            // Waiting for the disk would take longer than the rest of a refresh.
            do throws(DurableFileError) {
                try file.write(state.pending)
                try file.commit(.process)
            } catch {
                return .failure(.localState(error))
            }
            return .success(())
        }
        try result.get()
    }
}
