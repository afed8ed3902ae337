public import Glibc
import Foundation
import Synchronization

/// A program under way.
public struct RunningProgram: Sendable {
    public let process: pid_t
    private let standardOutput: ProgramOutput
    /// Kept until the program is dropped: its messages are there.
    private let folder: TemporaryFolder

    init(process: pid_t, standardOutput: ProgramOutput, folder: TemporaryFolder) {
        self.process = process
        self.standardOutput = standardOutput
        self.folder = folder
    }

    public var output: String { standardOutput.text }
    public var messages: String { (try? String(contentsOfFile: folder.path + "/messages", encoding: .utf8)) ?? "" }

    public func send(_ signal: Int32) { kill(process, signal) }

    /// The first line of standard output that fits, as soon as it is there.
    ///
    /// - Parameter action: what has to happen while the program is where that line says: done by the thread that reads
    ///   it. The test itself may come seconds later, where others keep the threads of Swift's concurrency busy.
    /// - Throws: ``BuiltProgram/Failure/noSuchLine(output:messages:)``; the program is killed at the deadline.
    @discardableResult
    public func line(
        within deadline: Duration = .seconds(60), where fits: @escaping @Sendable (String) -> Bool,
        at action: @escaping @Sendable () -> Void = {}
    ) async throws -> String {
        let timer = killer(after: deadline)
        defer { timer.cancel() }
        guard let line = await standardOutput.line(where: fits, at: action) else {
            throw BuiltProgram.Failure.noSuchLine(output: output, messages: messages)
        }
        return line
    }

    /// Waits for its end, and that of all that write to its standard output; kills it where the deadline passes first.
    public func end(within deadline: Duration) async throws -> BuiltProgram.Output {
        let timer = killer(after: deadline)
        let raw = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        timer.cancel()
        if await timer.value { throw BuiltProgram.Failure.deadline(output: output, messages: messages) }
        _ = await standardOutput.line { _ in false }
        let signal = raw & 0x7F
        let status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
        return BuiltProgram.Output(status: status, output: output, messages: messages)
    }

    private func killer(after deadline: Duration) -> Task<Bool, Never> {
        Task {
            guard (try? await Task.sleep(for: deadline)) != nil else { return false }
            kill(process, SIGKILL)
            return true
        }
    }
}

/// What a program prints, as it comes: read on a thread of its own.
final class ProgramOutput: Sendable {
    private struct Waiter {
        let fits: @Sendable (String) -> Bool
        let action: @Sendable () -> Void
        let continuation: CheckedContinuation<String?, Never>
    }

    private struct State {
        var bytes: [UInt8] = []
        /// Whole lines that came.
        var lines: [String] = []
        var unfinished: [UInt8] = []
        var isOver = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// - Returns: what is read, and the end to write into, which the caller closes.
    static func pipe() throws -> (ProgramOutput, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        // Not `pipe`: with it a program that is started beside this one could inherit the writing end.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw BuiltProgram.Failure.noPipe(errno: errno) }
        let output = ProgramOutput()
        let reading = ends[0]
        Thread.detachNewThread { output.read(from: reading) }
        return (output, ends[1])
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The first line that fits, of those that came and those to come; nil where it ends without one.
    func line(
        where fits: @escaping @Sendable (String) -> Bool, at action: @escaping @Sendable () -> Void = {}
    ) async -> String? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> String?? in
                if let line = state.lines.first(where: fits) { return line }
                if state.isOver { return .some(nil) }
                state.waiters.append(Waiter(fits: fits, action: action, continuation: continuation))
                return nil
            }
            guard let answer else { return }
            if answer != nil { action() }
            continuation.resume(returning: answer)
        }
    }

    private func read(from descriptor: Int32) {
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            append(buffer[..<count])
        }
        let left = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in left { waiter.continuation.resume(returning: nil) }
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
        let satisfied = state.withLock { state -> [(Waiter, String)] in
            state.bytes += bytes
            state.unfinished += bytes
            var lines: [String] = []
            while let end = state.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: state.unfinished[..<end], as: UTF8.self))
                state.unfinished.removeFirst(end + 1)
            }
            state.lines += lines
            let satisfied = state.waiters.compactMap { waiter in lines.first(where: waiter.fits).map { (waiter, $0) } }
            state.waiters.removeAll { waiter in lines.contains(where: waiter.fits) }
            return satisfied
        }
        for (waiter, line) in satisfied {
            waiter.action()
            waiter.continuation.resume(returning: line)
        }
    }
}
