package import Dispatch

/// Whether a descriptor can be read from, or written to, told on a queue as long as this is held. Starts paused.
///
/// It keeps the descriptor open until dispatch is done with it.
package final class Readiness {
    package enum Direction { case reading, writing }

    private let source: any DispatchSourceProtocol
    private var isWatching = false

    package init(
        of descriptor: OwnedDescriptor, for direction: Direction, on queue: DispatchQueue,
        onReady: @escaping @Sendable () -> Void
    ) {
        source =
            switch direction {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
            }
        source.setEventHandler(handler: onReady)
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    }

    package func watch(_ isWanted: Bool) {
        guard isWanted != isWatching else { return }
        isWatching = isWanted
        if isWanted { source.resume() } else { source.suspend() }
    }

    /// A paused source would never get to its cancel handler.
    deinit {
        source.cancel()
        if !isWatching { source.resume() }
    }
}
