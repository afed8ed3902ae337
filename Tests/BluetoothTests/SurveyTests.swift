import DBus
import Foundation
import TestSupport
import Testing

@testable import Bluetooth

/// One look at a machine, without a radio.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A survey` {
    private func survey(_ objects: ScriptedBlueZ.Objects) async throws -> MachineSurvey {
        let fixture = try await Fixture(objects)
        let survey = try await fixture.central.survey(of: Ears.service)
        #expect(fixture.bluez.members == [])
        return survey
    }

    @Test func `shows the adapters and the devices of the service, and asks for nothing else`() async throws {
        var objects = Ears.objects(bonded: true)
        objects[Ears.adapter]?["org.bluez.Adapter1"]?["Modalias"] = .string("usb:v1D6Bp0246d0542")
        let survey = try await survey(objects)
        #expect(survey.adapters.map(\.daemonVersion) == [BlueZVersion(major: 5, minor: 66)])
        #expect(survey.devices.map(\.sighting.address) == [Ears.address])
        #expect(survey.devices.map(\.isServiceMissing) == [false] && survey.devices.map(\.isHeld) == [false])
        #expect(survey.agents == [])
    }

    @Test func `a service that BlueZ remembers in place of the one that is advertised is missing`() async throws {
        var objects = Ears.objects(bonded: true)
        objects[Ears.serviceObject]?["org.bluez.GattService1"]?["UUID"] = .string(
            "0000180a-0000-1000-8000-00805f9b34fb")
        #expect(try await survey(objects).devices.map(\.isServiceMissing) == [true])
        for path in Ears.gatt.keys { objects[path] = nil }
        #expect(try await survey(objects).devices.map(\.isServiceMissing) == [false])
    }

    @Test(arguments: ["WriteAcquired", "NotifyAcquired"])
    func `an acquired characteristic is one that another program holds`(property: String) async throws {
        var objects = Ears.objects(connected: true, bonded: true)
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?[property] = .boolean(true)
        #expect(try await survey(objects).devices.map(\.isHeld) == [true])
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?[property] = .boolean(false)
        #expect(try await survey(objects).devices.map(\.isHeld) == [false])
    }

    @Test func `a daemon that is silent is given less than a second`() async throws {
        let fixture = try await Fixture()
        fixture.bluez.script("GetManagedObjects", .silence)
        let central = BlueZCentral(busAddress: fixture.bus.address, limits: .diagnosis, clock: fixture.clock)
        async let error = failure { () throws(BluetoothError) in try await central.survey(of: Ears.service) }
        await fixture.bluez.called("GetManagedObjects")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .milliseconds(500))
        #expect(await error == .machine(.daemonSilent(after: .milliseconds(500))))
    }
}

struct `The version of BlueZ` {
    @Test(
        arguments: [
            ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v1D6Bp0246d0537", "5.55"),
            ("usb:v1D6Bp0247d0542", nil), ("usb:v0A12p0246d0542", nil), ("bluetooth:v1D6Bp0246d0542", nil),
            ("usb:v1D6Bp0246d054", nil), ("usb:v1D6Bp0246d05421", nil), ("usb:v1D6Bp0246d05+2", nil), ("", nil),
        ] as [(String, String?)])
    func `is what its own device id says, and unknown where the id is another's`(modalias: String, version: String?) {
        #expect(BlueZVersion(modalias: modalias)?.description == version)
    }

    @Test func `is ordered by its numbers`() {
        #expect(BlueZVersion(major: 5, minor: 9) < BlueZVersion(major: 5, minor: 66))
        #expect(BlueZVersion(major: 4, minor: 101) < .minimum)
        #expect(!(BlueZVersion.minimum < .minimum))
    }
}

struct `The kernel's radio switches` {
    private func switches(_ entries: [[String: String]]) throws -> RadioSwitches {
        let folder = try TemporaryFolder()
        for (number, files) in entries.enumerated() {
            let entry = folder.path + "/class/rfkill/rfkill\(number)"
            try FileManager.default.createDirectory(atPath: entry, withIntermediateDirectories: true)
            for (name, text) in files {
                try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: entry + "/" + name))
            }
        }
        let all = RadioSwitches(systemFolder: folder.path).all
        return RadioSwitches(reading: { all })
    }

    private func entry(
        _ name: String, soft: Bool = false, hard: Bool = false, type: String = "bluetooth"
    ) -> [String: String] {
        ["type": type, "name": name, "soft": soft ? "1" : "0", "hard": hard ? "1" : "0"]
    }

    @Test func `are told apart by kind: a hard one counts before a soft one`() throws {
        let switches = try switches([
            entry("hci0"), entry("hci1", soft: true), entry("hci2", hard: true), entry("hci3", soft: true, hard: true),
            entry("phy0", soft: true, type: "wlan"), ["type": "bluetooth"], [:],
        ])
        #expect(switches.all.map(\.name) == ["hci0", "hci1", "hci2", "hci3"])
        #expect(switches.all.map(\.block) == [nil, .soft, .hard, .hard])
        #expect(switches.block(of: AdapterName("hci1")!) == .soft)
        #expect(switches.block(of: AdapterName("hci7")!) == nil)
    }

    @Test func `there are none where the kernel has no such folder`() {
        #expect(RadioSwitches(systemFolder: "/nonexistent").all == [])
    }

    @Test(arguments: [
        (RadioBlock.soft, MachineState.adapterBlocked(Ears.adapterName, by: .soft)),
        (.hard, .adapterBlocked(Ears.adapterName, by: .hard)),
    ])
    func `explain an adapter that is off, also where BlueZ has no word for it`(
        block: RadioBlock, state: MachineState
    ) async throws {
        var objects = Ears.objects()
        objects[Ears.adapter]?["org.bluez.Adapter1"] = Ears.adapterProperties(powered: false)
        objects[Ears.adapter]?["org.bluez.Adapter1"]?["PowerState"] = nil
        let bus = try PrivateBus()
        let bluez = try await ScriptedBlueZ(on: bus.address, objects: objects)
        let central = BlueZCentral(
            busAddress: bus.address, radio: RadioSwitches(reading: { [.init(name: "hci0", block: block)] }),
            clock: TestClock())
        #expect(try await central.adapters().map(\.block) == [block])
        #expect(
            await failure { () throws(BluetoothError) in
                try await central.connect(to: Ears.address, on: Ears.adapterName, deadline: .seconds(1))
            } == .machine(state))
        withExtendedLifetime(bluez) {}
    }
}
