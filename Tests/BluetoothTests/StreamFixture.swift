import DBus
import TestSupport
import Testing

@testable import Bluetooth

extension Ears {
    static let streaming = Characteristic(
        uuid: characteristicUUID, properties: [.writeWithoutResponse, .notify], descriptors: [.userDescription],
        maximumTransmissionUnit: 517, handle: characteristicObject)
}

/// Connected ears whose characteristic streams, and BlueZ's end of the next stream.
struct StreamFixture {
    let end: BlueZEnd
    let fixture: Fixture
    let peripheral: any Peripheral

    init(mtu: UInt16 = 517, unread: Int = 1024, settle: Duration = .milliseconds(500)) async throws {
        var objects = Ears.objects(connected: true, bonded: true)
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?["Flags"] = .array(
            element: "s", [.string("write-without-response"), .string("notify")])
        let limits = BlueZLimits(settle: settle, unreadNotifications: unread)
        let end = try BlueZEnd()
        fixture = try await Fixture(objects, limits: limits)
        for member in ["AcquireWrite", "AcquireNotify"] { fixture.bluez.script(member) { _ in end.reply(mtu: mtu) } }
        self.end = end
        peripheral = try await fixture.central.connect(
            to: Ears.address, on: Ears.adapterName, deadline: .seconds(30))
    }

    func openWrites() async throws(BluetoothError) -> any WriteStream {
        try await peripheral.openWrites(to: Ears.streaming, deadline: .seconds(5))
    }

    func openNotifications() async throws(BluetoothError) -> any NotificationStream {
        try await peripheral.openNotifications(of: Ears.streaming, deadline: .seconds(5))
    }

    /// Returns once somebody waits beside the deadline of the bus connection's calls.
    func isWaiting() async throws { try await fixture.clock.sleepers(2) }

    /// BlueZ tells of the link's end, and closes what it holds.
    func loseLink() async throws {
        try await fixture.bluez.change(
            Ears.device, ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
        end.close()
    }
}
