import DBus
import Testing

@testable import Bluetooth

private func tree(_ objects: ScriptedBlueZ.Objects = Ears.objects()) -> ObjectTree {
    var tree = ObjectTree()
    tree.replace(with: [ScriptedBlueZ.managed(objects)])
    return tree
}

private func changed(
    _ path: String, _ properties: [String: DBusValue], invalidated: [String] = [],
    of interface: String = "org.bluez.Device1"
) -> Signal {
    Signal(
        "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path,
        [
            .string(interface), .properties(properties),
            .array(element: "s", invalidated.map { .string($0) }),
        ])
}

private func added(_ path: String, _ interfaces: [String: ScriptedBlueZ.Properties]) -> Signal {
    Signal(
        "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", at: "/",
        [.objectPath(path), ScriptedBlueZ.interfaces(interfaces)])
}

private func removed(_ path: String, _ interfaces: [String]) -> Signal {
    Signal(
        "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", at: "/",
        [.objectPath(path), .array(element: "s", interfaces.map { .string($0) })])
}

struct `The objects of BlueZ` {
    @Test func `a scan of this process is not taken for another program's, nor is what BlueZ says while it ends`()
        throws
    {
        var tree = tree(Ears.objects(connected: true, bonded: true))
        func say(_ isDiscovering: Bool) throws -> Bool {
            _ = tree.apply(
                changed(Ears.adapter, ["Discovering": .boolean(isDiscovering)], of: "org.bluez.Adapter1"))
            return tree.adapter(try #require(tree.adapter(named: Ears.adapterName))).isDiscovering
        }
        tree.noteScan(on: Ears.adapter)
        #expect(try !say(true))
        #expect(try !say(false))
        #expect(try say(true))
    }

    @Test func `are typed as they were reported`() throws {
        let tree = tree(Ears.objects(connected: true, bonded: true))
        let adapter = try #require(tree.adapter(named: Ears.adapterName))
        #expect(adapter.address == BluetoothAddress("00:1A:7D:DA:71:13"))
        #expect(adapter.isPowered && !adapter.isBlocked && !adapter.isDiscovering)
        #expect(
            tree.devices(with: Ears.service, on: adapter).map { $0.sighting(on: adapter.name, wasHeard: true) } == [
                Sighting(
                    adapter: Ears.adapterName, address: Ears.address, name: "espurr-1122", rssi: nil, isPaired: true,
                    isBonded: true, isConnected: true, services: [Ears.service])
            ])
        #expect(tree.characteristics(of: Ears.service, at: Ears.device) == [Ears.characteristic])
        #expect(tree.descriptor(.userDescription, of: Ears.characteristicObject)?.path == Ears.descriptorObject)
    }

    @Test(arguments: [[], [.boolean(true)], [.dictionary(key: "s", value: "v", [:])]] as [[DBusValue]])
    func `a snapshot of another type is none`(_ reply: [DBusValue]) {
        var tree = tree()
        let isSnapshot = tree.replace(with: reply)
        #expect(!isSnapshot)
        #expect(tree.adapters.isEmpty && tree.devices.isEmpty)
    }

    @Test func `a property of the wrong type changes nothing`() {
        var tree = tree(Ears.objects(connected: true, bonded: true))
        let before = tree.devices[Ears.device]
        let wrong: [String: DBusValue] = [
            "Connected": .string("no"), "Paired": .uint32(0), "Bonded": .byte(0), "Address": .boolean(false),
            "ServicesResolved": .int16(0), "UUIDs": .string("none"), "RSSI": .int32(-40), "Name": .bytes([65]),
        ]
        let change = tree.apply(changed(Ears.device, wrong))
        #expect(change == .deviceChanged(Ears.device, heard: false))
        #expect(tree.devices[Ears.device] == before)
    }

    @Test(arguments: ["Address", "Adapter"]) func `a device needs its`(_ property: String) {
        var objects = Ears.objects()
        objects[Ears.device]?["org.bluez.Device1"]?[property] = nil
        #expect(tree(objects).devices.isEmpty)
    }

    @Test(arguments: [
        ("UUID", DBusValue.string("ff51")), ("UUID", .string("")), ("UUID", .bytes([1])), ("Service", .string("/x")),
    ]) func `a characteristic without a full UUID and a service is not kept`(_ property: String, _ value: DBusValue) {
        var objects = Ears.objects()
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?[property] = value
        #expect(tree(objects).characteristics(of: Ears.service, at: Ears.device) == [])
    }

