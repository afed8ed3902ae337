import Bluetooth
import Foundation
import Glibc
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct PasskeyLineTests {
    @Test(arguments: [
        ("123456", "123456"), (" 012345\r", "012345"), ("passkey 654321", "654321"), ("PASSKEY: 000001", "000001"),
        ("I (123456) app: passkey 654321", "654321"), ("\u{1B}[0;32mI (3721) app: Passkey = 654321\u{1B}[0m", "654321"),
        ("passkey for espurr-4455 is 654321, click to confirm", "654321"),
    ])
    func `a passkey line gives its digits`(line: String, digits: String) {
        #expect(Passkey(consoleLine: line)?.description == digits)
    }

    @Test(arguments: [
        "", "12345", "1234567", "I (123456) app:", "(123456)", "123 456", "I (123456) app: passkey",
        "654321 passkey", "passkey 123456 or 654321", "passkey1 123456", "boot count 123456", "１２３４５６",
    ])
    func `what is none gives nothing`(line: String) {
        #expect(Passkey(consoleLine: line) == nil)
    }
}

@Suite struct PasskeySourceTests {
    let folder: TemporaryFolder
    let clock = TestClock()

    init() throws { folder = try TemporaryFolder() }

    private func append(_ text: String, to path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        // A FIFO has no end to go to.
        if !path.hasSuffix("fifo") { try handle.seekToEnd() }
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `a growing file is followed, its old lines do not count`() async throws {
        let path = try folder.write("passkey 111111\n", to: "console")
        let source = try PasskeySource(path)
        try append("passkey 222222\n", to: path)
        source.skipOld()
        let clock = clock
        let next = Task { await source.next(clock: clock) }
        try await clock.sleepers(1)
        try append("I (123456) app: hello\npasskey 3333", to: path)
        clock.advance(by: PasskeySource.interval)
        try await clock.sleepers(1)
        clock.advance(by: PasskeySource.interval)
        try await clock.sleepers(1)
        try append("33\n", to: path)
        clock.advance(by: PasskeySource.interval)
        #expect(await next.value == Passkey(333_333))
    }

    @Test func `a file that was begun anew is read from its start`() async throws {
        let path = try folder.write(String(repeating: "old\n", count: 20), to: "console")
        let source = try PasskeySource(path)
        truncate(path, 0)
        try append("444444\n", to: path)
        #expect(await source.next(clock: clock) == Passkey(444_444))
    }

    @Test func `a FIFO waits for its writers, who may come and go`() async throws {
        let path = folder.path + "/fifo"
        try #require(mkfifo(path, 0o600) == 0)
        let source = try PasskeySource(path)
        try append("stale 1\npasskey 555555\n", to: path)
        source.skipOld()
        try append("hello\n", to: path)
        let clock = clock
        let next = Task { await source.next(clock: clock) }
        try append("passkey 666666\n", to: path)
        #expect(await next.value == Passkey(666_666))
    }

    @Test func `a descriptor is read, and its end is the end`() async throws {
        let pipe = Pipe()
        let source = try PasskeySource("\(pipe.fileHandleForReading.fileDescriptor)")
        try pipe.fileHandleForWriting.write(contentsOf: Data("passkey 777777\nmore\n".utf8))
        #expect(await source.next(clock: clock) == Passkey(777_777))
        try pipe.fileHandleForWriting.close()
        #expect(await source.next(clock: clock) == nil)
    }

    @Test func `a descriptor of a file skips its old lines and leaves its position alone`() async throws {
        let path = try folder.write("passkey 111111\n", to: "console")
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let source = try PasskeySource("\(handle.fileDescriptor)")
        try append("888888\n", to: path)
        #expect(await source.next(clock: clock) == Passkey(888_888))
        #expect(try handle.offset() == 0)
    }

    @Test func `a line without end is no passkey line, and the next one counts`() async throws {
        let path = try folder.write("", to: "console")
        let source = try PasskeySource(path)
        try append(String(repeating: "x", count: 100_000) + " passkey 111111\n999999\n", to: path)
        #expect(await source.next(clock: clock) == Passkey(999_999))
    }

    @Test func `a cancelled wait ends`() async throws {
        let pipe = Pipe()
        let source = try PasskeySource("\(pipe.fileHandleForReading.fileDescriptor)")
        let clock = clock
        let next = Task { await source.next(clock: clock) }
        next.cancel()
        #expect(await next.value == nil)
        withExtendedLifetime(pipe) {}
    }

    @Test func `what cannot be a console is refused`() throws {
        #expect(throws: PasskeySource.Failure.cannotOpen(path: "/nowhere/x", errno: ENOENT)) {
            _ = try PasskeySource("/nowhere/x")
        }
        #expect(throws: PasskeySource.Failure.noSuchDescriptor(9999)) { _ = try PasskeySource("9999") }
        #expect(throws: PasskeySource.Failure.notAConsole("/dev/null")) { _ = try PasskeySource("/dev/null") }
        #expect(throws: PasskeySource.Failure.notAConsole(folder.path)) { _ = try PasskeySource(folder.path) }
    }
}
