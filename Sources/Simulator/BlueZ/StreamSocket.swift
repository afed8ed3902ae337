import DBus
import Glibc

/// `bluetoothd`'s end of an acquired descriptor: it reads whatever comes, and drops what the client does not fetch.
actor StreamSocket {
    enum Input: Hashable, Sendable {
        case packet([UInt8])
        /// By the client.
        case closed
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
    private let onInput: @Sendable (Input) -> Void
    private var descriptor: OwnedDescriptor?
    private var readiness: Readiness?

    /// The daemon cuts what is longer than a value; longer than this no client's packet gets here whole.
    private static let longestPacket = 1024

    /// - Parameter onInput: is called in order, with ``Input/closed`` as the last.
    init(_ descriptor: OwnedDescriptor, onInput: @escaping @Sendable (Input) -> Void) async {
        self.onInput = onInput
        self.descriptor = descriptor
        readiness = Readiness(of: descriptor, for: .reading) { [weak self] in
            self?.assumeIsolated { $0.fetch() }
        }
        readiness?.watch(true)
    }

    /// Both ends; nil where the process has no descriptor left.
    static func ends() -> (own: OwnedDescriptor, client: OwnedDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        return (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
    }

    func send(_ value: [UInt8]) {
        guard let descriptor else { return }
        _ = Glibc.send(descriptor.number, value, value.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }

    func close() {
        readiness = nil
        descriptor = nil
    }

    /// An empty packet counts as the end, as `bluetoothd` has it.
    private func fetch() {
        var bytes = [UInt8](repeating: 0, count: Self.longestPacket)
        while let descriptor {
            let count = recv(descriptor.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                onInput(.packet(Array(bytes.prefix(count))))
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                return
            } else {
                close()
                onInput(.closed)
            }
        }
    }
}
