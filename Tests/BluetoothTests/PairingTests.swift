import Bluetooth
import DBus
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `Pairing` {
    typealias Reply = Result<[DBusValue], DBusError>

    func fixture(settle: Duration = .milliseconds(500)) async throws -> Fixture {
        let fixture = try await Fixture(settle: settle)
        fixture.bluez.script("RegisterAgent")
        fixture.bluez.script("UnregisterAgent")
        return fixture
    }

    func pair(
        _ fixture: Fixture, _ person: Person, within limit: Duration = .seconds(120)
    ) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await fixture.central.pair(with: Ears.address, on: Ears.adapterName, deadline: limit) {
                await person.confirm($0)
            }
        }
    }

    /// Scripts `Pair`: `script` may ask the agent by the closure it is given.
    func scriptPair(
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

    static func bond(_ bluez: ScriptedBlueZ) async -> MethodAnswer {
        try? await bluez.change(
            Ears.device,
            [
                "Connected": .boolean(true), "ServicesResolved": .boolean(true), "Paired": .boolean(true),
                "Bonded": .boolean(true),
            ])
        return .values([])
    }

    static func refused(_ name: String) -> MethodAnswer {
        .error(name: "org.bluez.Error." + name, message: "")
    }

    static let confirmation: [DBusValue] = [.objectPath(Ears.device), .uint32(4711)]

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

    @Test func `of a device with a private address gives the identity that the bond tells`() async throws {
        let fixture = try await fixture()
        let identity = try #require(BluetoothAddress("24:0A:C4:77:88:99"))
        scriptPair(fixture) { bluez, ask in
            _ = await ask("RequestConfirmation", Self.confirmation)
            try? await bluez.change(Ears.device, ["Address": .string(identity.description)])
            return await Self.bond(bluez)
        }
        let person = Person(says: true)
        let found = try await fixture.central.pair(
            with: Ears.address, on: Ears.adapterName, deadline: .seconds(120)
        ) { await person.confirm($0) }
        #expect(found == identity)
        #expect(try await fixture.central.known(with: Ears.service, on: nil).map(\.address) == [identity])
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
}
