import CommandLineTools
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReadWaitTests {
    private struct NoPipe: Error {}

    /// The writing end is for `body` to close.
    private func withPipe(
        _ body: (_ reading: Int32, _ writing: Int32) async throws -> Bool
    ) async throws -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw NoPipe() }
        // A program that another test starts meanwhile must not hold the writing end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        return try await body(ends[0], ends[1])
    }

    /// Where libdispatch's sources waited for it, the process died of one in a hundred.
    @Test func `the end of a pipe is there to be read, however many there are`() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<400 {
                group.addTask {
                    try await withPipe { reading, writing in
                        async let isReadable = waitUntilReadable(reading)
                        close(writing)
                        return await isReadable
                    }
                }
            }
            for try await isReadable in group { #expect(isReadable) }
        }
    }

    @Test func `what is written is there to be read`() async throws {
        let isReadable = try await withPipe { reading, writing in
            #expect(write(writing, "x", 1) == 1)
            defer { close(writing) }
            return await waitUntilReadable(reading)
        }
        #expect(isReadable)
    }

    @Test func `a task that is cancelled waits no longer`() async throws {
        let isReadable = try await withPipe { reading, writing in
            defer { close(writing) }
            let wait = Task { await waitUntilReadable(reading) }
            wait.cancel()
            return await wait.value
        }
        #expect(!isReadable)
    }
}
