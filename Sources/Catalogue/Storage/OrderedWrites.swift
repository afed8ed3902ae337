import DurableFiles
import Synchronization

/// Files that are replaced one after another, in the order in which they were handed over, while the caller goes on: a
/// sync takes about as long as the next request to the mirror, and nobody has to wait for one and then for the other.
///
/// After one that failed none is written: what comes later in the order counts on what came before.
final class OrderedWrites: Sendable {
    private typealias Outcome = Result<Void, DurableFileError>

    private struct State {
        var last: Task<Outcome, Never>?
        /// By path, for whoever reads before they are in their place.
        var contents: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())

    func replace(_ path: String, with bytes: [UInt8], surviving survival: DurableFile.Survival) {
        state.withLock { state in
            let before = state.last
            state.contents[path] = bytes
            // Not bound to the caller's cancellation: what was accepted is kept.
            state.last = Task.detached {
                if let failure = await before?.value, case .failure = failure { return failure }
                do throws(DurableFileError) {
                    return .success(try DurableFile.replace(path, with: bytes, surviving: survival))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// What was handed over for a path, if anything was.
    func contents(for path: String) -> [UInt8]? { state.withLock { $0.contents[path] } }

    var isEmpty: Bool { state.withLock { $0.last == nil } }

    /// Waits until none is left to write.
    ///
    /// - Returns: the first failure, if one failed.
    func finished() async -> Result<Void, DurableFileError> {
        await state.withLock({ $0.last })?.value ?? .success(())
    }
}
