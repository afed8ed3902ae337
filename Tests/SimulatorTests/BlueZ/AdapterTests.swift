import DBus
import Testing

@testable import Simulator

@Suite struct AdapterTests {
    private static let uuids = DBusValue.strings([ScriptedPeripheral.serviceUUID.uppercased()])

    private func setPowered(_ bench: inout DaemonBench, _ isOn: Bool) -> MethodAnswer? {
        let id = bench.call(
            "Set", of: "org.freedesktop.DBus.Properties", at: DaemonBench.adapter,
            [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(isOn))])
        return bench.answers[id]
    }

    private func adapterProperty(_ bench: DaemonBench, _ name: String) -> DBusValue? {
        bench.property(name, of: "org.bluez.Adapter1", at: DaemonBench.adapter)
    }

    // MARK: Discovery

    @Test func `a discovery shows the device with its strength, and hides the strength at its end`() {
        var bench = DaemonBench()
        let start = bench.adapter("StartDiscovery")
        #expect(bench.answers[start] == .done)
        #expect(adapterProperty(bench, "Discovering") == .boolean(true))
        #expect(bench.daemon.tree[DaemonBench.device] == nil)
        bench.pass(.milliseconds(100))
        #expect(bench.property("RSSI") == .int16(-48))
        #expect(bench.property("Name") == .string("espurr-0001"))
        #expect(bench.property("UUIDs") == .strings([ScriptedPeripheral.serviceUUID]))
        let stop = bench.adapter("StopDiscovery")
        #expect(bench.answers[stop] == .done)
        #expect(adapterProperty(bench, "Discovering") == .boolean(false))
        #expect(bench.property("RSSI") == nil)
    }

    @Test func `each client has one discovery, and the last one's end is the end`() {
        var bench = DaemonBench()
        _ = bench.adapter("StartDiscovery")
        let again = bench.adapter("StartDiscovery")
        #expect(bench.answers[again] == .failure("InProgress", "Operation already in progress"))
        let other = bench.adapter("StartDiscovery", from: ":1.8")
        #expect(bench.answers[other] == .done)
        _ = bench.adapter("StopDiscovery")
        #expect(adapterProperty(bench, "Discovering") == .boolean(true))
        let stranger = bench.adapter("StopDiscovery")
        #expect(bench.answers[stranger] == .failure("Failed", "No discovery started"))
        _ = bench.adapter("StopDiscovery", from: ":1.8")
        #expect(adapterProperty(bench, "Discovering") == .boolean(false))
    }

    @Test func `a discovery ends with the connection that started it`() {
        var bench = DaemonBench()
        _ = bench.adapter("StartDiscovery")
        bench.leave()
        #expect(adapterProperty(bench, "Discovering") == .boolean(false))
    }

    @Test(
        arguments: [
            (["UUIDs": uuids], true), (["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])], false),
            (["UUIDs": .strings([])], true), (["RSSI": .int16(-60)], true), (["RSSI": .int16(-40)], false),
            (["Transport": .string("bredr")], false), (["Transport": .string("le")], true),
            (["Pattern": .string("espurr-")], true), (["Pattern": .string("02:E5")], true),
            (["Pattern": .string("other")], false),
        ] as [([String: DBusValue], Bool)])
    func `a filter lets through what it names`(filter: [String: DBusValue], isShown: Bool) {
        var bench = DaemonBench()
        let id = bench.adapter("SetDiscoveryFilter", [.properties(filter)])
        #expect(bench.answers[id] == .done)
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        #expect((bench.daemon.tree[DaemonBench.device] != nil) == isShown)
    }

    @Test(
        arguments: [
            ["RSSI": .string("loud")], ["RSSI": .int16(21)], ["Pathloss": .uint16(138)], ["Transport": .string("wire")],
            ["Colour": .string("red")],
        ] as [[String: DBusValue]])
    func `a filter that cannot be is refused`(filter: [String: DBusValue]) {
        var bench = DaemonBench()
        let id = bench.adapter("SetDiscoveryFilter", [.properties(filter)])
        #expect(bench.answers[id] == .failure("InvalidArguments", "Invalid arguments in method call"))
    }

    @Test func `filters of clients are merged`() {
        var bench = DaemonBench()
        _ = bench.adapter("SetDiscoveryFilter", [.properties(["Pattern": .string("other")])])
        _ = bench.adapter("StartDiscovery")
        bench.pass(.seconds(1))
        #expect(bench.daemon.tree[DaemonBench.device] == nil)
        _ = bench.adapter("StartDiscovery", from: ":1.8")
        bench.pass(.seconds(1))
        #expect(bench.daemon.tree[DaemonBench.device] != nil)
    }

    @Test func `a filter lifts the threshold of the strength`() {
        var filtered = DaemonBench()
        _ = filtered.adapter("SetDiscoveryFilter", [.properties(["UUIDs": Self.uuids])])
        var plain = DaemonBench()
        _ = filtered.adapter("StartDiscovery")
        _ = plain.adapter("StartDiscovery")
        filtered.pass(.milliseconds(1100))
        plain.pass(.milliseconds(1100))
        #expect(filtered.property("RSSI") == .int16(-51))
        #expect(plain.property("RSSI") == .int16(-48))
    }

    @Test func `a device without a bond is forgotten thirty seconds after it was last heard`() {
        var bench = DaemonBench()
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        _ = bench.adapter("StopDiscovery")
        bench.pass(.seconds(29))
        #expect(bench.daemon.tree[DaemonBench.device] != nil)
        bench.forgetSignals()
        bench.pass(.seconds(1))
        #expect(bench.events == ["-" + DaemonBench.device])
    }

    @Test func `a connected device is hidden from a discovery`() {
        var bench = DaemonBench.connected()
        _ = bench.adapter("StartDiscovery")
        bench.pass(.seconds(2))
        #expect(bench.property("RSSI") == nil)
        #expect(bench.isConnected == .boolean(true))
    }

    @Test func `BlueZ may hold a known device connected from the start`() {
        var bench = DaemonBench.bonded(faults: [.alreadyConnected])
        bench.daemon.connectKnownDevices()
        bench.pass(.seconds(1))
        #expect(bench.isConnected == .boolean(true))
        #expect(bench.property("ServicesResolved") == .boolean(true))
    }

    @Test func `the filters that can be given are listed`() {
        var bench = DaemonBench()
        let id = bench.adapter("GetDiscoveryFilters")
        #expect(bench.answers[id] == .values([.strings(DiscoveryFilter.names)]))
    }

    // MARK: Power

    @Test(arguments: [(DaemonFault.adapterOff, "off"), (.adapterBlocked, "off-blocked")])
    func `nothing is discovered on an adapter without power`(fault: DaemonFault, state: String) {
        var bench = DaemonBench(faults: [fault])
        #expect(adapterProperty(bench, "Powered") == .boolean(false))
        #expect(adapterProperty(bench, "PowerState") == .string(state))
        for member in ["StartDiscovery", "StopDiscovery"] {
            let id = bench.adapter(member)
            #expect(bench.answers[id] == .failure("NotReady", "Resource Not Ready"))
        }
        let filter = bench.adapter("SetDiscoveryFilter", [.properties([:])])
        #expect(bench.answers[filter] == .failure("NotReady", "Resource Not Ready"))
    }

    @Test func `an adapter that is off can be switched on, one that is blocked cannot`() {
        var off = DaemonBench(faults: [.adapterOff])
        #expect(setPowered(&off, true) == .done)
        #expect(adapterProperty(off, "PowerState") == .string("on"))
        var blocked = DaemonBench(faults: [.adapterBlocked])
        #expect(setPowered(&blocked, true) == .failure("Blocked", "Blocked through rfkill"))
    }

    @Test func `without power links and discoveries end, and only bonded devices stay`() {
        var bench = DaemonBench.connected()
        _ = bench.adapter("StartDiscovery")
        #expect(setPowered(&bench, false) == .done)
        #expect(bench.isConnected == .boolean(false))
        #expect(adapterProperty(bench, "Discovering") == .boolean(false))
        #expect(bench.peripheral?.received.last == .linkClosed)
        let connect = bench.device("Connect")
        #expect(bench.answers[connect] == .failure("NotReady", "Resource Not Ready"))
    }

    @Test func `no adapter leaves the agent manager alone`() {
        let bench = DaemonBench(faults: [.noAdapter])
        #expect(Array(bench.daemon.tree.objects.keys) == ["/org/bluez"])
    }

    @Test func `several adapters hear several peripherals, each by itself`() {
        var second = ScriptedPeripheral()
        second.address = "02:E5:50:00:00:02"
        var bench = DaemonBench([ScriptedPeripheral(), second], adapters: 2)
        _ = bench.call("StartDiscovery", of: "org.bluez.Adapter1", at: "/org/bluez/hci1")
        bench.pass(.milliseconds(100))
        let devices = bench.daemon.tree.objects.keys.filter { $0.contains("dev_") }.sorted()
        #expect(
            devices == ["/org/bluez/hci1/dev_02_E5_50_00_00_01", "/org/bluez/hci1/dev_02_E5_50_00_00_02"])
    }

    // MARK: RemoveDevice

    private func remove(_ bench: inout DaemonBench, _ path: String) -> CallID {
        bench.adapter("RemoveDevice", [.objectPath(path)])
    }

    @Test func `a removed device is gone with its bond`() {
        var bench = DaemonBench.bonded()
        let id = remove(&bench, DaemonBench.device)
        #expect(bench.answers[id] == .done)
        #expect(bench.events == ["-" + DaemonBench.device])
        #expect(bench.daemon.knownDevices.isEmpty)
        let again = remove(&bench, DaemonBench.device)
        #expect(bench.answers[again] == .failure("DoesNotExist", "Does Not Exist"))
    }

    @Test func `a connected device is disconnected before it is removed`() {
        var bench = DaemonBench.connected()
        let id = remove(&bench, DaemonBench.device)
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(100))
        #expect(bench.answers[id] == .done)
        #expect(bench.daemon.tree.objects.keys.filter { $0.hasPrefix(DaemonBench.device) }.isEmpty)
        #expect(bench.peripheral?.received.last == .linkClosed)
    }
}
