import DBus
import TestSupport
import Testing

@testable import Bluetooth

/// One adapter and one pair of ears with one characteristic, as BlueZ would report them.
enum Ears {
    static let adapterName = AdapterName("hci0")!
    static let adapter = "/org/bluez/hci0"
    static let address = BluetoothAddress("24:0A:C4:00:11:22")!
    static let device = adapter + "/dev_24_0A_C4_00_11_22"
    static let service = BluetoothUUID("12345678-9abc-4def-8123-456789abcdef")!
    static let serviceObject = device + "/service0010"
    static let characteristicUUID = BluetoothUUID("0000ff51-9abc-4def-8123-456789abcdef")!
    static let characteristicObject = serviceObject + "/char0011"
    static let descriptorObject = characteristicObject + "/desc0013"

    static let characteristic = Characteristic(
        uuid: characteristicUUID, properties: [.read, .write], descriptors: [.userDescription],
        maximumTransmissionUnit: 517, handle: characteristicObject)

    static func adapterProperties(
        _ address: String = "00:1A:7D:DA:71:13", powered: Bool = true
    ) -> ScriptedBlueZ.Properties {
        [
            "Address": .string(address), "Powered": .boolean(powered),
            "PowerState": .string(powered ? "on" : "off"), "Discovering": .boolean(false),
        ]
    }

    static func deviceProperties(
        connected: Bool = false, bonded: Bool = false, _ address: BluetoothAddress = address,
        on adapter: String = adapter, services: [BluetoothUUID] = [service]
    ) -> ScriptedBlueZ.Properties {
        [
            "Address": .string(address.description), "Adapter": .objectPath(adapter), "Name": .string("espurr-1122"),
            "Paired": .boolean(bonded), "Bonded": .boolean(bonded), "Connected": .boolean(connected),
            "ServicesResolved": .boolean(connected),
            "UUIDs": .array(element: "s", services.map { .string($0.description) }),
        ]
    }

    static let gatt: ScriptedBlueZ.Objects = [
        serviceObject: [
            "org.bluez.GattService1": ["UUID": .string(service.description), "Device": .objectPath(device)]
        ],
        characteristicObject: [
            "org.bluez.GattCharacteristic1": [
                "UUID": .string(characteristicUUID.description), "Service": .objectPath(serviceObject),
                "Flags": .array(element: "s", [.string("read"), .string("write")]), "MTU": .uint16(517),
            ]
        ],
        descriptorObject: [
            "org.bluez.GattDescriptor1": [
                "UUID": .string(BluetoothUUID.userDescription.description),
                "Characteristic": .objectPath(characteristicObject),
            ]
        ],
    ]

    static func objects(connected: Bool = false, bonded: Bool = false) -> ScriptedBlueZ.Objects {
        [
            adapter: ["org.bluez.Adapter1": adapterProperties()],
            device: ["org.bluez.Device1": deviceProperties(connected: connected, bonded: bonded)],
        ].merging(gatt) { first, _ in first }
    }
}

/// A bus, a scripted BlueZ on it, and a central with a clock that stands still.
struct Fixture {
    let bus: PrivateBus
    let bluez: ScriptedBlueZ
    let clock: TestClock
    let central: BlueZCentral

    init(
        _ objects: ScriptedBlueZ.Objects = Ears.objects(), settle: Duration = .milliseconds(500)
    ) async throws {
        try await self.init(objects, limits: BlueZLimits(settle: settle))
    }

    init(_ objects: ScriptedBlueZ.Objects, limits: BlueZLimits) async throws {
        bus = try PrivateBus()
        bluez = try await ScriptedBlueZ(on: bus.address, objects: objects)
        clock = TestClock()
        central = BlueZCentral(busAddress: bus.address, limits: limits, clock: clock)
    }

    /// Returns once the signals that tell of the ears' bond have reached the central.
    func seesBond() async {
        _ = try? await central.objects.wait { $0.devices[Ears.device]?.isBonded == true ? true : nil }
    }

    /// Ears that are connected already.
    static func connected(
        bonded: Bool = true, settle: Duration = .milliseconds(500)
    ) async throws -> (Fixture, any Peripheral) {
        let fixture = try await Fixture(Ears.objects(connected: true, bonded: bonded), settle: settle)
        let peripheral = try await fixture.central.connect(
            to: Ears.address, on: Ears.adapterName, deadline: .seconds(30))
        return (fixture, peripheral)
    }
}

/// The error that `body` throws; nil where it throws none.
func failure<Value>(_ body: () async throws(BluetoothError) -> Value) async -> BluetoothError? {
    do throws(BluetoothError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
