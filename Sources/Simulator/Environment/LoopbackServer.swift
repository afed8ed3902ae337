import Threads
import Glibc
import Synchronization

/// A static HTTP/1.1 server on 127.0.0.1, on a thread of its own.
final class LoopbackServer: Sendable {
    /// Connections at once; the next one waits for the oldest to end.
    private static let connectionLimit = 64
    private static let backlog: Int32 = 64

    let port: UInt16
    private let stopEnd: Int32
    private let isStopped = Mutex(false)

    /// - Parameter contents: the bytes at a path such as `/metadata/timestamp.json`; nil is 404. Called on the server's
    ///   thread.
    init(serving contents: @escaping @Sendable (_ path: String) -> [UInt8]?) throws(SimulationError) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard listener >= 0 else { throw .serverFailed(errno: errno) }
        guard let port = Self.bindLoopback(listener), listen(listener, Self.backlog) == 0 else {
            defer { close(listener) }
            throw .serverFailed(errno: errno)
        }
        guard let ends = Pipe.make(nonBlocking: false) else {
            defer { close(listener) }
            throw .serverFailed(errno: errno)
        }
        self.port = port
        stopEnd = ends.write
        let stop = ends.read
        DetachedThread.startOrBorrow {
            var loop = ServerLoop(listener: listener, stop: stop, limit: Self.connectionLimit, contents: contents)
            loop.run()
        }
    }

    /// Ends the thread and every connection; harmless when it has ended.
    func stop() {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            isStopped = true
            close(stopEnd)
        }
    }

    deinit { stop() }

    private static func bindLoopback(_ descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Bool in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        } ? UInt16(bigEndian: address.sin_port) : nil
    }
}

/// The server's poll loop.
private struct ServerLoop {
    let listener: Int32
    let stop: Int32
    let limit: Int
    let contents: (String) -> [UInt8]?
    var connections: [ServedConnection] = []

    mutating func run() {
        while true {
            var polled = [pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
            let events = connections.count < limit ? Int16(POLLIN) : 0
            polled.append(pollfd(fd: listener, events: events, revents: 0))
            polled += connections.map { pollfd(fd: $0.descriptor, events: $0.wantedEvents, revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { break }
            if polled[0].revents != 0 { break }
            serve(polled.dropFirst(2).map(\.revents))
            if polled[1].revents != 0 { accept() }
        }
        for connection in connections { close(connection.descriptor) }
        close(listener)
        close(stop)
    }

    private mutating func serve(_ events: [Int16]) {
        for (index, events) in events.enumerated() where events != 0 { connections[index].step(contents) }
        for connection in connections where connection.isFinished { close(connection.descriptor) }
        connections.removeAll(where: \.isFinished)
    }

    private mutating func accept() {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        Pipe.configure(descriptor, nonBlocking: true)
        connections.append(ServedConnection(descriptor: descriptor))
    }
}

/// One client: a request at a time, its response out before the next is read.
private struct ServedConnection {
    let descriptor: Int32
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var sent = 0
    private var closesAfterOutput = false
    private(set) var isFinished = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    var wantedEvents: Int16 { Int16(output.isEmpty ? POLLIN : POLLOUT) }

    mutating func step(_ contents: (String) -> [UInt8]?) {
        if output.isEmpty { receive() }
        while !isFinished {
            flush()
            guard output.isEmpty, !isFinished, answer(contents) else { return }
        }
    }

    private mutating func receive() {
        var buffer = [UInt8](repeating: 0, count: HTTPRequest.headLimit)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            input += buffer[..<count]
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            isFinished = true
        }
    }

    /// - Returns: whether there was a request.
    private mutating func answer(_ contents: (String) -> [UInt8]?) -> Bool {
        switch HTTPRequest.parse(input) {
        case .incomplete: return false
        case .refused(let status): respond(status, [], keepsAlive: false, omitsBody: false)
        case .request(let request, let length):
            input.removeFirst(length)
            let body = contents(request.path)
            respond(
                body == nil ? 404 : 200, body ?? [], keepsAlive: request.keepsAlive,
                omitsBody: request.method == .head)
        }
        return true
    }

    private mutating func respond(_ status: Int, _ body: [UInt8], keepsAlive: Bool, omitsBody: Bool) {
        let head = HTTPResponseHead(
            status: status, length: body.count, type: "application/octet-stream", keepsAlive: keepsAlive)
        output = head.bytes + (omitsBody ? [] : body)
        sent = 0
        closesAfterOutput = !keepsAlive
    }

    private mutating func flush() {
        while sent < output.count {
            let count = output.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if count < 0, errno == EAGAIN { return }
                if count < 0, errno == EINTR { continue }
                isFinished = true
                return
            }
            sent += count
        }
        if !output.isEmpty, closesAfterOutput { isFinished = true }
        output = []
    }
}
