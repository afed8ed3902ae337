import Bluetooth
import DBus
import Synchronization
import TestSupport
import Testing

/// What the person at the terminal was shown, and says.
private final class Person: Sendable {
    /// Every passkey, as soon as it is shown.
    let shown: AsyncStream<Passkey>
    private let show: AsyncStream<Passkey>.Continuation
    private let answer: @Sendable () async -> Bool
    private let seen = Mutex<[Passkey]>([])

    private init(_ answer: @escaping @Sendable () async -> Bool) {
        self.answer = answer
        (shown, show) = AsyncStream.makeStream(of: Passkey.self)
    }

    convenience init(says answer: Bool) { self.init { answer } }

    /// Says nothing until the question is taken back, and then yes.
    static var absent: Person {
        Person {
            let (never, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            return true
        }
    }

    var passkeys: [String] { seen.withLock { $0.map(\.description) } }

    /// Returns once a passkey is shown.
    func isAsked() async {
        for await _ in shown { return }
    }

    func confirm(_ passkey: Passkey) async -> Bool {
        seen.withLock { $0.append(passkey) }
        show.yield(passkey)
        return await answer()
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct `Pairing` {
    typealias Reply = Result<[DBusValue], DBusError>

    private func fixture(settle: Duration = .milliseconds(500)) async throws -> Fixture {
        let fixture = try await Fixture(settle: settle)
        fixture.bluez.script("RegisterAgent")
        fixture.bluez.script("UnregisterAgent")
        return fixture
    }

    private func pair(
        _ fixture: Fixture, _ person: Person, within limit: Duration = .seconds(120)
    ) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await fixture.central.pair(with: Ears.address, on: Ears.adapterName, deadline: limit) {
                await person.confirm($0)
            }
        }
    }

    /// Scripts `Pair`: `script` may ask the agent by the closure it is given.
    private func scriptPair(
        _ fixture: Fixture,
        _ script:
            @escaping @Sendable (
                ScriptedBlueZ, _ ask: @Sendable (String, [DBusValue]) async -> Reply
            ) async -> MethodAnswer
    ) {
        let bluez = fixture.bluez
        bluez.script("Pair") { call in
            let agent = bluez.calls.last { $0.member == "RegisterAgent" }
            guard case .objectPath(let path)? = agent?.arguments.first else { return .silence }
            return await script(bluez) { await bluez.ask($0, of: call, agent: path, $1) }
        }
    }

    private static func bond(_ bluez: ScriptedBlueZ) async -> MethodAnswer {
        try? await bluez.change(
            Ears.device,
            [
                "Connected": .boolean(true), "ServicesResolved": .boolean(true), "Paired": .boolean(true),
                "Bonded": .boolean(true),
            ])
        return .values([])
    }

    private static func refused(_ name: String) -> MethodAnswer {
        .error(name: "org.bluez.Error." + name, message: "")
    }

    private static let confirmation: [DBusValue] = [.objectPath(Ears.device), .uint32(4711)]

    // MARK: It works

    @Test func `is by comparing six digits with an agent that is not the default one`() async throws {
        let fixture = try await fixture()
        let person = Person(says: true)
        scriptPair(fixture) { bluez, ask in
            guard case .success([]) = await ask("RequestConfirmation", Self.confirmation) else {
                return Self.refused("AuthenticationFailed")
            }
            return await Self.bond(bluez)
        }
        #expect(await pair(fixture, person) == nil)
        #expect(person.passkeys == ["004711"])
        #expect(fixture.bluez.members == ["RegisterAgent", "Pair", "UnregisterAgent"])
        let registration = try #require(fixture.bluez.calls.first { $0.member == "RegisterAgent" })
        #expect(registration.path == "/org/bluez" && registration.arguments.last == .string("DisplayYesNo"))
        #expect(fixture.bluez.calls.last?.arguments == [registration.arguments[0]])
        #expect(try await fixture.central.known(with: Ears.service, on: nil).map(\.isBonded) == [true])
    }

    @Test func `two in a row have agents at different paths`() async throws {
        let fixture = try await fixture()
        fixture.bluez.script("Pair", error: "InProgress")
        #expect(await pair(fixture, Person(says: true)) == .pairing(.inProgress))
        #expect(await pair(fixture, Person(says: true)) == .pairing(.inProgress))
        let paths = fixture.bluez.calls.filter { $0.member == "RegisterAgent" }.map { $0.arguments[0] }
        #expect(Set(paths).count == 2)
    }

    // MARK: Downgrade

    @Test func `that asked nobody has failed, and its bond is removed at once`() async throws {
        let fixture = try await fixture()
        let person = Person(says: true)
        scriptPair(fixture) { bluez, _ in await Self.bond(bluez) }
        fixture.bluez.script("RemoveDevice")
        #expect(await pair(fixture, person) == .pairing(.downgraded))
        #expect(person.passkeys == [])
        #expect(fixture.bluez.members == ["RegisterAgent", "Pair", "RemoveDevice", "UnregisterAgent"])
        #expect(fixture.bluez.calls.first { $0.member == "RemoveDevice" }?.arguments == [.objectPath(Ears.device)])
    }

    @Test func `whose unproved bond cannot be removed says so`() async throws {
        let fixture = try await fixture()
        scriptPair(fixture) { bluez, _ in await Self.bond(bluez) }
        fixture.bluez.script("RemoveDevice", error: "Failed", "busy")
        #expect(
            await pair(fixture, Person(says: true))
                == .unexpected(name: "org.bluez.Error.Failed", message: "busy", during: .removeBond))
    }

