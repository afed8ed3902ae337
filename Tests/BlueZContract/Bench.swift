import Bluetooth
import DBus

/// The product's own central, and a plain connection to the same bus for what it does not show.
struct Bench: Sendable {
    let central: BlueZCentral
    let bus: BusConnection
    let adapter: AdapterName

    init(_ limits: BlueZLimits = BlueZLimits()) async throws {
        central = BlueZCentral(limits: limits)
        bus = try await BusConnection(to: .system, deadline: .seconds(10))
        guard let first = try await central.adapters().first, first.isPowered else {
            throw Disagreement(description: "no adapter that is on")
        }
        adapter = first.name
    }

    /// With the same bus and another central.
    func with(_ limits: BlueZLimits) async throws -> Bench { try await Bench(limits) }

    func forget() async throws {
        do throws(BluetoothError) {
            try await central.removeBond(of: ContractPeripheral.address, on: adapter)
        } catch .unknownDevice {
            return
        }
    }

    /// The peripheral as it is heard.
    func find() async throws -> Sighting {
        try await within(.seconds(20)) {
            for try await sighting in central.discover(ContractPeripheral.service, on: adapter)
            where sighting.address == ContractPeripheral.address && sighting.rssi != nil && sighting.name != nil {
                return sighting
            }
            throw Disagreement(description: "the discovery ended by itself")
        }
    }

    /// Found where BlueZ does not know it yet.
    func connect() async throws -> Link {
        let known = try await central.known(with: ContractPeripheral.service, on: adapter)
        if !known.contains(where: { $0.address == ContractPeripheral.address }) { _ = try await find() }
        let peripheral = try await central.connect(
            to: ContractPeripheral.address, on: adapter, deadline: .seconds(30))
        return try await Link(peripheral, on: self)
    }

    /// Paired by a comparison.
    func pairedLink() async throws -> Link {
        _ = try await find()
        try await pair()
        return try await connect()
    }

    func pair(accepting isEqual: Bool = true) async throws(BluetoothError) {
        try await central.pair(with: ContractPeripheral.address, on: adapter, deadline: .seconds(45)) { _ in isEqual }
    }

    /// What BlueZ holds of it; nil where it does not know it.
    func known() async throws -> Sighting? {
        try await central.known(with: ContractPeripheral.service, on: adapter)
            .first { $0.address == ContractPeripheral.address }
    }

    // MARK: D-Bus

    var devicePath: String {
        "/org/bluez/\(adapter)/dev_" + ContractPeripheral.address.description.replacing(":", with: "_")
    }

    func call(_ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = []) async throws
        -> [DBusValue]
    {
        try await bus.call(
            MethodCall(member, of: interface, at: path, to: "org.bluez", arguments), deadline: .seconds(30))
    }

    func property(_ name: String, of interface: String, at path: String) async throws -> DBusValue? {
        let values = try await call(
            "Get", of: "org.freedesktop.DBus.Properties", at: path, [.string(interface), .string(name)])
        return values.first?.unwrapped
    }

    /// Name and text of the error that a call ends with; nil where it has none.
    func refusal(_ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = []) async throws
        -> [String]?
    {
        do {
            _ = try await call(member, of: interface, at: path, arguments)
            return nil
        } catch DBusError.remote(let name, let message) {
            return [name, message]
        }
    }
}

/// A link to the peripheral, and its characteristics.
struct Link: Sendable {
    let bench: Bench
    let peripheral: any Peripheral
    let control: Characteristic
    let value: Characteristic
    let guarded: Characteristic
    let stream: Characteristic

    static let interface = "org.bluez.GattCharacteristic1"

    init(_ peripheral: any Peripheral, on bench: Bench) async throws {
        self.bench = bench
        self.peripheral = peripheral
        let found = try await peripheral.characteristics(of: ContractPeripheral.service)
        func one(_ uuid: BluetoothUUID) throws -> Characteristic {
            guard let one = found.first(where: { $0.uuid == uuid }) else {
                throw Disagreement(description: "no characteristic \(uuid)")
            }
            return one
        }
        control = try one(ContractPeripheral.control)
        value = try one(ContractPeripheral.value)
        guarded = try one(ContractPeripheral.guarded)
        stream = try one(ContractPeripheral.stream)
    }

    func tell(_ action: Action) async throws(BluetoothError) {
        try await peripheral.write(action.bytes, to: control, deadline: .seconds(20))
    }

    func counters() async throws -> Counters {
        guard let counters = Counters(try await peripheral.read(control, deadline: .seconds(20))) else {
            throw Disagreement(description: "counters of another length")
        }
        return counters
    }

    func read(_ characteristic: Characteristic, within limit: Duration = .seconds(20)) async throws(BluetoothError)
        -> [UInt8]
    {
        try await peripheral.read(characteristic, deadline: limit)
    }

    func write(_ bytes: [UInt8], to characteristic: Characteristic) async throws(BluetoothError) {
        try await peripheral.write(bytes, to: characteristic, deadline: .seconds(20))
    }

    /// Of BlueZ's object for the characteristic, asked without the product.
    func refusal(_ member: String, of characteristic: Characteristic, _ arguments: [DBusValue]) async throws
        -> [String]?
    {
        try await bench.refusal(member, of: Self.interface, at: characteristic.handle, arguments)
    }

    func property(_ name: String, of characteristic: Characteristic) async throws -> DBusValue? {
        try await bench.property(name, of: Self.interface, at: characteristic.handle)
    }

    /// Waits until the property has that value.
    func until(_ name: String, of characteristic: Characteristic, is wanted: DBusValue) async throws {
        try await within(.seconds(20)) {
            while try await property(name, of: characteristic) != wanted {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Waits until the peripheral has counted that many packets.
    func counted(packets: UInt32) async throws -> Counters {
        try await within(.seconds(40)) {
            while true {
                let counters = try await counters()
                if counters.packets >= packets { return counters }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
