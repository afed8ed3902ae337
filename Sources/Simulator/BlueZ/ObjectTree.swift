import DBus

/// The objects of a service: paths, their interfaces, and the properties of these.
///
/// It is the one source of `GetManagedObjects`, of `org.freedesktop.DBus.Properties` and of the signals that tell of a
/// change: what is changed here is announced, and nothing else is (D-Bus specification, "Standard Interfaces").
struct ObjectTree: Sendable {
    typealias Properties = [String: DBusValue]
    typealias Interfaces = [String: Properties]

    private(set) var objects: [String: Interfaces] = [:]
    private var changes: [Change] = []

    private enum Change {
        case added(path: String, Interfaces)
        case removed(path: String, interfaces: [String])
        /// A nil value is a property that is there no longer.
        case changed(path: String, interface: String, [String: DBusValue?])
    }

    subscript(path: String) -> Interfaces? { objects[path] }

    func value(_ property: String, of interface: String, at path: String) -> DBusValue? {
        objects[path]?[interface]?[property]
    }

    mutating func add(_ path: String, _ interfaces: Interfaces) {
        objects[path] = interfaces
        changes.append(.added(path: path, interfaces))
    }

    /// Removes the object and every object below it, the deepest first, as `bluetoothd` does.
    mutating func remove(_ path: String) {
        let below = objects.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
        for path in below.sorted(by: >) {
            let interfaces = objects.removeValue(forKey: path).map { $0.keys.sorted() } ?? []
            changes.append(.removed(path: path, interfaces: interfaces))
        }
    }

    /// Sets a property, or takes it away (nil). A value that it has already is no change.
    mutating func set(_ property: String, of interface: String, at path: String, to value: DBusValue?) {
        guard let old = objects[path]?[interface], old[property] != value else { return }
        objects[path]?[interface]?[property] = value
        note(property, value, of: interface, at: path)
    }

    /// As ``set(_:of:at:to:)``, without a signal: for what `bluetoothd` changes and tells nobody.
    mutating func setInSilence(_ property: String, of interface: String, at path: String, to value: DBusValue?) {
        guard objects[path]?[interface] != nil else { return }
        objects[path]?[interface]?[property] = value
    }

    /// Changes of one interface that come together are told together.
    private mutating func note(_ property: String, _ value: DBusValue?, of interface: String, at path: String) {
        if case .changed(path, interface, var properties) = changes.last {
            properties.updateValue(value, forKey: property)
            changes[changes.count - 1] = .changed(path: path, interface: interface, properties)
        } else {
            changes.append(.changed(path: path, interface: interface, [property: value]))
        }
    }

    /// The signals of everything that changed since the last time, in its order.
    mutating func takeSignals() -> [Signal] {
        defer { changes = [] }
        return changes.map(Self.signal)
    }

    private static func signal(of change: Change) -> Signal {
        switch change {
        case .added(let path, let interfaces):
            Signal(
                "InterfacesAdded", of: StandardInterface.objectManager, at: "/",
                [.objectPath(path), dictionary(of: interfaces)])
        case .removed(let path, let interfaces):
            Signal(
                "InterfacesRemoved", of: StandardInterface.objectManager, at: "/",
                [.objectPath(path), .strings(interfaces + StandardInterface.implied)])
        case .changed(let path, let interface, let properties):
            Signal(
                "PropertiesChanged", of: StandardInterface.properties, at: path,
                [
                    .string(interface), .properties(properties.compactMapValues { $0 }),
                    .strings(properties.filter { $0.value == nil }.keys.sorted()),
                ])
        }
    }

    /// `a{oa{sa{sv}}}`
    var managedObjects: DBusValue {
        let entries = objects.map { (DBusValue.objectPath($0.key), Self.dictionary(of: $0.value)) }
        return .dictionary(key: "o", value: "a{sa{sv}}", Dictionary(uniqueKeysWithValues: entries))
    }

    /// `a{sa{sv}}`, with the standard interfaces that every object has.
    private static func dictionary(of interfaces: Interfaces) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        for name in StandardInterface.implied { entries[.string(name)] = .noProperties }
        for (name, properties) in interfaces { entries[.string(name)] = .properties(properties) }
        return .dictionary(key: "s", value: "a{sv}", entries)
    }
}

enum StandardInterface {
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"

    /// What `bluetoothd` lists of every object besides its own interfaces.
    static let implied = [introspectable, properties]
}

extension DBusValue {
    /// `as`
    static func strings(_ strings: [String]) -> DBusValue { .array(element: "s", strings.map(DBusValue.string)) }
}
