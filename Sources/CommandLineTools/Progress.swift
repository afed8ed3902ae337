/// How far a phase has come, and how fast: pure, told the time.
public struct TransferProgress: Hashable, Sendable {
    public let phase: String
    /// Bytes.
    public let total: Int
    public private(set) var done: Int = 0
    private let started: Duration
    private var now: Duration

    /// - Parameter started: any clock's time, as long as `advance` is told the same one's.
    public init(phase: String, total: Int, started: Duration) {
        self.phase = phase
        self.total = total
        self.started = started
        self.now = started
    }

    public mutating func advance(to done: Int, at now: Duration) {
        self.done = done
        self.now = now
    }

    /// Bytes a second since the phase began; nil in its first tenth of a second.
    public var rate: Int? {
        let milliseconds = (now - started).wholeMilliseconds
        return milliseconds < 100 ? nil : Int(Int64(done) * 1000 / milliseconds)
    }

    public var percent: Int { total == 0 ? 100 : done * 100 / total }

    /// `upload  512 of 1036 KiB  49 %  83 KiB/s  6.3 s left`
    public var line: String {
        var parts = [phase, "\(done / 1024) of \((total + 1023) / 1024) KiB", "\(percent) %"]
        if let rate, rate > 0 {
            parts.append("\(rate / 1024) KiB/s")
            parts.append(Duration.milliseconds(Int64(total - done) * 1000 / Int64(rate)).inWords + " left")
        }
        return parts.joined(separator: "  ")
    }
}

/// Which progress lines are worth printing: every one on a terminal (ten a second), else one a tenth and a heartbeat.
public struct ProgressThrottle: Hashable, Sendable {
    public static let terminalInterval = Duration.milliseconds(100)
    public static let heartbeat = Duration.seconds(10)

    private let isTerminal: Bool
    private var last: Duration?
    private var lastTenth = -1
    private var lastPhase = ""

    public init(isTerminal: Bool) { self.isTerminal = isTerminal }

    public mutating func shouldShow(phase: String, percent: Int, at now: Duration) -> Bool {
        let isNewPhase = phase != lastPhase
        let isLate = last.map { now - $0 >= (isTerminal ? Self.terminalInterval : Self.heartbeat) } ?? true
        let isNewTenth = !isTerminal && percent / 10 != lastTenth
        guard isNewPhase || isLate || isNewTenth else { return false }
        last = now
        lastTenth = percent / 10
        lastPhase = phase
        return true
    }
}
