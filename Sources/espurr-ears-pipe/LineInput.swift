import Glibc

/// Lines of a descriptor, waited for until the ears' next deadline.
struct LineInput {
    enum Outcome {
        case line([UInt8])
        case nothingYet
        case end
    }

    /// Bytes of a line: a request carries 512 in hexadecimal at most.
    private static let longestLine = 4096
    private static let newline = UInt8(ascii: "\n")

    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Parameter limit: nil waits for input alone.
    mutating func next(within limit: Duration?) -> Outcome {
        if let line = takeLine() { return .line(line) }
        guard buffer.count <= Self.longestLine else { return .end }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, limit.map(\.roundedUpMilliseconds) ?? -1) > 0 else { return .nothingYet }
        var bytes = [UInt8](repeating: 0, count: Self.longestLine)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && errno == EINTR ? .nothingYet : .end }
        buffer.append(contentsOf: bytes.prefix(count))
        return takeLine().map(Outcome.line) ?? .nothingYet
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let end = buffer.firstIndex(of: Self.newline) else { return nil }
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<end])
    }
}

extension Duration {
    /// For `poll`; a minute at most, which is as good as any.
    fileprivate var roundedUpMilliseconds: Int32 {
        guard self > .zero else { return 0 }
        guard self < .seconds(60) else { return 60_000 }
        let (seconds, attoseconds) = components
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
