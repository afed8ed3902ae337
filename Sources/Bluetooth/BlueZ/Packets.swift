import DBus
import Glibc

/// Why a descriptor of BlueZ gives or takes nothing more.
enum PacketEnd: Error, Hashable, Sendable {
    /// BlueZ's end is closed.
    case hungUp
    case closedHere
    case overflow(limit: Int)
    /// A packet was longer than the link can carry.
    case tooLong(Int)
    case failed(errno: Int32)
}

/// One packet of a descriptor of SOCK_SEQPACKET. Never blocks and never raises SIGPIPE.
enum Packet {
    enum Received {
        case packet([UInt8])
        case nothingYet
        case end(PacketEnd)
    }

    enum Sent {
        case done
        case noRoom
        case end(PacketEnd)
    }

    /// - Parameter longest: in bytes.
    static func receive(from descriptor: OwnedDescriptor, longest: Int) -> Received {
        var bytes = [UInt8](repeating: 0, count: longest)
        while true {
            let count = recv(descriptor.number, &bytes, longest, Int32(MSG_DONTWAIT | MSG_TRUNC))
            switch count {
            case 1...longest: return .packet(Array(bytes.prefix(count)))
            case 0: return isOver(descriptor) ? .end(.hungUp) : .packet([])
            case 1...: return .end(.tooLong(count))
            default: break
            }
            switch errno {
            case EAGAIN: return .nothingYet
            // The second says that the other end left something unread; what it had sent is still to be read.
            case EINTR, ECONNRESET: continue
            default: return .end(.failed(errno: errno))
            }
        }
    }

    static func send(_ bytes: [UInt8], to descriptor: OwnedDescriptor) -> Sent {
        while true {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            if Glibc.send(descriptor.number, bytes, bytes.count, flags) >= 0 { return .done }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .noRoom
            case EPIPE, ECONNRESET, ENOTCONN: return .end(.hungUp)
            default: return .end(.failed(errno: errno))
            }
        }
    }

    /// An empty packet reads as an end does; after the end nothing more is queued.
    private static func isOver(_ descriptor: OwnedDescriptor) -> Bool {
        var poller = pollfd(fd: descriptor.number, events: 0, revents: 0)
        guard poll(&poller, 1, 0) > 0, poller.revents & Int16(POLLHUP) != 0 else { return false }
        var queued: Int32 = 0
        return ioctl(descriptor.number, UInt(FIONREAD), &queued) < 0 || queued == 0
    }
}
