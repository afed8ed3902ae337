import CommandLineTools
import Ears

/// What is left of `--timeout` on the way from looking for ears to being connected with them.
public struct TimeLimit: Sendable {
    public let whole: Duration
    private let elapsed: @Sendable () -> Duration

    public init(_ whole: Duration, on clock: any Clock<Duration>) {
        self.whole = whole
        elapsed = Stopwatch(clock).elapsed
    }

    public var remaining: Duration { max(.zero, whole - elapsed()) }

    /// For people: in whole seconds, one that has begun counting as whole, and never more than the limit was.
    var remainingInWords: String {
        let (seconds, rest) = remaining.components
        return min(whole, .seconds(rest > 0 ? seconds + 1 : seconds)).inWords
    }
}
