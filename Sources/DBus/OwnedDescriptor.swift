import Glibc

/// A file descriptor that is closed when its last reference goes.
public final class OwnedDescriptor: Hashable, Sendable {
    public let number: Int32

    /// Takes over `number`.
    public init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
