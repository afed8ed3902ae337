import Glibc

/// Whether a descriptor can be read from, or written to, told on the event loop as long as this is held. Starts paused.
///
/// It keeps the descriptor open.
package final class Readiness: Sendable {
    package enum Direction { case reading, writing }

    private let descriptor: OwnedDescriptor
    private let watch: UInt64

    /// - Parameter onReady: is called on the event loop; an end or an error of the descriptor counts as readiness.
    package init(
        of descriptor: OwnedDescriptor, for direction: Direction, onReady: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        let events = direction == .reading ? POLLIN : POLLOUT
        watch = EventLoop.shared.add(descriptor.number, events: events) { _ in onReady() }
    }

    package func watch(_ isWanted: Bool) { EventLoop.shared.want(watch, isWanted) }

    deinit { EventLoop.shared.remove(watch) }
}
