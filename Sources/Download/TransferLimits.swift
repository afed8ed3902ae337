/// Bounds on one transfer. A server that keeps within all of them has to be waited for.
public struct TransferLimits: Equatable, Sendable {
    /// Largest body, in bytes. The transfer ends with the first byte past it, whatever length was announced.
    public var maximumBytes: Int
    /// Until the connection stands, TLS included.
    public var connectTime: Duration
    /// Without a byte of reply.
    public var stallTime: Duration
    /// For the whole transfer.
    public var totalTime: Duration

    public init(
        maximumBytes: Int, connectTime: Duration = .seconds(10), stallTime: Duration = .seconds(20),
        totalTime: Duration = .seconds(60)
    ) {
        self.maximumBytes = maximumBytes
        self.connectTime = connectTime
        self.stallTime = stallTime
        self.totalTime = totalTime
    }

    /// Bytes that are fetched from the connection at once, at most: libcurl's own 16 KiB make an image of many megabytes
    /// hundreds of small reads. A short body needs no more.
    var receiveBufferBytes: Int { min(max(maximumBytes, 16 * 1024), 256 * 1024) }
    /// Requests of one transfer. libcurl asks again by itself where a server says that it did not begin (REFUSED_STREAM of
    /// HTTP/2), six times in all, and where a connection that was kept is found closed: that is right once (RFC 9113,
    /// section 8.7), and further attempts are the caller's. A libcurl before 7.80 cannot be held to it.
    static let maximumRequests = 2
    /// Bytes of status line and header fields that are read of one reply.
    public static let maximumHeaderBytes = 64 * 1024
    /// Bytes of the body of a refusal (404 and the like) that are read and thrown away to keep the connection.
    static let maximumDiscardedBytes = 16 * 1024
}