    @Test func `a service that is not there is told from one without characteristics`() {
        #expect(tree().characteristics(of: BluetoothUUID(assigned: 0x180f), at: Ears.device) == nil)
    }

    @Test func `a change never makes an object`() {
        var tree = tree()
        let other = Ears.adapter + "/dev_11_11_11_11_11_11"
        let change = tree.apply(changed(other, Ears.deviceProperties(connected: true)))
        #expect(change == .other)
        #expect(tree.devices.keys.sorted() == [Ears.device])
        #expect(tree.link(of: other) == ObjectTree.Link(number: 0, isUp: false))
    }

    @Test func `removed interfaces take their objects with them`() {
        var tree = tree()
        _ = tree.apply(removed(Ears.characteristicObject, ["org.bluez.GattCharacteristic1"]))
        #expect(tree.characteristics(of: Ears.service, at: Ears.device) == [])
        _ = tree.apply(removed(Ears.serviceObject, ["org.bluez.GattService1", "org.example.Other1"]))
        #expect(tree.characteristics(of: Ears.service, at: Ears.device) == nil)
        _ = tree.apply(removed(Ears.device, ["org.bluez.Battery1"]))
        #expect(tree.devices.count == 1)
        _ = tree.apply(removed(Ears.device, ["org.bluez.Device1"]))
        _ = tree.apply(removed(Ears.adapter, ["org.bluez.Adapter1"]))
        #expect(tree.devices.isEmpty && tree.adapters.isEmpty)
    }

    @Test func `taking out a device leaves those whose paths begin alike`() {
        var objects = Ears.objects()
        objects[Ears.device + "0"] = ["org.bluez.Device1": Ears.deviceProperties()]
        var tree = tree(objects)
        tree.removeSubtree(Ears.device)
        #expect(tree.devices.keys.sorted() == [Ears.device + "0"])
        #expect(tree.characteristics.isEmpty && tree.services.isEmpty && tree.descriptors.isEmpty)
    }

    @Test func `where BlueZ has no Bonded, paired is bonded`() {
        var objects = Ears.objects(bonded: true)
        objects[Ears.device]?["org.bluez.Device1"]?["Bonded"] = nil
        var tree = tree(objects)
        #expect(tree.devices[Ears.device]?.isBonded == true)
        _ = tree.apply(changed(Ears.device, ["Paired": .boolean(false)]))
        #expect(tree.devices[Ears.device]?.isBonded == false)
    }

    @Test func `where BlueZ has Bonded, paired alone is not bonded`() {
        var tree = tree()
        _ = tree.apply(changed(Ears.device, ["Paired": .boolean(true)]))
        #expect(tree.devices[Ears.device]?.isPaired == true)
        #expect(tree.devices[Ears.device]?.isBonded == false)
    }

    @Test(arguments: [(nil, 23), (.uint16(517), 517), (.uint16(5), 23), (.int32(517), 23)] as [(DBusValue?, Int)])
    func `the MTU is BlueZ's, or the least there can be`(_ value: DBusValue?, _ mtu: Int) {
        var objects = Ears.objects()
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?["MTU"] = value
        #expect(
            tree(objects).characteristics(of: Ears.service, at: Ears.device)?.map(\.maximumTransmissionUnit) == [mtu])
    }

    @Test func `a blocked adapter is known by its power state`() {
        var tree = tree()
        let off: [String: DBusValue] = ["Powered": .boolean(false), "PowerState": .string("off-blocked")]
        _ = tree.apply(changed(Ears.adapter, off, of: "org.bluez.Adapter1"))
        #expect(tree.adapter(named: Ears.adapterName)?.isBlocked == true)
        _ = tree.apply(changed(Ears.adapter, [:], invalidated: ["PowerState"], of: "org.bluez.Adapter1"))
        #expect(tree.adapter(named: Ears.adapterName)?.isBlocked == false)
    }

    @Test func `a signal strength that is taken back is none`() {
        var tree = tree()
        let change = tree.apply(changed(Ears.device, ["RSSI": .int16(-40)]))
        #expect(change == .deviceChanged(Ears.device, heard: true))
        #expect(tree.devices[Ears.device]?.rssi == -40)
        _ = tree.apply(changed(Ears.device, [:], invalidated: ["RSSI"]))
        #expect(tree.devices[Ears.device]?.rssi == nil)
    }

    @Test func `more objects than the limit are not kept`() {
        var tree = tree([:])
        for number in 0...ObjectTree.maximumObjects {
            _ = tree.apply(added(Ears.adapter + "/dev_\(number)", ["org.bluez.Device1": Ears.deviceProperties()]))
        }
        #expect(tree.devices.count == ObjectTree.maximumObjects)
    }
}

