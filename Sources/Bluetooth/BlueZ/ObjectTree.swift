import DBus

/// The objects of BlueZ as they were last reported, typed: `GetManagedObjects` once, then its signals in their order.
///
/// Other interfaces than the five kept here are passed over.
struct ObjectTree: Sendable {
    /// Objects of one kind. A scan in a crowded hall stays far below; what passes it is not kept.
    static let maximumObjects = 16_384

    /// Why an adapter is off is not BlueZ's to say.
    let radio: RadioSwitches
    private(set) var adapters: [String: Adapter1] = [:]
    private(set) var devices: [String: Device1] = [:]
    private(set) var services: [String: GattService1] = [:]
    private(set) var characteristics: [String: GattCharacteristic1] = [:]
    private(set) var descriptors: [String: GattDescriptor1] = [:]

    private var links: [String: Link] = [:]
    private var lastLink: UInt64 = 0

    init(radio: RadioSwitches = .none) { self.radio = radio }

    /// The last link to a device. Links are numbered, so that one made anew is told apart from the one before it.
    struct Link: Hashable, Sendable {
        /// 0 where there was none yet.
        var number: UInt64
        var isUp: Bool
    }

    /// What one signal changed, for those who follow devices.
    enum Change: Hashable, Sendable {
        case deviceAdded(String, heard: Bool)
        case deviceChanged(String, heard: Bool)
        case other
    }

    /// This process is about to scan on the adapter.
    mutating func noteScan(on adapter: String) { adapters[adapter]?.noteScan() }

    /// Forgets everything, and takes over the reply of `GetManagedObjects` (`a{oa{sa{sv}}}`).
    ///
    /// - Returns: false where the reply is not of that type; the tree is empty then.
    @discardableResult
    mutating func replace(with reply: [DBusValue]) -> Bool {
        removeAll()
        guard case .dictionary("o", "a{sa{sv}}", let objects)? = reply.first else { return false }
        for case (.objectPath(let path), let interfaces) in objects { _ = add(path, interfaces) }
        return true
    }

    /// Forgets all objects, as when BlueZ has gone. Numbers of links are not given twice.
    mutating func removeAll() {
        let last = lastLink
        self = ObjectTree(radio: radio)
        lastLink = last
    }

    /// Follows a signal of BlueZ. Signals of other kinds, or of wrong types, change nothing.
    mutating func apply(_ signal: Signal) -> Change {
        switch (signal.interface, signal.member) {
        case (BlueZName.objectManager, "InterfacesAdded"):
            guard signal.arguments.count == 2, case .objectPath(let path) = signal.arguments[0] else { return .other }
            return add(path, signal.arguments[1])
        case (BlueZName.objectManager, "InterfacesRemoved"):
            guard signal.arguments.count == 2, case .objectPath(let path) = signal.arguments[0],
                case .array(_, let names) = signal.arguments[1]
            else { return .other }
            for case .string(let interface) in names { remove(interface, at: path) }
            return .other
        case (BlueZName.properties, "PropertiesChanged"):
            return change(at: signal.path, signal.arguments)
        default:
            return .other
        }
    }

    /// Takes an object and all below it out, as after a successful `RemoveDevice`.
    mutating func removeSubtree(_ path: String) {
        let isInside = { (other: String) in other == path || other.hasPrefix(path + "/") }
        devices = devices.filter { !isInside($0.key) }
        links = links.filter { !isInside($0.key) }
        services = services.filter { !isInside($0.key) }
        characteristics = characteristics.filter { !isInside($0.key) }
        descriptors = descriptors.filter { !isInside($0.key) }
    }

    func link(of device: String) -> Link { links[device] ?? Link(number: 0, isUp: false) }
}

extension ObjectTree {
    private mutating func add(_ path: String, _ interfaces: DBusValue) -> Change {
        guard case .dictionary("s", "a{sv}", let entries) = interfaces else { return .other }
        var change = Change.other
        for case (.string(let interface), let value) in entries {
            guard let properties = Properties(value) else { continue }
            add(interface, at: path, properties)
            if interface == BlueZName.device, devices[path] != nil {
                change = .deviceAdded(path, heard: properties.int16("RSSI") != nil)
            }
        }
        return change
    }

    private mutating func add(_ interface: String, at path: String, _ properties: Properties) {
        switch interface {
        case BlueZName.adapter: Self.insert(path, properties, into: &adapters)
        case BlueZName.device:
            Self.insert(path, properties, into: &devices)
            followLink(path)
        case BlueZName.gattService: Self.insert(path, properties, into: &services)
        case BlueZName.characteristic: Self.insert(path, properties, into: &characteristics)
        case BlueZName.descriptor: Self.insert(path, properties, into: &descriptors)
        default: break
        }
    }

    private static func insert<Object: RemoteObject>(
        _ path: String, _ properties: Properties, into objects: inout [String: Object]
    ) {
        guard objects.count < maximumObjects || objects[path] != nil else { return }
        objects[path] = Object(path: path, properties)
    }

    private mutating func remove(_ interface: String, at path: String) {
        switch interface {
        case BlueZName.adapter: adapters[path] = nil
        case BlueZName.device:
            devices[path] = nil
            links[path] = nil
        case BlueZName.gattService: services[path] = nil
        case BlueZName.characteristic: characteristics[path] = nil
        case BlueZName.descriptor: descriptors[path] = nil
        default: break
        }
    }

    /// `PropertiesChanged(interface, changed, invalidated)`. It never makes an object.
    private mutating func change(at path: String, _ arguments: [DBusValue]) -> Change {
        guard arguments.count == 3, case .string(let interface) = arguments[0],
            let properties = Properties(arguments[1]), case .array(_, let names) = arguments[2]
        else { return .other }
        let invalidated = Set(
            names.compactMap { name in if case .string(let text) = name { text } else { nil } })
        switch interface {
        case BlueZName.adapter: adapters[path]?.change(properties, invalidated: invalidated)
        case BlueZName.characteristic: characteristics[path]?.change(properties, invalidated: invalidated)
        case BlueZName.device where devices[path] != nil:
            devices[path]?.change(properties, invalidated: invalidated)
            followLink(path)
            return .deviceChanged(path, heard: properties.int16("RSSI") != nil)
        default: break
        }
        return .other
    }

    private mutating func followLink(_ path: String) {
        guard let device = devices[path] else {
            links[path] = nil
            return
        }
        let link = link(of: path)
        if device.isConnected, !link.isUp {
            lastLink += 1
            links[path] = Link(number: lastLink, isUp: true)
        } else if !device.isConnected {
            links[path] = Link(number: link.number, isUp: false)
        }
    }
}
