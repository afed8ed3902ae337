import Bluetooth
import DBus
import Synchronization
import TestSupport
import Testing

/// What a deadline or a cancel leaves behind.
extension `Pairing` {
    @Test func `that outlasts its deadline leaves nothing`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { _, _ in .silence }
        fixture.bluez.script("CancelPairing")
        fixture.bluez.script("RemoveDevice")
        async let error = pair(fixture, Person(says: true), within: .seconds(20))
        await fixture.bluez.called("Pair")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(20))
        #expect(await error == .deadline(.pair, after: .seconds(20)))
        #expect(
            fixture.bluez.members == ["RegisterAgent", "Pair", "CancelPairing", "RemoveDevice", "UnregisterAgent"])
    }

    @Test func `cancelled while the digits are compared leaves nothing, and no answer counts`() async throws {
        let fixture = try await fixture()
        let person = Person.absent
        let replies = Mutex<[Reply]>([])
        scriptPair(fixture) { _, ask in
            let reply = await ask("RequestConfirmation", Self.confirmation)
            replies.withLock { $0.append(reply) }
            return Self.refused("AuthenticationCanceled")
        }
        fixture.bluez.script("CancelPairing")
        fixture.bluez.script("RemoveDevice")
        let pairing = Task { await pair(fixture, person) }
        await person.isAsked()
        pairing.cancel()
        #expect(await pairing.value == .cancelled)
        #expect(
            fixture.bluez.members == ["RegisterAgent", "Pair", "CancelPairing", "RemoveDevice", "UnregisterAgent"])
        #expect(!replies.withLock { $0.contains(.success([])) })
    }

    @Test func `cancelled while the agent is registered takes the agent back`() async throws {
        let fixture = try await fixture()
        fixture.bluez.script("RegisterAgent", .silence)
        let pairing = Task { await pair(fixture, Person(says: true)) }
        await fixture.bluez.called("RegisterAgent")
        pairing.cancel()
        #expect(await pairing.value == .cancelled)
        #expect(fixture.bluez.members == ["RegisterAgent", "UnregisterAgent"])
    }

    @Test func `cancelled with a daemon that stopped answering ends within bounds`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { _, _ in .silence }
        for member in ["CancelPairing", "RemoveDevice", "UnregisterAgent"] { fixture.bluez.script(member, .silence) }
        let pairing = Task { await pair(fixture, Person(says: true)) }
        await fixture.bluez.called("Pair")
        pairing.cancel()
        for member in ["CancelPairing", "RemoveDevice", "UnregisterAgent"] {
            await fixture.bluez.called(member)
            try await fixture.clock.sleepers(1)
            fixture.clock.advance(by: .seconds(4))
        }
        #expect(await pairing.value == .cancelled)
    }

    @Test func `with a daemon that ends meanwhile`() async throws {
        let fixture = try await fixture(settle: .zero)
        scriptPair(fixture) { bluez, _ in
            await bluez.connection.close()
            return .silence
        }
        #expect(await pair(fixture, Person(says: true)) == .machine(.noDaemon(.ended)))
    }
}
