/// What an interface offers: introspection, the check of a call's arguments and of a `Set` are all made from it.
struct InterfaceDescription: Sendable {
    struct Method: Sendable {
        let name: String
        /// Name and type of each argument.
        let input: [(name: String, type: String)]
        let output: [(name: String, type: String)]

        init(
            _ name: String, _ input: KeyValuePairs<String, String> = [:], to output: KeyValuePairs<String, String> = [:]
        ) {
            self.name = name
            self.input = input.map { ($0.key, $0.value) }
            self.output = output.map { ($0.key, $0.value) }
        }

        var inputSignature: String { input.map(\.type).joined() }
    }

    struct Property: Sendable {
        let name: String
        let type: String
        let isWritable: Bool

        init(_ name: String, _ type: String, writable: Bool = false) {
            self.name = name
            self.type = type
            self.isWritable = writable
        }
    }

    let name: String
    let methods: [Method]
    var signals: [Method] = []
    var properties: [Property] = []

    func property(named name: String) -> Property? { properties.first { $0.name == name } }
}

/// The interfaces of `org.bluez` that are here, named as BlueZ's documentation names them.
enum BlueZInterface {
    static let agentManager = "org.bluez.AgentManager1"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    /// Of the agent, on the client's side.
    static let agent = "org.bluez.Agent1"
}

extension InterfaceDescription {
    static func named(_ name: String) -> InterfaceDescription? { all.first { $0.name == name } }

    static let all: [InterfaceDescription] = [
        objectManager, propertiesInterface, introspectable, agentManager, adapter, device, service, characteristic,
        descriptor,
    ]

    static let objectManager = InterfaceDescription(
        name: StandardInterface.objectManager,
        methods: [Method("GetManagedObjects", to: ["objects": "a{oa{sa{sv}}}"])],
        signals: [
            Method("InterfacesAdded", ["object": "o", "interfaces": "a{sa{sv}}"]),
            Method("InterfacesRemoved", ["object": "o", "interfaces": "as"]),
        ])

    static let propertiesInterface = InterfaceDescription(
        name: StandardInterface.properties,
        methods: [
            Method("Get", ["interface": "s", "name": "s"], to: ["value": "v"]),
            Method("Set", ["interface": "s", "name": "s", "value": "v"]),
            Method("GetAll", ["interface": "s"], to: ["properties": "a{sv}"]),
        ],
        signals: [
            Method(
                "PropertiesChanged",
                ["interface": "s", "changed_properties": "a{sv}", "invalidated_properties": "as"])
        ])

    static let introspectable = InterfaceDescription(
        name: StandardInterface.introspectable, methods: [Method("Introspect", to: ["xml": "s"])])

    static let agentManager = InterfaceDescription(
        name: BlueZInterface.agentManager,
        methods: [
            Method("RegisterAgent", ["agent": "o", "capability": "s"]),
            Method("UnregisterAgent", ["agent": "o"]),
            Method("RequestDefaultAgent", ["agent": "o"]),
        ])

    static let adapter = InterfaceDescription(
        name: BlueZInterface.adapter,
        methods: [
            Method("StartDiscovery"), Method("StopDiscovery"),
            Method("SetDiscoveryFilter", ["properties": "a{sv}"]),
            Method("RemoveDevice", ["device": "o"]),
            Method("GetDiscoveryFilters", to: ["filters": "as"]),
        ],
        properties: [
            Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
            Property("Alias", "s", writable: true), Property("Class", "u"), Property("Powered", "b", writable: true),
            Property("PowerState", "s"), Property("Discoverable", "b", writable: true),
            Property("DiscoverableTimeout", "u", writable: true), Property("Pairable", "b", writable: true),
            Property("PairableTimeout", "u", writable: true), Property("Discovering", "b"), Property("UUIDs", "as"),
            Property("Modalias", "s"), Property("Roles", "as"),
        ])

    static let device = InterfaceDescription(
        name: BlueZInterface.device,
        methods: [
            Method("Disconnect"), Method("Connect"), Method("ConnectProfile", ["UUID": "s"]),
            Method("DisconnectProfile", ["UUID": "s"]), Method("Pair"), Method("CancelPairing"),
        ],
        properties: [
            Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
            Property("Alias", "s", writable: true), Property("Paired", "b"), Property("Bonded", "b"),
            Property("Trusted", "b", writable: true), Property("Blocked", "b", writable: true),
            Property("LegacyPairing", "b"), Property("RSSI", "n"), Property("Connected", "b"), Property("UUIDs", "as"),
            Property("Adapter", "o"), Property("ServicesResolved", "b"), Property("AdvertisingFlags", "ay"),
        ])

    static let service = InterfaceDescription(
        name: BlueZInterface.service, methods: [],
        properties: [
            Property("UUID", "s"), Property("Device", "o"), Property("Primary", "b"), Property("Includes", "ao"),
        ])

    static let characteristic = InterfaceDescription(
        name: BlueZInterface.characteristic,
        methods: [
            Method("ReadValue", ["options": "a{sv}"], to: ["value": "ay"]),
            Method("WriteValue", ["value": "ay", "options": "a{sv}"]),
            Method("AcquireWrite", ["options": "a{sv}"], to: ["fd": "h", "mtu": "q"]),
            Method("AcquireNotify", ["options": "a{sv}"], to: ["fd": "h", "mtu": "q"]),
            Method("StartNotify"), Method("StopNotify"),
        ],
        properties: [
            Property("UUID", "s"), Property("Service", "o"), Property("Value", "ay"), Property("Flags", "as"),
            Property("MTU", "q"), Property("WriteAcquired", "b"), Property("NotifyAcquired", "b"),
        ])

    static let descriptor = InterfaceDescription(
        name: BlueZInterface.descriptor,
        methods: [
            Method("ReadValue", ["options": "a{sv}"], to: ["value": "ay"]),
            Method("WriteValue", ["value": "ay", "options": "a{sv}"]),
        ],
        properties: [Property("UUID", "s"), Property("Characteristic", "o"), Property("Value", "ay")])
}
