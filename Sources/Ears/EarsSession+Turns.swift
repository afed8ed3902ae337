internal import Bluetooth

/// Whose exchange is under way, and whose come next.
struct ExchangeTurns {
    fileprivate var isTaken = false
    fileprivate var waiting: [(identifier: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    fileprivate var lastIdentifier: UInt64 = 0
}

extension EarsSession {
    /// Returns when it is this caller's turn, which ``passTurn()`` ends.
    ///
    /// - Throws: a cancellation while it waits.
    func takeTurn() async throws(EarsError) {
        guard turns.isTaken else {
            turns.isTaken = true
            return
        }
        turns.lastIdentifier += 1
        let identifier = turns.lastIdentifier
        let isOurs = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: false) }
                turns.waiting.append((identifier, continuation))
            }
        } onCancel: {
            Task { await self.leaveTurns(identifier) }
        }
        guard isOurs else { throw .bluetooth(.cancelled) }
    }

    func passTurn() {
        guard !turns.waiting.isEmpty else { return turns.isTaken = false }
        turns.waiting.removeFirst().continuation.resume(returning: true)
    }

    private func leaveTurns(_ identifier: UInt64) {
        guard let index = turns.waiting.firstIndex(where: { $0.identifier == identifier }) else { return }
        turns.waiting.remove(at: index).continuation.resume(returning: false)
    }
}
