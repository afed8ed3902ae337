import Bluetooth
import DBus
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `The state of this machine` {
    @Test func `no bus`() async throws {
        let central = BlueZCentral(busAddress: "unix:path=/nonexistent/bus")
        let error = await failure { () throws(BluetoothError) in try await central.adapters() }
        guard case .machine(.noBus(let address, let reason)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(address == "unix:path=/nonexistent/bus")
        #expect(!reason.isEmpty)
    }

    @Test func `a bus that does not let this user in`() async throws {
        let bus = try PrivateBus(policy: #"<deny user="*"/>"#)
        let central = BlueZCentral(busAddress: bus.address)
        #expect(
            await failure { () throws(BluetoothError) in try await central.adapters() }
                == .machine(.busNotPermitted(address: bus.address)))
    }

    @Test func `no daemon`() async throws {
        let bus = try PrivateBus()
        let central = BlueZCentral(busAddress: bus.address, clock: TestClock())
        #expect(
            await failure { () throws(BluetoothError) in try await central.adapters() }
                == .machine(.noDaemon(.notInstalled)))
    }

    @Test func `a daemon that could be started and never comes is not started`() async throws {
        let folder = try TemporaryFolder()
        let bus = try PrivateBus(activatable: [
            PrivateBus.ActivatableService(name: "org.bluez", command: "/usr/bin/touch \(folder.path)/started")
        ])
        let central = BlueZCentral(busAddress: bus.address, clock: TestClock())
        #expect(
            await failure { () throws(BluetoothError) in try await central.adapters() }
                == .machine(.noDaemon(.notRunning)))
        #expect(access(folder.path + "/started", F_OK) != 0)
    }

    @Test func `a daemon that is silent is given its deadline and no more`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script("GetManagedObjects", .silence)
        async let error = failure { () throws(BluetoothError) in try await fixture.central.adapters() }
        await fixture.bluez.called("GetManagedObjects")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(5))
        #expect(await error == .machine(.daemonSilent(after: .seconds(5))))
    }

    @Test func `a daemon that does not talk to this user`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script(
            "GetManagedObjects", .error(name: "org.freedesktop.DBus.Error.AccessDenied", message: "policy"))
        #expect(
            await failure { () throws(BluetoothError) in try await fixture.central.adapters() }
                == .notPermitted(operation: .openBus))
    }

    @Test func `no adapter is an answer of the list, and an error of what needs one`() async throws {
        let fixture = try await Fixture([:])
        #expect(try await fixture.central.adapters() == [])
        #expect(try await fixture.central.known(with: Ears.service, on: nil) == [])
        #expect(await connectError(fixture) == .machine(.noAdapter))
    }

    @Test func `another adapter than the one asked for`() async throws {
        let fixture = try await Fixture()
        let absent = try #require(AdapterName("hci7"))
        let expected = BluetoothError.machine(.noSuchAdapter(absent, present: [Ears.adapterName]))
        #expect(await connectError(fixture, on: absent) == expected)
        #expect(
            await failure { () throws(BluetoothError) in
                try await fixture.central.known(with: Ears.service, on: absent)
            } == expected)
    }

    @Test(arguments: [
        ("off", MachineState.adapterOff(Ears.adapterName)),
        ("off-blocked", .adapterBlocked(Ears.adapterName, by: .unknown)),
    ])
    func `an adapter without power`(_ powerState: String, _ state: MachineState) async throws {
        var objects = Ears.objects()
        objects[Ears.adapter]?["org.bluez.Adapter1"]?["Powered"] = .boolean(false)
        objects[Ears.adapter]?["org.bluez.Adapter1"]?["PowerState"] = .string(powerState)
        let fixture = try await Fixture(objects)
        #expect(await connectError(fixture) == .machine(state))
        #expect(
            await failure { () throws(BluetoothError) in
                try await fixture.central.removeBond(of: Ears.address, on: Ears.adapterName)
            } == .machine(state))
        #expect(fixture.bluez.members == [])
        #expect(try await fixture.central.adapters().map(\.isBlocked) == [powerState == "off-blocked"])
    }

    @Test func `adapters are listed in the order of their numbers`() async throws {
        let names = ["hci10", "hci2", "hci0"]
        let objects = names.map { ("/org/bluez/" + $0, ["org.bluez.Adapter1": Ears.adapterProperties()]) }
        let fixture = try await Fixture(Dictionary(uniqueKeysWithValues: objects))
        #expect(try await fixture.central.adapters().map(\.name.description) == ["hci0", "hci2", "hci10"])
    }

    @Test func `a daemon that was started anew is found again`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        await fixture.bluez.connection.close()
        await peripheral.linkEnded()
        #expect(
            await failure { () throws(BluetoothError) in try await fixture.central.adapters() }
                == .machine(.noDaemon(.notInstalled)))
        let again = try await ScriptedBlueZ(on: fixture.bus.address, objects: [:])
        #expect(try await fixture.central.adapters() == [])
        #expect(again.calls.map(\.member) == ["GetManagedObjects"])
    }

    @Test func `a bus that ended is opened again`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bus.stop()
        await peripheral.linkEnded()
        let error = await failure { () throws(BluetoothError) in try await fixture.central.adapters() }
        guard case .machine(.noBus(fixture.bus.address, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private func connectError(_ fixture: Fixture, on adapter: AdapterName = Ears.adapterName) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await fixture.central.connect(to: Ears.address, on: adapter, deadline: .seconds(30))
        }
    }
}
