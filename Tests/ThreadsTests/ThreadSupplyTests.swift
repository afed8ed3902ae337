import Testing
import Threads

/// What is said where the system has fewer is seen from outside: `EndToEndTests`, `FreeThreadsTests`.
@Suite(.timeLimit(.minutes(1))) struct ThreadSupplyTests {
    @Test(arguments: [0, 1, 16]) func `where nothing limits them there are as many as are asked for`(count: Int) {
        #expect(ThreadSupply.available(upTo: count) == count)
    }
}
