import Bluetooth
import DBus
import TestSupport
import Testing

/// Failures of BlueZ's that a person has to tell apart.
extension `Pairing` {
    @Test func `that is refused here`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { _, ask in
            let reply = await ask("RequestConfirmation", Self.confirmation)
            #expect(reply == .failure(.remote(name: "org.bluez.Error.Rejected", message: "")))
            return Self.refused("AuthenticationFailed")
        }
        #expect(await pair(fixture, Person(says: false)) == .pairing(.rejectedHere))
        #expect(fixture.bluez.members == ["RegisterAgent", "Pair", "UnregisterAgent"])
    }

    @Test func `that the peripheral refuses`() async throws {
        let fixture = try await fixture(settle: .zero)
        scriptPair(fixture) { _, ask in
            _ = await ask("RequestConfirmation", Self.confirmation)
            return Self.refused("AuthenticationFailed")
        }
        #expect(await pair(fixture, Person(says: true)) == .pairing(.rejectedByPeripheral))
    }

    @Test func `that nobody answers on the peripheral`() async throws {
        let fixture = try await fixture(settle: .zero)
        let clock = fixture.clock
        scriptPair(fixture) { _, ask in
            _ = await ask("RequestConfirmation", Self.confirmation)
            clock.advance(by: .seconds(32))
            return Self.refused("AuthenticationCanceled")
        }
        #expect(await pair(fixture, Person(says: true)) == .pairing(.timedOut))
    }

    @Test func `that nobody answers here is taken back by BlueZ`() async throws {
        let fixture = try await fixture(settle: .zero)
        let clock = fixture.clock
        let person = Person.absent
        scriptPair(fixture) { _, ask in
            async let reply = ask("RequestConfirmation", Self.confirmation)
            await person.isAsked()
            clock.advance(by: .seconds(32))
            let cancelled = await ask("Cancel", [])
            #expect(cancelled == .success([]))
            let answer = await reply
            #expect(answer == .failure(.remote(name: "org.bluez.Error.Canceled", message: "")))
            return Self.refused("AuthenticationCanceled")
        }
        #expect(await pair(fixture, person) == .pairing(.timedOut))
    }

    @Test func `whose link drops`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { bluez, ask in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            _ = await ask("RequestConfirmation", Self.confirmation)
            try? await bluez.change(Ears.device, ["Connected": .boolean(false)])
            return Self.refused("AuthenticationCanceled")
        }
        #expect(await pair(fixture, Person(says: true)) == .pairing(.linkLost))
    }

    @Test func `of a device that BlueZ holds for paired does not reach BlueZ`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true))
        #expect(await pair(fixture, Person(says: true)) == .pairing(.alreadyPaired))
        #expect(fixture.bluez.members == [])
    }

    @Test func `that failed and left a bond all the same leaves none`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { bluez, _ in
            _ = await Self.bond(bluez)
            // Once the central has seen the bond, the error comes.
            await fixture.seesBond()
            return Self.refused("AuthenticationFailed")
        }
        fixture.bluez.script("RemoveDevice")
        #expect(await pair(fixture, Person(says: true)) == .pairing(.rejectedByPeripheral))
        #expect(fixture.bluez.members == ["RegisterAgent", "Pair", "RemoveDevice", "UnregisterAgent"])
    }

    @Test(arguments: [("AlreadyExists", PairingFailure.alreadyPaired), ("InProgress", .inProgress)])
    func `that another program was quicker with leaves that program's bond`(
        _ name: String, _ failure: PairingFailure
    ) async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { bluez, _ in
            _ = await Self.bond(bluez)
            await fixture.seesBond()
            return Self.refused(name)
        }
        #expect(await pair(fixture, Person(says: true)) == .pairing(failure))
        #expect(fixture.bluez.members == ["RegisterAgent", "Pair", "UnregisterAgent"])
    }

    @Test func `of an unknown device`() async throws {
        let fixture = try await Fixture([Ears.adapter: ["org.bluez.Adapter1": Ears.adapterProperties()]])
        #expect(await pair(fixture, Person(says: true)) == .unknownDevice(Ears.address))
        #expect(fixture.bluez.members == [])
    }

    @Test(arguments: [
        ("org.bluez.Error.AlreadyExists", BluetoothError.pairing(.inProgress)),
        ("org.bluez.Error.InvalidArguments", .pairing(.agentRefused(reason: "org.bluez.Error.InvalidArguments"))),
        ("org.freedesktop.DBus.Error.AccessDenied", .notPermitted(operation: .pair)),
    ])
    func `without an agent does not begin`(_ name: String, _ error: BluetoothError) async throws {
        let fixture = try await fixture()
        fixture.bluez.script("RegisterAgent", .error(name: name, message: ""))
        #expect(await pair(fixture, Person(says: true)) == error)
        #expect(fixture.bluez.members == ["RegisterAgent", "UnregisterAgent"])
    }

    @Test func `with a daemon that does not take the agent is with a silent daemon`() async throws {
        let fixture = try await fixture()
        fixture.bluez.script("RegisterAgent", .silence)
        async let error = pair(fixture, Person(says: true))
        await fixture.bluez.called("RegisterAgent")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(5))
        #expect(await error == .machine(.daemonSilent(after: .seconds(5))))
        #expect(fixture.bluez.members == ["RegisterAgent", "UnregisterAgent"])
    }
}
