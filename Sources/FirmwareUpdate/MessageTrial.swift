/// Which of the message lengths that a link allows moves the most in a second, found by using each for a while.
///
/// An exchange takes whole connection events, and whether a longer message takes one more depends on the interval and on
/// the controllers: nothing that BlueZ tells. Each length is used for so many exchanges, and the middle one of their times
/// counts, so that a packet that was lost and sent again decides nothing.
struct MessageTrial: Sendable {
    private struct Candidate {
        let limit: Int
        /// Bytes of data of an exchange, and how long it took.
        var times: [(bytes: Int, time: Duration)] = []

        /// Bytes in a second; nil where no time passed.
        var rate: Double? {
            let middle = times.sorted { $0.time < $1.time }[times.count / 2]
            return middle.time > .zero ? Double(middle.bytes) / (middle.time / .seconds(1)) : nil
        }
    }

    private var candidates: [Candidate]
    private var current = 0
    private var isOver = false

    static let exchanges = 5

    /// - Parameter limits: the most promising first, at least one.
    init(_ limits: [Int]) { candidates = limits.map { Candidate(limit: $0) } }

    /// Bytes of the largest message to use now; 0 where there is none.
    var limit: Int { candidates.isEmpty ? 0 : candidates[current].limit }

    /// What one exchange moved. One that moved nothing, or was cut short by the file's end, says nothing.
    mutating func note(bytes: Int, in time: Duration) {
        guard !isOver, candidates.count > 1 else { return }
        candidates[current].times.append((bytes, time))
        guard candidates[current].times.count == Self.exchanges else { return }
        current += 1
        guard current == candidates.count else { return }
        isOver = true
        current = 0
        for index in candidates.indices {
            guard let rate = candidates[index].rate, let best = candidates[current].rate else { continue }
            if rate > best { current = index }
        }
    }
}
