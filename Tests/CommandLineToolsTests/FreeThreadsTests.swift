import Testing

@testable import CommandLineTools

@Suite struct FreeThreadsTests {
    @Test(
        arguments: [
            (perUser: 1016, running: 1000, isContainerLimited: false, isCertain: true),
            (perUser: 1015, running: 1000, isContainerLimited: false, isCertain: false),
            (perUser: 3, running: 1000, isContainerLimited: false, isCertain: false),
            (perUser: .max, running: 1000, isContainerLimited: false, isCertain: true),
            (perUser: .max, running: .max, isContainerLimited: false, isCertain: false),
            (perUser: .max, running: nil, isContainerLimited: false, isCertain: false),
            (perUser: .max, running: 1000, isContainerLimited: true, isCertain: false),
        ] as [(UInt64, UInt64?, Bool, Bool)])
    func `threads are certain where the whole machine has no more than the user may have`(
        perUser: UInt64, running: UInt64?, isContainerLimited: Bool, isCertain: Bool
    ) {
        let limits = ProcessLimits(perUser: perUser, running: running, isContainerLimited: isContainerLimited)
        #expect(limits.leave(16) == isCertain)
    }

    @Test(
        arguments: [
            ("0.42 0.37 0.31 2/1187 48213\n", 1187), ("120.00 99.31 70.00 64/70001 9\n", 70_001), ("", nil),
            ("0.42 0.37 0.31 2 48213\n", nil), ("0.42 0.37 0.31 2/ 48213\n", nil), ("0.42 0.37 2/1187\n", nil),
            ("0.42 0.37 0.31 2/x 48213\n", nil),
        ] as [(String, UInt64?)])
    func `the machine's threads are read from its load average`(line: String, count: UInt64?) {
        #expect(ProcessLimits.threads(inLoadAverage: Array(line.utf8)) == count)
    }

    @Test func `this machine tells how many threads it has`() throws {
        #expect(try #require(ProcessLimits.current().running) > 0)
    }
}
