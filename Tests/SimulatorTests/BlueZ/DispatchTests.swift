import DBus
import Testing

@testable import Simulator

/// What every object answers: introspection, properties, unknown things.
@Suite struct DispatchTests {
    private static let properties = "org.freedesktop.DBus.Properties"

    private func dbusError(_ name: String, _ message: String) -> MethodAnswer {
        .error(name: "org.freedesktop.DBus.Error." + name, message: message)
    }

    @Test func `the managed objects are agent manager, adapter and bonded device`() throws {
        var bench = DaemonBench.bonded()
        let id = bench.call("GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/")
        guard case .values(let values)? = bench.answers[id],
            case .dictionary("o", "a{sa{sv}}", let objects)? = values.only
        else { throw Failure.unexpected }
        #expect(
            Set(objects.keys) == [
                .objectPath("/org/bluez"), .objectPath(DaemonBench.adapter), .objectPath(DaemonBench.device),
            ])
    }

    private enum Failure: Error { case unexpected }

    @Test func `a path without an object is unknown`() {
        var bench = DaemonBench()
        let id = bench.call("Connect", of: "org.bluez.Device1", at: "/org/bluez/hci7")
        #expect(bench.answers[id] == dbusError("UnknownObject", "Unknown object '/org/bluez/hci7'"))
    }

    @Test(arguments: [
        ("Fly", "org.bluez.Adapter1", [], ""), ("StartDiscovery", "org.bluez.Adapter1", [DBusValue.byte(1)], "y"),
        ("Connect", "org.bluez.Device1", [], ""),
    ])
    func `a method that is not there, or not of these arguments, is unknown`(
        member: String, interface: String, arguments: [DBusValue], signature: String
    ) {
        var bench = DaemonBench()
        let id = bench.call(member, of: interface, at: DaemonBench.adapter, arguments)
        let text =
            "Method \"\(member)\" with signature \"\(signature)\" on interface \"\(interface)\" doesn't exist"
        #expect(bench.answers[id] == dbusError("UnknownMethod", text))
    }

    @Test func `a caller may leave the interface out`() {
        var bench = DaemonBench()
        let id = bench.call("StartDiscovery", of: "", at: DaemonBench.adapter)
        #expect(bench.answers[id] == .done)
    }

    @Test func `introspection tells interfaces, access and children`() throws {
        var bench = DaemonBench.bonded()
        let id = bench.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: DaemonBench.adapter)
        guard case .values(let values)? = bench.answers[id], case .string(let text)? = values.only else {
            throw Failure.unexpected
        }
        #expect(text.contains("<interface name=\"org.bluez.Adapter1\">"))
        #expect(text.contains("<property name=\"Powered\" type=\"b\" access=\"readwrite\"/>"))
        #expect(text.contains("<property name=\"Address\" type=\"s\" access=\"read\"/>"))
        #expect(text.contains("<node name=\"dev_02_E5_50_00_00_01\"/>"))
    }

    @Test(arguments: [("/", "org"), ("/org", "bluez"), ("/org/bluez", "hci0")])
    func `introspection leads from the root to the adapter`(path: String, child: String) throws {
        var bench = DaemonBench()
        let id = bench.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)
        guard case .values(let values)? = bench.answers[id], case .string(let text)? = values.only else {
            throw Failure.unexpected
        }
        #expect(text.contains("<node name=\"\(child)\"/>"))
    }

    // MARK: Properties

    private func get(_ bench: inout DaemonBench, _ name: String) -> MethodAnswer? {
        let id = bench.call(
            "Get", of: Self.properties, at: DaemonBench.adapter, [.string("org.bluez.Adapter1"), .string(name)])
        return bench.answers[id]
    }

    private func set(_ bench: inout DaemonBench, _ name: String, _ value: DBusValue) -> MethodAnswer? {
        let id = bench.call(
            "Set", of: Self.properties, at: DaemonBench.adapter,
            [.string("org.bluez.Adapter1"), .string(name), .variant(value)])
        return bench.answers[id]
    }

    @Test func `a property is read, and all of an interface`() {
        var bench = DaemonBench()
        #expect(get(&bench, "PowerState") == .values([.variant(.string("on"))]))
        let id = bench.call("GetAll", of: Self.properties, at: DaemonBench.adapter, [.string("org.bluez.Adapter1")])
        let all = bench.daemon.tree[DaemonBench.adapter]?["org.bluez.Adapter1"] ?? [:]
        #expect(bench.answers[id] == .values([.properties(all)]))
        #expect(Set(all.keys) == Set(InterfaceDescription.adapter.properties.map(\.name)))
    }

    @Test func `what cannot be read or written has its own error each`() {
        var bench = DaemonBench()
        #expect(get(&bench, "Colour") == dbusError("InvalidArgs", "No such property 'Colour'"))
        #expect(set(&bench, "Colour", .byte(1)) == dbusError("UnknownProperty", "No such property 'Colour'"))
        #expect(
            set(&bench, "Address", .string("x")) == dbusError("PropertyReadOnly", "Property 'Address' is not writable"))
        #expect(set(&bench, "Powered", .byte(1)) == dbusError("InvalidSignature", "Invalid signature for 'Powered'"))
        let id = bench.call("GetAll", of: Self.properties, at: DaemonBench.adapter, [.string("org.bluez.Cake1")])
        #expect(bench.answers[id] == dbusError("InvalidArgs", "No such interface 'org.bluez.Cake1'"))
    }

    @Test func `an empty alias brings the name back`() {
        var bench = DaemonBench()
        #expect(set(&bench, "Alias", .string("kitchen")) == .done)
        #expect(get(&bench, "Alias") == .values([.variant(.string("kitchen"))]))
        #expect(set(&bench, "Alias", .string("")) == .done)
        #expect(get(&bench, "Alias") == .values([.variant(.string("espurr-sim"))]))
    }

    @Test func `a daemon that hangs answers nothing at all`() {
        var bench = DaemonBench(faults: [.hungDaemon])
        let id = bench.call("GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/")
        #expect(bench.answers[id] == .silence)
    }
}
