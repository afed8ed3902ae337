import Glibc

/// A second of UTC, as this machine's clock has it.
public struct UTCMoment: Hashable, Sendable {
    /// Since 1970, leap seconds left out (POSIX).
    public let seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    public static var now: UTCMoment { UTCMoment(seconds: Int64(time(nil))) }

    /// `2026-11-30T05:39:00Z` (RFC 3339).
    public var text: String {
        let parts = parts
        return "\(parts.date.joined(separator: "-"))T\(parts.time.joined(separator: ":"))Z"
    }

    /// `20261130T053900Z`, as names of files have it.
    public var compactText: String {
        let parts = parts
        return "\(parts.date.joined())T\(parts.time.joined())Z"
    }

    private var parts: (date: [String], time: [String]) {
        var (seconds, broken) = (time_t(seconds), tm())
        gmtime_r(&seconds, &broken)
        func padded(_ number: Int32, to width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return (
            [padded(broken.tm_year + 1900, to: 4), padded(broken.tm_mon + 1), padded(broken.tm_mday)],
            [padded(broken.tm_hour), padded(broken.tm_min), padded(broken.tm_sec)]
        )
    }
}
