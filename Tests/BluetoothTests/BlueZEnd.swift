import DBus
import Glibc
import Synchronization

/// BlueZ's end of a descriptor that a test acquires.
final class BlueZEnd: Sendable {
    struct NoSocket: Error { let errno: Int32 }

    private let own: Mutex<OwnedDescriptor?>
    private let client: Mutex<OwnedDescriptor?>

    init() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw NoSocket(errno: errno) }
        own = Mutex(OwnedDescriptor(owning: ends[0]))
        client = Mutex(OwnedDescriptor(owning: ends[1]))
    }

    /// The reply to an Acquire call, which is the only one to hold the client's end.
    func reply(mtu: UInt16) -> MethodAnswer {
        guard let descriptor = client.withLock({ $0.take() }) else {
            return .error(name: "org.bluez.Error.NotPermitted", message: "Write acquired")
        }
        return .values([.fileDescriptor(descriptor), .uint16(mtu)])
    }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(number, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == bytes.count
    }

    /// The next packet; nil where there is none.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    func close() {
        // A child that another test is starting may hold it for a moment longer.
        shutdown(number, Int32(SHUT_RDWR))
        own.withLock { $0 = nil }
    }

    /// Whether the client's end is closed by now, waited for two seconds at most.
    var isReleased: Bool {
        var poller = pollfd(fd: number, events: 0, revents: 0)
        return poll(&poller, 1, 2000) > 0 && poller.revents & Int16(POLLHUP) != 0
    }

    private var number: Int32 { own.withLock { $0?.number ?? -1 } }
}
