internal import DBus
internal import Synchronization

/// That this machine does not sleep: logind lets it once the descriptor is closed, which the end of the process does too.
public final class SleepLock: Sendable {
    private let descriptor: Mutex<OwnedDescriptor?>

    init(_ descriptor: OwnedDescriptor) { self.descriptor = Mutex(descriptor) }

    /// Harmless where it was released before.
    public func release() { descriptor.withLock { $0 = nil } }
}
