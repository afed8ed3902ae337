import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct TimeLimitTests {
    @Test func `what is left is said in whole seconds, and is never more than the limit`() {
        let clock = TestClock()
        let (long, short) = (TimeLimit(.seconds(30), on: clock), TimeLimit(.milliseconds(500), on: clock))
        #expect(long.remainingInWords == "30 s" && short.remainingInWords == "0.5 s")
        clock.advance(by: .milliseconds(100))
        #expect(long.remainingInWords == "30 s" && short.remainingInWords == "0.5 s")
        clock.advance(by: .milliseconds(1900))
        #expect(long.remainingInWords == "28 s" && short.remainingInWords == "0 s")
    }
}
