import Testing

@testable import FirmwareUpdate

@Suite struct `Trying lengths of messages` {
    /// Each exchange takes as long as its length says, but for those that something went wrong with.
    private func limit(after exchanges: Int, of limits: [Int], slow: Set<Int> = [], time: (Int) -> Duration) -> Int {
        var trial = MessageTrial(limits)
        for number in 0..<exchanges {
            let taken = time(trial.limit)
            trial.note(bytes: trial.limit, in: slow.contains(number) ? taken * 10 : taken)
        }
        return trial.limit
    }

    @Test func `each is used for a while, the most promising first`() {
        let used = (0..<3).map { limit(after: $0 * 5, of: [512, 495, 244]) { _ in .milliseconds(30) } }
        #expect(used == [512, 495, 244])
    }

    @Test func `the one that moves the most in a second is used from then on`() {
        // The longest one takes a connection event more.
        let best = limit(after: 10, of: [512, 495]) { $0 == 512 ? .milliseconds(37.5) : .milliseconds(30) }
        #expect(best == 495)
        #expect(limit(after: 10, of: [512, 495]) { _ in .milliseconds(30) } == 512)
    }

    @Test func `a packet that was lost and sent again decides nothing`() {
        #expect(limit(after: 10, of: [512, 495], slow: [1, 3]) { _ in .milliseconds(30) } == 512)
    }

    @Test func `once it is over it stays so`() {
        var trial = MessageTrial([512, 495])
        for _ in 0..<10 { trial.note(bytes: trial.limit, in: .milliseconds(30)) }
        for _ in 0..<10 { trial.note(bytes: 1, in: .seconds(10)) }
        #expect(trial.limit == 512)
    }

    @Test func `where no time passes the most promising one is kept`() {
        #expect(limit(after: 10, of: [512, 495]) { _ in .zero } == 512)
    }

    @Test func `without a length there is none`() {
        #expect(MessageTrial([]).limit == 0)
    }
}