    @Test(
        arguments: [
            ("RequestAuthorization", [.objectPath(Ears.device)]), ("RequestPasskey", [.objectPath(Ears.device)]),
            ("RequestPinCode", [.objectPath(Ears.device)]),
            ("DisplayPasskey", [.objectPath(Ears.device), .uint32(1), .uint16(0)]),
            ("DisplayPinCode", [.objectPath(Ears.device), .string("000000")]),
            ("AuthorizeService", [.objectPath(Ears.device), .string(Ears.service.description)]),
            ("RequestConfirmation", [.objectPath(Ears.device), .uint32(1_000_000)]),
            ("RequestConfirmation", [.objectPath(Ears.device)]), ("RequestNovelty", [.objectPath(Ears.device)]),
        ] as [(String, [DBusValue])])
    func `in another way is rejected`(_ member: String, _ arguments: [DBusValue]) async throws {
        let fixture = try await fixture()
        let person = Person(says: true)
        scriptPair(fixture) { _, ask in
            let reply = await ask(member, arguments)
            #expect(reply == .failure(.remote(name: "org.bluez.Error.Rejected", message: "")))
            return Self.refused("AuthenticationFailed")
        }
        #expect(await pair(fixture, person) == .pairing(.downgraded))
        #expect(person.passkeys == [])
    }

    @Test func `of another device is not confirmed, and does not count for this one`() async throws {
        let fixture = try await fixture()
        let person = Person(says: true)
        scriptPair(fixture) { bluez, ask in
            let other = DBusValue.objectPath(Ears.adapter + "/dev_11_11_11_11_11_11")
            let reply = await ask("RequestConfirmation", [other, .uint32(1)])
            #expect(reply == .failure(.remote(name: "org.bluez.Error.Rejected", message: "")))
            return await Self.bond(bluez)
        }
        fixture.bluez.script("RemoveDevice")
        #expect(await pair(fixture, person) == .pairing(.downgraded))
        #expect(person.passkeys == [])
    }

    @Test func `is confirmed to BlueZ only`() async throws {
        let fixture = try await fixture()
        let person = Person(says: true)
        let address = fixture.bus.address
        let bluez = fixture.bluez
        bluez.script("Pair") { call in
            guard case .objectPath(let agent)? = bluez.calls.last(where: { $0.member == "RegisterAgent" })?.arguments[0]
            else { return .silence }
            do {
                let stranger = try await BusConnection(to: .explicit(address), deadline: .seconds(10))
                let request = MethodCall(
                    "RequestConfirmation", of: "org.bluez.Agent1", at: agent, to: call.sender, Self.confirmation)
                _ = try await stranger.call(request, deadline: .seconds(10))
                Issue.record("a stranger was answered")
            } catch {
                #expect(
                    error as? DBusError
                        == .remote(name: "org.freedesktop.DBus.Error.AccessDenied", message: ""))
            }
            return Self.refused("AuthenticationFailed")
        }
        #expect(await pair(fixture, person) == .pairing(.rejectedByPeripheral))
        #expect(person.passkeys == [])
    }

    // MARK: Failures told apart

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

    // MARK: Deadline and cancel

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
        #expect(await pair(fixture, Person(says: true)) == .machine(.noDaemon))
    }
}
