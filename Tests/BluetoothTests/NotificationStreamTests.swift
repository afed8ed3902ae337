import Bluetooth
import DBus
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `A stream of notifications` {
    private func end(of stream: any NotificationStream) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in try await stream.next(deadline: .seconds(5)) }
    }

    @Test func `gives what comes, in order, an empty one too`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        let sent: [[UInt8]] = [[1], [], [3, 3], [UInt8](repeating: 4, count: 514)]
        for value in sent { fixture.end.send(value) }
        for value in sent { #expect(try await stream.next(deadline: .seconds(5)) == value) }
        #expect(stream.maximumLength == 514)
        let call = try #require(fixture.fixture.bluez.calls.last)
        #expect(call.member == "AcquireNotify" && call.path == Ears.characteristicObject)
    }

    @Test func `one that is waited for comes when it comes`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        async let value = stream.next(deadline: .seconds(5))
        try await fixture.isWaiting()
        fixture.end.send([7])
        #expect(try await value == [7])
    }

    @Test func `a deadline takes nothing out`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        async let late = end(of: stream)
        try await fixture.isWaiting()
        fixture.fixture.clock.advance(by: .seconds(5))
        #expect(await late == .deadline(.awaitNotification, after: .seconds(5)))
        fixture.end.send([7])
        #expect(try await stream.next(deadline: .seconds(5)) == [7])
    }

    @Test func `a cancel ends the wait, and takes nothing out`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        let waiting = Task { await end(of: stream) }
        try await fixture.isWaiting()
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        fixture.end.send([7])
        #expect(try await stream.next(deadline: .seconds(5)) == [7])
    }

    @Test func `is drained though nobody waits: more come than the descriptor holds`() async throws {
        let fixture = try await StreamFixture(unread: 2000)
        let stream = try await fixture.openNotifications()
        var sent = 0
        // What does not fit is dropped, as BlueZ drops it: so only what was taken counts.
        while sent < 2000 {
            if fixture.end.send([UInt8](repeating: UInt8(sent % 251), count: 509)) {
                sent += 1
            } else {
                await Task.yield()
            }
        }
        for number in 0..<2000 {
            #expect(try await stream.next(deadline: .seconds(5)) == [UInt8](repeating: UInt8(number % 251), count: 509))
        }
    }

    @Test func `more unread ones than the limit end it: those before are given, then the loss is told`() async throws {
        let fixture = try await StreamFixture(unread: 3)
        let stream = try await fixture.openNotifications()
        for number in UInt8(1)...4 { fixture.end.send([number]) }
        #expect(fixture.end.isReleased)
        for number in UInt8(1)...3 { #expect(try await stream.next(deadline: .seconds(5)) == [number]) }
        for _ in 0..<2 { #expect(await end(of: stream) == .notificationsLost(limit: 3)) }
    }

    @Test func `what came before the link was lost is given, then the loss is told`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        fixture.end.send([1])
        try await fixture.loseLink()
        #expect(try await stream.next(deadline: .seconds(5)) == [1])
        for _ in 0..<2 { #expect(await end(of: stream) == .linkLost(during: .awaitNotification)) }
    }

    @Test func `a lost link ends the wait`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        async let waiting = end(of: stream)
        try await fixture.isWaiting()
        try await fixture.loseLink()
        #expect(await waiting == .linkLost(during: .awaitNotification))
    }

    @Test func `a packet longer than the link carries is not cut in silence`() async throws {
        let fixture = try await StreamFixture(mtu: 23)
        let stream = try await fixture.openNotifications()
        fixture.end.send([UInt8](repeating: 1, count: 21))
        #expect(
            await end(of: stream) == .unexpected(name: "packet", message: "21 bytes", during: .awaitNotification))
    }

    @Test func `closing ends the subscription and the wait`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openNotifications()
        async let waiting = end(of: stream)
        try await fixture.isWaiting()
        await stream.close()
        #expect(await waiting == .cancelled)
        #expect(fixture.end.isReleased)
    }

    @Test func `a stream that nobody holds any more ends the subscription`() async throws {
        let fixture = try await StreamFixture()
        _ = try await fixture.openNotifications()
        #expect(fixture.end.isReleased)
    }

    @Test func `one that somebody has already is held`() async throws {
        let fixture = try await StreamFixture()
        let first = try await fixture.openNotifications()
        defer { withExtendedLifetime(first) {} }
        #expect(
            await failure { () throws(BluetoothError) in try await fixture.openNotifications() }
                == .heldByOthers(Ears.address))
    }
}
