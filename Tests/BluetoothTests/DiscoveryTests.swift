import Bluetooth
import DBus
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `Discovery` {
    private static let second = Ears.adapter + "/dev_24_0A_C4_00_11_33"
    private static let secondAddress = BluetoothAddress("24:0A:C4:00:11:33")!

    private func fixture(_ objects: ScriptedBlueZ.Objects = Ears.objects()) async throws -> Fixture {
        let fixture = try await Fixture(objects)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { fixture.bluez.script(member) }
        return fixture
    }

    private func sighting(
        _ address: BluetoothAddress = Ears.address, rssi: Int16? = nil, connected: Bool = false
    ) -> Sighting {
        Sighting(
            adapter: Ears.adapterName, address: address, name: "espurr-1122", rssi: rssi, isPaired: false,
            isBonded: false, isConnected: connected, services: [Ears.service])
    }

    @Test func `asks for the one service over LE, with duplicates`() async throws {
        let fixture = try await fixture()
        for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {
            await fixture.bluez.called("StartDiscovery")
            break
        }
        await fixture.bluez.called("StopDiscovery")
        #expect(fixture.bluez.members == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
        #expect(fixture.bluez.calls.allSatisfy { $0.member == "GetManagedObjects" || $0.path == Ears.adapter })
        #expect(
            fixture.bluez.calls[1].arguments == [
                .properties([
                    "UUIDs": .array(element: "s", [.string(Ears.service.description)]), "Transport": .string("le"),
                    "DuplicateData": .boolean(true),
                ])
            ])
        #expect(fixture.bluez.uuidsAsked == [Ears.service.description])
    }

    @Test func `known ones come first, then whatever is heard`() async throws {
        let fixture = try await fixture()
        var sightings = fixture.central.discover(Ears.service, on: Ears.adapterName).makeAsyncIterator()
        #expect(try await sightings.next() == sighting())
        await fixture.bluez.called("StartDiscovery")
        try await fixture.bluez.change(Ears.device, ["RSSI": .int16(-60)])
        #expect(try await sightings.next() == sighting(rssi: -60))
        var properties = Ears.deviceProperties(Self.secondAddress)
        properties["RSSI"] = .int16(-70)
        try await fixture.bluez.add(Self.second, "org.bluez.Device1", properties)
        #expect(try await sightings.next() == sighting(Self.secondAddress, rssi: -70))
        try await fixture.bluez.change(Ears.device, ["RSSI": .int16(-61)])
        #expect(try await sightings.next() == sighting(rssi: -61))
    }

    @Test func `a device that BlueZ holds connected leads, though a scan cannot hear it`() async throws {
        var objects = Ears.objects()
        objects[Self.second] = ["org.bluez.Device1": Ears.deviceProperties(connected: true, Self.secondAddress)]
        let fixture = try await fixture(objects)
        var sightings = fixture.central.discover(Ears.service, on: Ears.adapterName).makeAsyncIterator()
        #expect(try await sightings.next() == sighting(Self.secondAddress, connected: true))
        #expect(try await sightings.next() == sighting())
    }

    @Test func `what others scan for is passed over`() async throws {
        let fixture = try await fixture()
        var sightings = fixture.central.discover(Ears.service, on: Ears.adapterName).makeAsyncIterator()
        #expect(try await sightings.next() == sighting())
        await fixture.bluez.called("StartDiscovery")
        let other = Ears.deviceProperties(Self.secondAddress, services: [BluetoothUUID(assigned: 0x180f)])
        try await fixture.bluez.add(Self.second, "org.bluez.Device1", other)
        try await fixture.bluez.change(Ears.device, ["RSSI": .int16(-60)])
        #expect(try await sightings.next() == sighting(rssi: -60))
    }

    @Test func `each adapter has its own devices`() async throws {
        var objects = Ears.objects()
        let adapter = "/org/bluez/hci1"
        objects[adapter] = ["org.bluez.Adapter1": Ears.adapterProperties("00:1A:7D:DA:71:14")]
        let address = Self.secondAddress
        objects[adapter + "/dev_24_0A_C4_00_11_33"] = [
            "org.bluez.Device1": Ears.deviceProperties(address, on: adapter)
        ]
        let fixture = try await fixture(objects)
        let name = try #require(AdapterName("hci1"))
        #expect(try await fixture.central.known(with: Ears.service, on: name).map(\.address) == [address])
        #expect(
            try await fixture.central.known(with: Ears.service, on: nil).map(\.address) == [Ears.address, address])
        for try await sighting in fixture.central.discover(Ears.service, on: name) {
            #expect(sighting.adapter == name && sighting.address == address)
            await fixture.bluez.called("StartDiscovery")
            break
        }
        await fixture.bluez.called("StopDiscovery")
        #expect(fixture.bluez.calls.dropFirst().allSatisfy { $0.path == adapter })
    }

    @Test func `is stopped when its task is cancelled before BlueZ has answered`() async throws {
        let fixture = try await fixture([Ears.adapter: ["org.bluez.Adapter1": Ears.adapterProperties()]])
        fixture.bluez.script("StartDiscovery", .silence)
        let scan = Task {
            for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {}
        }
        await fixture.bluez.called("StartDiscovery")
        scan.cancel()
        await fixture.bluez.called("StopDiscovery")
        try await scan.value
    }

    @Test func `that was cancelled before it began is not stopped, and the adapter is free`() async throws {
        let fixture = try await fixture()
        fixture.bluez.script("SetDiscoveryFilter", .silence)
        let scan = Task {
            for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {}
        }
        await fixture.bluez.called("SetDiscoveryFilter")
        scan.cancel()
        try await scan.value
        fixture.bluez.script("SetDiscoveryFilter")
        for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {
            await fixture.bluez.called("StartDiscovery")
            break
        }
        await fixture.bluez.called("StopDiscovery")
        #expect(
            fixture.bluez.members
                == ["SetDiscoveryFilter", "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
    }

    @Test func `a second one on the adapter is busy, and free again once the first has stopped`() async throws {
        let fixture = try await fixture()
        var first: AsyncThrowingStream<Sighting, any Error>? = fixture.central.discover(
            Ears.service, on: Ears.adapterName)
        await fixture.bluez.called("StartDiscovery")
        await #expect(throws: BluetoothError.busy(.discover)) {
            for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {}
        }
        _ = first
        first = nil
        await fixture.bluez.called("StopDiscovery")
        for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {
            await fixture.bluez.called("StartDiscovery", times: 2)
            break
        }
        await fixture.bluez.called("StopDiscovery", times: 2)
    }

    @Test(arguments: [
        ("org.bluez.Error.InProgress", BluetoothError.busy(.discover)),
        ("org.bluez.Error.NotReady", .machine(.adapterOff(Ears.adapterName))),
        ("org.freedesktop.DBus.Error.AccessDenied", .notPermitted(operation: .discover)),
    ])
    func `that BlueZ refuses is an error`(_ name: String, _ error: BluetoothError) async throws {
        let fixture = try await fixture()
        fixture.bluez.script("StartDiscovery", .error(name: name, message: ""))
        await #expect(throws: error) {
            for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {}
        }
    }

    @Test func `that BlueZ does not answer is a silent daemon`() async throws {
        let fixture = try await fixture()
        fixture.bluez.script("SetDiscoveryFilter", .silence)
        let scan = Task {
            for try await _ in fixture.central.discover(Ears.service, on: Ears.adapterName) {}
        }
        await fixture.bluez.called("SetDiscoveryFilter")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(5))
        await #expect(throws: BluetoothError.machine(.daemonSilent(after: .seconds(5)))) { try await scan.value }
    }

    @Test func `ends when the adapter is switched off`() async throws {
        let fixture = try await fixture()
        var sightings = fixture.central.discover(Ears.service, on: Ears.adapterName).makeAsyncIterator()
        _ = try await sightings.next()
        await fixture.bluez.called("StartDiscovery")
        try await fixture.bluez.change(Ears.adapter, ["Powered": .boolean(false)], of: "org.bluez.Adapter1")
        await #expect(throws: BluetoothError.machine(.adapterOff(Ears.adapterName))) { try await sightings.next() }
    }

    @Test func `ends when BlueZ goes`() async throws {
        let fixture = try await fixture()
        var sightings = fixture.central.discover(Ears.service, on: Ears.adapterName).makeAsyncIterator()
        _ = try await sightings.next()
        await fixture.bluez.called("StartDiscovery")
        await fixture.bluez.connection.close()
        await #expect(throws: BluetoothError.machine(.noDaemon(.ended))) { try await sightings.next() }
    }
}
