import Glibc
import Synchronization

/// A web server on 127.0.0.1 for one test. What it answers is the test's closure, called on a thread for each
/// connection.
public final class LoopbackHTTPServer: Sendable {
    public let port: UInt16
    private let listener: Int32
    private let heads = Mutex<[String]>([])
    private let connections = Mutex<Int>(0)

    /// `http://127.0.0.1:<port>`
    public var address: String { "http://127.0.0.1:\(port)" }
    /// The heads of all requests so far: request line and header fields, each line with its end.
    public var requests: [String] { heads.withLock { $0 } }
    /// The paths of all requests so far.
    public var paths: [String] {
        requests.map { String($0.split(separator: " ", maxSplits: 2).dropFirst().first ?? "") }
    }
    public var connectionCount: Int { connections.withLock { $0 } }

    /// - Parameter answer: is given the request's path; returns whether the connection stays open.
    public init(answer: @escaping @Sendable (_ path: String, _ connection: Connection) -> Bool) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        precondition(isListening, "no listening socket: errno \(errno)")
        port = UInt16(bigEndian: address.sin_port)
        startThread { [weak self] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0, let self else { break }
                // A program that another test starts meanwhile must not hold a connection that is closed here.
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                self.connections.withLock { $0 += 1 }
                startThread { [weak self] in Self.serve(Connection(accepted), answer, self) }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ connection: Connection, _ answer: (String, Connection) -> Bool, _ server: LoopbackHTTPServer?
    ) {
        var isOpen = true
        while isOpen, let head = connection.readHead() {
            server?.heads.withLock { $0.append(head) }
            let path = head.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
            isOpen = answer(String(path), connection)
        }
    }

    /// One accepted connection; closed when the last reference is gone.
    public final class Connection: Sendable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// A whole reply; the connection can stay open.
        public func reply(_ status: Int, _ body: [UInt8], fields: [String] = []) -> Bool {
            let head = ["HTTP/1.1 \(status) -"] + fields + ["Content-Length: \(body.count)", "", ""]
            return send(Array(head.joined(separator: "\r\n").utf8) + body)
        }

        /// Whether the other end took the bytes.
        @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Waits until the other end closes, or for a time; returns whether it closed.
        @discardableResult public func waitForClose(milliseconds: Int32 = 30_000) -> Bool {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, 0) <= 0
        }

        fileprivate func readHead() -> String? {
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while head.count < 16 * 1024 {
                guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
                head.append(byte)
                // A method's first letter; anything else (a TLS hello, say) gets the connection closed.
                guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(head[0]) else { return nil }
                if head.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] { return String(decoding: head, as: UTF8.self) }
            }
            return nil
        }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        {
            Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run()
            return nil
        }, Unmanaged.passRetained(ThreadBody(body)).toOpaque())
    precondition(code == 0, "no thread: error \(code)")
    pthread_detach(thread)
}
