import DBus
import Testing

@testable import Simulator

@Suite struct ObjectTreeTests {
    private func tree() -> ObjectTree {
        var tree = ObjectTree()
        tree.add("/a", ["i": ["x": .boolean(false), "y": .byte(1)]])
        _ = tree.takeSignals()
        return tree
    }

    private func changed(_ properties: [String: DBusValue], gone: [String] = []) -> Signal {
        Signal(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: "/a",
            [.string("i"), .properties(properties), .strings(gone)])
    }

    @Test func `changes of one interface that come together are one signal`() {
        var tree = tree()
        tree.set("x", of: "i", at: "/a", to: .boolean(true))
        tree.set("y", of: "i", at: "/a", to: .byte(2))
        #expect(tree.takeSignals() == [changed(["x": .boolean(true), "y": .byte(2)])])
        #expect(tree.takeSignals().isEmpty)
    }

    @Test func `a value that is there already is no change`() {
        var tree = tree()
        tree.set("x", of: "i", at: "/a", to: .boolean(false))
        tree.set("x", of: "i", at: "/elsewhere", to: .boolean(true))
        #expect(tree.takeSignals().isEmpty)
    }

    @Test func `a property that goes away is invalidated`() {
        var tree = tree()
        tree.set("y", of: "i", at: "/a", to: nil)
        #expect(tree.takeSignals() == [changed([:], gone: ["y"])])
        #expect(tree.value("y", of: "i", at: "/a") == nil)
    }

    @Test func `what is below goes with an object, the deepest first`() {
        var tree = tree()
        tree.add("/a/b", ["i": [:]])
        tree.add("/ab", ["i": [:]])
        _ = tree.takeSignals()
        tree.remove("/a")
        let removed = tree.takeSignals().map(\.arguments.first)
        #expect(removed == [.objectPath("/a/b"), .objectPath("/a")])
        #expect(Array(tree.objects.keys) == ["/ab"])
    }

    @Test func `an added object tells all its interfaces and properties`() {
        var tree = ObjectTree()
        tree.add("/a", ["i": ["x": .byte(1)]])
        let interfaces: DBusValue = .dictionary(
            key: "s", value: "a{sv}",
            [
                .string("i"): .properties(["x": .byte(1)]),
                .string("org.freedesktop.DBus.Introspectable"): .properties([:]),
                .string("org.freedesktop.DBus.Properties"): .properties([:]),
            ])
        let signal = Signal(
            "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", at: "/", [.objectPath("/a"), interfaces])
        #expect(tree.takeSignals() == [signal])
        #expect(
            tree.managedObjects == .dictionary(key: "o", value: "a{sa{sv}}", [.objectPath("/a"): interfaces]))
    }
}

@Suite struct AgendaTests {
    @Test func `what is due comes in the order of its time, and of its setting`() {
        var agenda = Agenda<String>()
        agenda.set("late", at: .seconds(3))
        agenda.set("first", at: .seconds(1))
        agenda.set("second", at: .seconds(1))
        #expect(agenda.nextDue == .seconds(1))
        #expect(agenda.takeDue(by: .seconds(2)) == "first")
        #expect(agenda.takeDue(by: .seconds(2)) == "second")
        #expect(agenda.takeDue(by: .seconds(2)) == nil)
    }

    @Test func `a thing set again is moved`() {
        var agenda = Agenda<String>()
        agenda.set("it", at: .seconds(1))
        agenda.set("it", at: .seconds(5))
        #expect(agenda.takeDue(by: .seconds(4)) == nil)
        agenda.cancel("it")
        #expect(agenda.nextDue == nil)
    }
}
