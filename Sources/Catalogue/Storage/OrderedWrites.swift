import DurableFiles
import Synchronization
import Threads

/// Files that are replaced one after another, in the order in which they were handed over, while the caller goes on: a
/// sync takes about as long as the next request to the mirror, and nobody has to wait for one and then for the other.
///
/// After one that failed none is written: what comes later in the order counts on what came before.
final class OrderedWrites: Sendable {
    typealias Outcome = Result<Void, DurableFileError>

    private struct State {
        /// Made with the first file; there is none where the system has no thread left.
        var thread: WorkerThread?
        /// By path, for whoever reads before they are in their place.
        var contents: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())
    private let log = Log()

    func replace(_ path: String, with bytes: [UInt8], surviving survival: DurableFile.Survival) {
        let thread = state.withLock { state in
            state.contents[path] = bytes
            state.thread = state.thread ?? WorkerThread()
            return state.thread
        }
        // Not bound to the caller's cancellation: what was accepted is kept.
        let write = { @Sendable [log] in
            log.add { () throws(DurableFileError) in
                try DurableFile.replace(path, with: bytes, surviving: survival)
            }
        }
        if let thread { thread.run(write) } else { write() }
    }

    /// What was handed over for a path, if anything was.
    func contents(for path: String) -> [UInt8]? { state.withLock { $0.contents[path] } }

    /// Syncs the folder that they are in once none is left to write: with what was written before one that failed, if one
    /// did. Where nothing was written there is nothing to sync.
    ///
    /// - Parameter completion: is given the first failure, before this returns or later, on a thread of its own.
    func finish(in folder: String, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let (isEmpty, thread) = state.withLock { ($0.contents.isEmpty, $0.thread) }
        if isEmpty { return completion(.success(())) }
        let finish = { @Sendable [log] in
            log.addWhatever { () throws(DurableFileError) in try synchroniseFolder(folder) }
            completion(log.outcome)
        }
        if let thread { thread.run(finish) } else { finish() }
    }

    /// How they went until now.
    private final class Log: Sendable {
        private let first = Mutex(Outcome.success(()))

        var outcome: Outcome { first.withLock { $0 } }

        func add(_ step: () throws(DurableFileError) -> Void) {
            if case .success = outcome { addWhatever(step) }
        }

        /// Whether one before it failed or not.
        func addWhatever(_ step: () throws(DurableFileError) -> Void) {
            do throws(DurableFileError) { try step() } catch {
                first.withLock { if case .success = $0 { $0 = .failure(error) } }
            }
        }
    }
}
