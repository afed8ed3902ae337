import DurableFiles
import Synchronization
import Threads

/// Files that are replaced one after another, in the order in which they were handed over, while the caller goes on: a
/// sync takes about as long as the next request to the mirror, and nobody has to wait for one and then for the other.
///
/// After one that failed none is written, and none is begun once they are given up: what comes later in the order counts
/// on what came before.
final class OrderedWrites: Sendable {
    typealias Outcome = Result<Void, CatalogueError>
    typealias Replace =
        @Sendable (_ path: String, _ bytes: [UInt8], _ survival: DurableFile.Survival) throws(DurableFileError) -> Void
    typealias Synchronise = @Sendable (_ folder: String) throws(DurableFileError) -> Void

    private struct State {
        /// Made with the first file; there is none where the system has no thread left.
        var thread: WorkerThread?
        /// By path, for whoever reads before they are in their place.
        var contents: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())
    private let log = Log()
    private let replaceFile: Replace
    private let synchronise: Synchronise

    init(
        replace: @escaping Replace = { path, bytes, survival throws(DurableFileError) in
            try DurableFile.replace(path, with: bytes, surviving: survival)
        },
        synchronise: @escaping Synchronise = { folder throws(DurableFileError) in try synchroniseFolder(folder) }
    ) {
        replaceFile = replace
        self.synchronise = synchronise
    }

    func replace(_ path: String, with bytes: [UInt8], surviving survival: DurableFile.Survival) {
        let thread = state.withLock { state in
            state.contents[path] = bytes
            state.thread = state.thread ?? WorkerThread()
            return state.thread
        }
        let write = { @Sendable [log, replaceFile] in
            log.add { () throws(DurableFileError) in try replaceFile(path, bytes, survival) }
        }
        if let thread { thread.run(write) } else { write() }
    }

    /// What was handed over for a path, if anything was.
    func contents(for path: String) -> [UInt8]? { state.withLock { $0.contents[path] } }

    /// Begins nothing further, the sync of the folder neither. What is being written is brought to its end.
    func giveUp() { log.giveUp() }

    /// Syncs the folder that they are in once none is left to write: with what was written before one that failed, if one
    /// did. Where nothing was written there is nothing to sync.
    ///
    /// - Parameter completion: is given the first failure, or `cancelled` where they were given up before all was done,
    ///   before this returns or later, on a thread of its own.
    func finish(in folder: String, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let (isEmpty, thread) = state.withLock { ($0.contents.isEmpty, $0.thread) }
        if isEmpty { return completion(.success(())) }
        let finish = { @Sendable [log, synchronise] in
            log.addWhateverFailed { () throws(DurableFileError) in try synchronise(folder) }
            completion(log.outcome)
        }
        if let thread { thread.run(finish) } else { finish() }
    }

    /// How they went until now.
    private final class Log: Sendable {
        private let first = Mutex(Outcome.success(()))
        private let isGivenUp = Atomic(false)

        var outcome: Outcome { first.withLock { $0 } }

        func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

        func add(_ step: () throws(DurableFileError) -> Void) {
            if case .success = outcome { addWhateverFailed(step) }
        }

        /// Whether one before it failed or not.
        func addWhateverFailed(_ step: () throws(DurableFileError) -> Void) {
            guard !isGivenUp.load(ordering: .relaxed) else { return note(.cancelled) }
            do throws(DurableFileError) { try step() } catch { note(.localState(error)) }
        }

        private func note(_ error: CatalogueError) {
            first.withLock { if case .success = $0 { $0 = .failure(error) } }
        }
    }
}
