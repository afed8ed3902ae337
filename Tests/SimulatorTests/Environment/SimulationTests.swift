import ControlProtocol
import DBus
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// The whole of it on its private bus, with raw calls.
@Suite(.timeLimit(.minutes(1))) struct SimulationTests {
    private static let device = "/org/bluez/hci0/dev_02_E5_50_5C_1A_01"
    private static let service = device + "/service0010"
    private static let deadline = Duration.seconds(10)
    private static let path = "/usr/bin:/bin"

    private func options(_ faults: String..., change: (inout SimulationOptions) -> Void = { _ in }) throws
        -> SimulationOptions
    {
        var options = SimulationOptions(seed: 1)
        options.family = .esp32
        for fault in faults { try options.faults.add(fault) }
        change(&options)
        return options
    }

    /// Runs a body beside a simulation and a client, and ends both.
    private func with<Result: Sendable>(
        _ options: SimulationOptions, _ body: (Simulation, BusConnection) async throws -> Result
    ) async throws -> Result {
        let simulation = try await Simulation.start(options, path: Self.path)
        do {
            let address = try #require(simulation.environment["DBUS_SYSTEM_BUS_ADDRESS"])
            let client = try await BusConnection(to: .explicit(address), deadline: Self.deadline)
            let result = try await body(simulation, client)
            await client.close()
            try await simulation.stop()
            return result
        } catch {
            try await simulation.stop()
            throw error
        }
    }

    private func call(
        _ member: String, of interface: String, at path: String = device, _ arguments: [DBusValue] = [],
        on client: BusConnection
    ) async throws -> [DBusValue] {
        let call = MethodCall(member, of: "org.bluez." + interface, at: path, to: "org.bluez", arguments)
        return try await client.call(call, deadline: Self.deadline)
    }

    private func property(_ name: String, on client: BusConnection) async throws -> DBusValue? {
        let call = MethodCall(
            "Get", of: "org.freedesktop.DBus.Properties", at: Self.device, to: "org.bluez",
            [.string("org.bluez.Device1"), .string(name)])
        return try await client.call(call, deadline: Self.deadline).only?.unwrapped
    }

    /// One exchange with an endpoint over the bus.
    private func exchange(_ request: [UInt8], at characteristic: String, on client: BusConnection) async throws
        -> [DBusValue]
    {
        let path = Self.service + "/" + characteristic
        _ = try await call(
            "WriteValue", of: "GattCharacteristic1", at: path,
            [.bytes(request), .properties(["type": .string("request")])], on: client)
        return try await call("ReadValue", of: "GattCharacteristic1", at: path, [.properties([:])], on: client)
    }

    @Test func `bonded ears are connected, named and spoken to, and nothing is left`() async throws {
        let folder = try await with(try options()) { simulation, client in
            _ = try await call("Connect", of: "Device1", on: client)
            let names = try await call(
                "ReadValue", of: "GattDescriptor1", at: Self.service + "/char0011/desc0013", [.properties([:])],
                on: client)
            #expect(names == [.bytes(Array(EndpointName.version.rawValue.utf8))])
            let document = try await exchange([0x30], at: "char0011", on: client)
            guard case .bytes(let bytes)? = document.only else { throw Failure.unexpected }
            #expect(String(decoding: bytes, as: UTF8.self).contains("\"protocol\":2"))
            return await simulation.folder
        }
        #expect(access(folder, F_OK) != 0)
    }

    private enum Failure: Error { case unexpected }

    @Test func `signals tell of the link in order`() async throws {
        try await with(try options()) { _, client in
            let signals = try await client.signals(
                MatchRule(sender: "org.bluez", path: Self.device, member: "PropertiesChanged"),
                deadline: Self.deadline)
            _ = try await call("Connect", of: "Device1", on: client)
            _ = try await call("Disconnect", of: "Device1", on: client)
            var told: [String] = []
            for await signal in signals {
                let changed = signal.arguments[1].properties ?? [:]
                for name in ["Connected", "ServicesResolved"] {
                    if let value = changed[name] { told.append("\(name) \(value == .boolean(true))") }
                }
                if told.last == "ServicesResolved false" { break }
            }
            #expect(
                told == [
                    "Connected true", "ServicesResolved true", "Connected false", "ServicesResolved false",
                ])
        }
    }

    // MARK: Pairing

    /// Pairs with an agent that compares the digits of the agent's call with those on the serial console.
    private func pair(_ options: SimulationOptions, accept: @escaping @Sendable (Bool) -> Bool = { $0 }) async throws
        -> (result: DBusError?, isPaired: DBusValue?)
    {
        try await with(options) { simulation, client in
            let serial = simulation.serialConsole
            try await client.export(at: "/agent") { call in
                guard call.member == "RequestConfirmation", case .uint32(let passkey)? = call.arguments.last else {
                    return .error(name: "org.bluez.Error.Rejected", message: "")
                }
                let digits = String(passkey)
                let line = "passkey " + String(repeating: "0", count: 6 - digits.count) + digits + "\n"
                let isSame = (try? Folder.read(serial, limit: 4096)).flatMap { $0 } == Array(line.utf8)
                return accept(isSame) ? .values([]) : .error(name: "org.bluez.Error.Rejected", message: "")
            }
            _ = try await call(
                "RegisterAgent", of: "AgentManager1", at: "/org/bluez",
                [.objectPath("/agent"), .string("DisplayYesNo")], on: client)
            try await discover(on: client)
            var failure: DBusError?
            do throws(DBusError) {
                _ = try await client.call(
                    MethodCall("Pair", of: "org.bluez.Device1", at: Self.device, to: "org.bluez"),
                    deadline: Self.deadline)
            } catch {
                failure = error
            }
            return (failure, try await property("Paired", on: client))
        }
    }

    private func discover(on client: BusConnection) async throws {
        let added = try await client.signals(
            MatchRule(sender: "org.bluez", member: "InterfacesAdded"), deadline: Self.deadline)
        _ = try await call("StartDiscovery", of: "Adapter1", at: "/org/bluez/hci0", on: client)
        for await signal in added where signal.arguments.first == .objectPath(Self.device) { break }
        _ = try await call("StopDiscovery", of: "Adapter1", at: "/org/bluez/hci0", on: client)
    }

    @Test func `ears are paired by the digits on their serial console`() async throws {
        let (result, isPaired) = try await pair(try options { $0.isPaired = false })
        #expect(result == nil)
        #expect(isPaired == .boolean(true))
    }

    @Test func `digits of a man in the middle do not match, and there is no bond`() async throws {
        let (result, isPaired) = try await pair(try options("wrong-passkey") { $0.isPaired = false })
        #expect(result == .remote(name: "org.bluez.Error.AuthenticationFailed", message: "Authentication Failed"))
        #expect(isPaired == .boolean(false))
    }

    @Test func `a downgrade reads as paired without any question`() async throws {
        let asked = Mutex(false)
        let (result, isPaired) = try await pair(try options("just-works") { $0.isPaired = false }) { isSame in
            asked.withLock { $0 = true }
            return isSame
        }
        #expect(result == nil)
        #expect(isPaired == .boolean(true))
        #expect(asked.withLock { $0 } == false)
    }

    // MARK: This machine

    @Test func `without a daemon the name has no owner`() async throws {
        let owner = try await with(try options("no-daemon")) { _, client in try await client.owner(of: "org.bluez") }
        #expect(owner == nil)
    }

    @Test func `a hung daemon owns the name and does not answer`() async throws {
        try await with(try options("hung-daemon")) { _, client in
            let owner = try await client.owner(of: "org.bluez")
            #expect(owner != nil)
            let call = MethodCall(
                "GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/", to: "org.bluez")
            await #expect(throws: DBusError.deadline(.milliseconds(50))) {
                _ = try await client.call(call, deadline: .milliseconds(50))
            }
        }
    }

    @Test func `an activatable daemon never comes, and its program ends with the run`() async throws {
        try await with(try options("activatable-daemon")) { _, client in
            var call = MethodCall("Introspect", of: "org.freedesktop.DBus.Introspectable", at: "/", to: "org.bluez")
            await #expect(throws: DBusError.self) { _ = try await client.call(call, deadline: Self.deadline) }
            call.startsService = true
            await #expect(throws: DBusError.deadline(.milliseconds(200))) {
                _ = try await client.call(call, deadline: .milliseconds(200))
            }
        }
    }

    @Test func `a bus that denies says so`() async throws {
        let name = try await with(try options("access-denied")) { _, client -> String? in
            do {
                _ = try await call("StartDiscovery", of: "Adapter1", at: "/org/bluez/hci0", on: client)
                return nil
            } catch DBusError.remote(let name, _) {
                return name
            }
        }
        #expect(name == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test func `without a bus nothing listens`() async throws {
        let simulation = try await Simulation.start(try options("no-bus"), path: Self.path)
        let address = try #require(simulation.environment["DBUS_SYSTEM_BUS_ADDRESS"])
        await #expect(throws: DBusError.self) {
            try await BusConnection(to: .explicit(address), deadline: Self.deadline)
        }
        try await simulation.stop()
    }

    // MARK: State

    @Test func `what is kept is there in the next run: the bond, and a boot more`() async throws {
        let folder = try TemporaryFolder()
        let kept = try options { $0.stateFolder = folder.path + "/state" }
        for boot in [UInt32(1), 2] {
            try await with(kept) { _, client in
                _ = try await call("Connect", of: "Device1", on: client)
                #expect(try await property("Bonded", on: client) == .boolean(true))
            }
            let ears = try EarsFolder(path: folder.path + "/state/ears-1").load(kept.earsConfiguration(0))
            #expect(ears.memory.bootCount == boot)
            #expect(ears.memory.bonds.all.count == 1)
        }
    }

    @Test func `a state of another family, or in use, is refused`() async throws {
        let folder = try TemporaryFolder()
        let first = try await Simulation.start(try options { $0.stateFolder = folder.path }, path: Self.path)
        await #expect(throws: SimulationError.stateInUse(path: folder.path)) {
            try await Simulation.start(self.options { $0.stateFolder = folder.path }, path: Self.path)
        }
        try await first.stop()
        let other = try options {
            $0.stateFolder = folder.path
            $0.family = .s3
        }
        await #expect(throws: SimulationError.otherFamily(.esp32)) {
            try await Simulation.start(other, path: Self.path)
        }
    }

    @Test func `pairs are bonded with the adapters by turns, and each is reached over its own`() async throws {
        let three = try options {
            $0.ears = 3
            $0.adapters = 2
        }
        try await with(three) { _, client in
            let reply = try await client.call(
                MethodCall(
                    "GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/", to: "org.bluez"),
                deadline: Self.deadline)
            guard case .dictionary(_, _, let objects)? = reply.only else { throw Failure.unexpected }
            let devices = objects.keys.compactMap { key -> String? in
                guard case .objectPath(let path) = key, path.contains("/dev_") else { return nil }
                return path
            }
            let expected = [
                "/org/bluez/hci0/dev_02_E5_50_5C_1A_01", "/org/bluez/hci0/dev_02_E5_50_5C_1A_03",
                "/org/bluez/hci1/dev_02_E5_50_5C_1A_02",
            ]
            #expect(
                devices.filter { $0.hasSuffix("_01") || $0.hasSuffix("_02") || $0.hasSuffix("_03") }.sorted()
                    == expected)
            for path in expected { _ = try await call("Connect", of: "Device1", at: path, on: client) }
        }
    }

    @Test func `the flash is dumped whole, of each pair`() async throws {
        let folder = try TemporaryFolder()
        let dump = folder.path + "/flash.bin"
        let two = try options {
            $0.flashDump = dump
            $0.ears = 2
        }
        try await with(two) { _, _ in }
        for path in [dump, dump + ".2"] {
            #expect(try Folder.read(path, limit: 4 << 20)?.count == 4 << 20)
        }
    }

    @Test func `an error while setting up leaves nothing`() async throws {
        let folder = try TemporaryFolder()
        let blocked = folder.path + "/file"
        try Folder.write([1], to: blocked)
        let options = try options { $0.stateFolder = blocked }
        await #expect(throws: SimulationError.file(path: blocked, errno: ENOTDIR)) {
            try await Simulation.start(options, path: Self.path)
        }
    }
}