struct `Links` {
    private typealias Link = ObjectTree.Link

    @Test func `are numbered, so that a new one is another`() {
        var tree = tree()
        func connected(_ value: Bool) { _ = tree.apply(changed(Ears.device, ["Connected": .boolean(value)])) }
        #expect(tree.link(of: Ears.device) == Link(number: 0, isUp: false))
        connected(true)
        connected(true)
        #expect(tree.link(of: Ears.device) == Link(number: 1, isUp: true))
        connected(false)
        #expect(tree.link(of: Ears.device) == Link(number: 1, isUp: false))
        connected(true)
        #expect(tree.link(of: Ears.device) == Link(number: 2, isUp: true))
    }

    @Test func `of a device that was removed and added again is another`() {
        var tree = tree(Ears.objects(connected: true))
        #expect(tree.isUp(1, to: Ears.device))
        _ = tree.apply(removed(Ears.device, ["org.bluez.Device1"]))
        #expect(!tree.isUp(1, to: Ears.device))
        _ = tree.apply(added(Ears.device, ["org.bluez.Device1": Ears.deviceProperties(connected: true)]))
        #expect(!tree.isUp(1, to: Ears.device) && tree.isUp(2, to: Ears.device))
    }

    @Test func `are not numbered anew by a new snapshot`() {
        var tree = tree(Ears.objects(connected: true))
        tree.replace(with: [ScriptedBlueZ.managed(Ears.objects(connected: true))])
        #expect(tree.link(of: Ears.device) == Link(number: 2, isUp: true))
    }
}

struct `Signals of any shape` {
    /// Any value in any place: nothing is believed that is not of its type, and nothing traps.
    @Test func `do no harm`() {
        var random = SplitMix(state: 0x5eed)
        var tree = tree(Ears.objects(connected: true, bonded: true))
        let members = ["InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "Other"]
        for _ in 0..<20_000 {
            let signal = Signal(
                members.randomElement(using: &random) ?? "",
                of: ["org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"]
                    .randomElement(using: &random) ?? "",
                at: random.path(), (0..<Int.random(in: 0...4, using: &random)).map { _ in random.value(depth: 3) })
            _ = tree.apply(signal)
            _ = tree.sortedAdapters.map { tree.known(with: Ears.service, on: $0) }
        }
        #expect(tree.devices.allSatisfy { $0.key == $0.value.path })
        #expect(Set(tree.devices.keys).isSubset(of: SplitMix.paths))
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    static let paths: Set<String> = [
        "/", "/org/bluez", Ears.adapter, Ears.device, Ears.serviceObject, Ears.characteristicObject,
        Ears.descriptorObject,
    ]
    private static let texts = [
        "", "org.bluez.Device1", "org.bluez.Adapter1", "org.bluez.GattService1", "org.bluez.GattCharacteristic1",
        "org.bluez.GattDescriptor1", "Address", "Adapter", "Connected", "UUID", "UUIDs", "RSSI", "Service", "Device",
        Ears.address.description, Ears.service.description, "on", "off-blocked", "\u{0}", "é",
    ]

    mutating func path() -> String { Self.paths.sorted().randomElement(using: &self) ?? "/" }

    mutating func text() -> DBusValue { .string(Self.texts.randomElement(using: &self) ?? "") }

    mutating func value(depth: Int) -> DBusValue {
        switch Int.random(in: 0...(depth > 0 ? 9 : 4), using: &self) {
        case 0: text()
        case 1: .objectPath(path())
        case 2: .boolean(.random(using: &self))
        case 3: .int16(.random(in: .min ... .max, using: &self))
        case 4: .uint16(.random(in: .min ... .max, using: &self))
        case 5: .array(element: "s", values(depth))
        case 6, 7: properties(depth)
        case 8: interfaces(depth)
        default: .variant(value(depth: depth - 1))
        }
    }

    private mutating func values(_ depth: Int) -> [DBusValue] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth - 1) }
    }

    private mutating func properties(_ depth: Int) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        for value in values(depth) { entries[text()] = .variant(value) }
        return .dictionary(key: "s", value: "v", entries)
    }

    private mutating func interfaces(_ depth: Int) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        for _ in values(depth) { entries[text()] = properties(depth) }
        return .dictionary(key: "s", value: "a{sv}", entries)
    }
}
