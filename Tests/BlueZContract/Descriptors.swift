import DBus
import Glibc

/// Sends one packet of so many bytes; what the system says of it.
func send(_ count: Int, to descriptor: OwnedDescriptor) -> Int {
    Glibc.send(descriptor.number, [UInt8](repeating: 0, count: count), count, Int32(MSG_NOSIGNAL))
}
