import Bluetooth
import DBus
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `Connecting` {
    private static let abort = "le-connection-abort-by-local"

    private func connect(_ fixture: Fixture, within limit: Duration = .seconds(60)) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await fixture.central.connect(to: Ears.address, on: Ears.adapterName, deadline: limit)
        }
    }

    @Test func `waits for the services after the link`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            return .values([])
        }
        async let connected = fixture.central.connect(
            to: Ears.address, on: Ears.adapterName, deadline: .seconds(30))
        await bluez.called("Connect")
        try await bluez.change(Ears.device, ["ServicesResolved": .boolean(true)])
        let peripheral = try await connected
        #expect(peripheral.address == Ears.address && peripheral.adapter == Ears.adapterName)
        #expect(bluez.members == ["Connect"])
        #expect(bluez.calls.last?.path == Ears.device)
        bluez.script("Get", .values([.variant(.uint16(517))]))
        #expect(try await peripheral.characteristics(of: Ears.service) == [Ears.characteristic])
    }

    @Test func `what is connected is taken as it is`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        #expect(try await peripheral.isBonded())
        #expect(fixture.bluez.members == [])
    }

    @Test func `what BlueZ is connecting by itself is waited for`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect", error: "InProgress")
        async let connected = fixture.central.connect(
            to: Ears.address, on: Ears.adapterName, deadline: .seconds(30))
        await bluez.called("Connect")
        try await bluez.change(Ears.device, ["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
        #expect(try await connected.address == Ears.address)
    }

    @Test func `what others go on connecting in vain is busy`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script("Connect", error: "InProgress")
        async let error = connect(fixture, within: .seconds(20))
        await fixture.bluez.called("Connect")
        // The deadline of the answered call, and the wait for the link.
        try await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .seconds(20))
        #expect(await error == .busy(.connect))
    }

    @Test func `a device that BlueZ does not know`() async throws {
        let fixture = try await Fixture([Ears.adapter: ["org.bluez.Adapter1": Ears.adapterProperties()]])
        #expect(await connect(fixture) == .unknownDevice(Ears.address))
    }

    @Test func `a device on the other adapter is not this one`() async throws {
        var objects = Ears.objects()
        objects["/org/bluez/hci1"] = ["org.bluez.Adapter1": Ears.adapterProperties("00:1A:7D:DA:71:14")]
        let fixture = try await Fixture(objects)
        let other = try #require(AdapterName("hci1"))
        #expect(
            await failure { () throws(BluetoothError) in
                try await fixture.central.connect(to: Ears.address, on: other, deadline: .seconds(1))
            } == .unknownDevice(Ears.address))
    }

    @Test(arguments: [
        (true, BluetoothError.staleBond(Ears.address)), (false, .connectFailed(.aborted(reason: abort))),
    ])
    func `a link that flickers is a stale bond where there is one`(
        _ bonded: Bool, _ error: BluetoothError
    ) async throws {
        let fixture = try await Fixture(Ears.objects(bonded: bonded))
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            try? await bluez.change(Ears.device, ["Connected": .boolean(false)])
            return .error(name: "org.bluez.Error.Failed", message: Self.abort)
        }
        #expect(await connect(fixture) == error)
        #expect(bluez.members == ["Connect"])
    }

    @Test func `the flicker may be reported after the error`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true))
        let bluez = fixture.bluez
        bluez.script("Connect", error: "Failed", "br-connection-canceled")
        async let error = connect(fixture)
        await bluez.called("Connect")
        try await bluez.change(Ears.device, ["Connected": .boolean(true)])
        try await bluez.change(Ears.device, ["Connected": .boolean(false)])
        #expect(await error == .staleBond(Ears.address))
    }

    @Test func `absent ears are told from a stale bond by the time`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true), settle: .zero)
        let clock = fixture.clock
        fixture.bluez.script("Connect") { _ in
            clock.advance(by: .seconds(41))
            return .error(name: "org.bluez.Error.Failed", message: Self.abort)
        }
        fixture.bluez.script("Disconnect", error: "NotConnected")
        #expect(await connect(fixture) == .connectFailed(.notInRange))
    }

    @Test func `ears that do not answer within the deadline are not in range, and BlueZ is told to stop`() async throws
    {
        let fixture = try await Fixture()
        fixture.bluez.script("Connect", .silence)
        fixture.bluez.script("Disconnect")
        async let error = connect(fixture, within: .seconds(20))
        await fixture.bluez.called("Connect")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(20))
        #expect(await error == .connectFailed(.notInRange))
        #expect(fixture.bluez.members == ["Connect", "Disconnect"])
    }

    @Test func `services that are not resolved in time end the link again`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            return .values([])
        }
        bluez.script("Disconnect")
        async let error = connect(fixture, within: .seconds(20))
        await bluez.called("Connect")
        // The deadline of the answered call, and the wait for the services.
        try await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .seconds(20))
        #expect(await error == .deadline(.resolveServices, after: .seconds(20)))
        #expect(bluez.members == ["Connect", "Disconnect"])
    }

    @Test func `a link that drops before the services are resolved is lost`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            try? await bluez.change(Ears.device, ["Connected": .boolean(false)])
            return .values([])
        }
        #expect(await connect(fixture) == .linkLost(during: .resolveServices))
    }

    @Test func `a device that BlueZ forgets meanwhile is unknown`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.remove(Ears.device)
            return .values([])
        }
        #expect(await connect(fixture) == .unknownDevice(Ears.address))
    }

    @Test func `a daemon that ends meanwhile is no daemon`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            await bluez.connection.close()
            return .silence
        }
        #expect(await connect(fixture) == .machine(.noDaemon(.ended)))
    }

    @Test(arguments: [
        ("NotReady", BluetoothError.machine(.adapterOff(Ears.adapterName))),
        ("NotAuthorized", .notPermitted(operation: .connect)), ("DoesNotExist", .unknownDevice(Ears.address)),
    ])
    func `that BlueZ refuses is an error`(_ name: String, _ error: BluetoothError) async throws {
        let fixture = try await Fixture(settle: .zero)
        fixture.bluez.script("Connect", error: name)
        #expect(await connect(fixture) == error)
    }

    @Test func `a cancelled attempt is called off`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script("Connect", .silence)
        fixture.bluez.script("Disconnect")
        let attempt = Task { await connect(fixture) }
        await fixture.bluez.called("Connect")
        attempt.cancel()
        #expect(await attempt.value == .cancelled)
        #expect(fixture.bluez.members == ["Connect", "Disconnect"])
    }

    @Test func `cancelled while the services are resolved, the link is ended`() async throws {
        let fixture = try await Fixture()
        let bluez = fixture.bluez
        bluez.script("Connect") { _ in
            try? await bluez.change(Ears.device, ["Connected": .boolean(true)])
            return .values([])
        }
        bluez.script("Disconnect")
        let attempt = Task { await connect(fixture) }
        await bluez.called("Connect")
        try await fixture.clock.sleepers(2)
        attempt.cancel()
        #expect(await attempt.value == .cancelled)
        #expect(bluez.members == ["Connect", "Disconnect"])
    }

    @Test func `a link of others is not ended by a cancel`() async throws {
        var objects = Ears.objects(connected: true)
        objects[Ears.device]?["org.bluez.Device1"]?["ServicesResolved"] = .boolean(false)
        let fixture = try await Fixture(objects)
        let attempt = Task { await connect(fixture) }
        await fixture.bluez.called("GetManagedObjects")
        try await fixture.clock.sleepers(2)
        attempt.cancel()
        #expect(await attempt.value == .cancelled)
        #expect(fixture.bluez.members == [])
    }

    @Test func `cancelled before the daemon has answered, it ends at once`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script("GetManagedObjects", .silence)
        let attempt = Task { await connect(fixture) }
        await fixture.bluez.called("GetManagedObjects")
        attempt.cancel()
        #expect(await attempt.value == .cancelled)
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct `Removing a bond` {
    private func remove(_ fixture: Fixture) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await fixture.central.removeBond(of: Ears.address, on: Ears.adapterName)
        }
    }

    @Test func `asks the adapter, and the device is gone at once`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true))
        fixture.bluez.script("RemoveDevice")
        #expect(await remove(fixture) == nil)
        #expect(fixture.bluez.calls.last?.path == Ears.adapter)
        #expect(fixture.bluez.calls.last?.arguments == [.objectPath(Ears.device)])
        #expect(try await fixture.central.known(with: Ears.service, on: nil) == [])
        #expect(await remove(fixture) == .unknownDevice(Ears.address))
    }

    @Test func `that is not there any more`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true))
        fixture.bluez.script("RemoveDevice", error: "DoesNotExist")
        #expect(await remove(fixture) == .unknownDevice(Ears.address))
    }

    @Test func `that is not allowed`() async throws {
        let fixture = try await Fixture(Ears.objects(bonded: true))
        fixture.bluez.script(
            "RemoveDevice", .error(name: "org.freedesktop.DBus.Error.AccessDenied", message: "policy"))
        #expect(await remove(fixture) == .notPermitted(operation: .removeBond))
    }
}
