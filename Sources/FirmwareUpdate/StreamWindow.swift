internal import ControlProtocol

/// What of a file was sent, what arrived, and what may be sent next, in the stream form of an upload.
///
/// Credits may be lost, come twice or out of order: what they say only ever adds, but for a gap, behind which all is sent
/// again, and a status, which is what the ears have.
struct StreamWindow: Hashable, Sendable {
    /// Bytes of the file.
    let size: Int
    /// Bytes from the start that the ears have.
    private(set) var arrived = 0
    /// Bytes from the start that were handed over since the last gap.
    private(set) var sent = 0
    /// Bytes from the start up to which may be sent.
    private(set) var creditEnd = 0

    init(size: Int) { self.size = size }

    var isDone: Bool { arrived == size }

    /// Where the next chunk starts, and how many bytes of it may be sent at most; nil: wait for credit.
    var next: (offset: Int, most: Int)? {
        sent < creditEnd ? (sent, creditEnd - sent) : nil
    }

    /// Bytes of the next chunk; nil: wait for credit.
    ///
    /// A chunk that the credit cuts short is held back while more credit is bound to come: it would take as much of the
    /// air as a whole one. That it comes is known of ears that gave credit for two whole chunks, because they renew it
    /// when half of it is used up.
    ///
    /// - Parameter longest: bytes of data of a whole chunk there.
    func length(longest: Int) -> Int? {
        guard let (_, most) = next, longest > 0 else { return nil }
        let isCutShort = most < longest && creditEnd < size
        guard isCutShort, sent > arrived, creditEnd - arrived >= 2 * longest else { return min(most, longest) }
        return nil
    }

    mutating func send(_ count: Int) { sent += count }

    /// - Returns: false for a credit that no ears in their right mind give.
    mutating func take(_ credit: StreamCredit) -> Bool {
        let (next, end) = (Int(credit.nextOffset), Int(credit.creditEnd))
        guard next <= size, end <= size, next <= max(sent, arrived) || next <= creditEnd else { return false }
        arrived = max(arrived, next)
        creditEnd = max(creditEnd, end)
        if credit.refusal == .wrongOffset, next == arrived { sent = next } else { sent = max(sent, arrived) }
        return true
    }

    /// What a status says: nothing that came later is on its way any more, or it comes twice, which does no harm.
    mutating func settle(at next: Int) -> Bool {
        guard (arrived...size).contains(next) else { return false }
        arrived = next
        sent = next
        return true
    }
}
