/// A length of time as people write it: `30s`, `500ms`, `2m`.
public struct Timespan: Hashable, Sendable {
    public let duration: Duration

    /// The longest that is taken.
    public static let maximum = Duration.seconds(3600)

    /// - Parameter text: a whole number with a unit; greater than zero, at most an hour.
    public init?(_ text: String) {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1000), ("m", 60_000)]
        guard let (suffix, factor) = units.first(where: { text.hasSuffix($0.0) }),
            text.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
            let count = Int64(text.dropLast(suffix.count)), count > 0, count <= 3_600_000
        else { return nil }
        let duration = Duration.milliseconds(count * factor)
        guard duration <= Timespan.maximum else { return nil }
        self.duration = duration
    }
}

extension Duration {
    public var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// `30 s`, `4.2 s`, `1:05 min`.
    public var inWords: String {
        let tenths = (wholeMilliseconds + 50) / 100
        if tenths < 600 { return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " s" }
        let seconds = tenths / 10
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60) min"
    }
}
