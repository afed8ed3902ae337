import Testing

@testable import CommandLineTools

@Suite struct InterruptionCountTests {
    @Test func `a signal right after the first is the first once more, whichever it is`() {
        var count = InterruptionCount()
        #expect(count.take(.terminate, at: .seconds(3)) == .first)
        #expect(count.take(.terminate, at: .seconds(3)) == .echo)
        #expect(count.take(.hangUp, at: .seconds(3) + .milliseconds(199)) == .echo)
        #expect(count.first?.cause == .terminate)
    }

    @Test func `a later one is of somebody who does not want to wait, however many came before`() {
        var count = InterruptionCount()
        #expect(count.take(.interrupt, at: .zero) == .first)
        #expect(count.take(.interrupt, at: .milliseconds(100)) == .echo)
        #expect(count.take(.interrupt, at: .milliseconds(200)) == .second)
        #expect(count.take(.terminate, at: .seconds(60)) == .second)
        #expect(count.first?.cause == .interrupt)
    }
}
