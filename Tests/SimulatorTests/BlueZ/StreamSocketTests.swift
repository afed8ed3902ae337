import DBus
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import Simulator

/// The service on a bus of its own, with the scripted peripheral connected, and a client.
private struct ServiceBench {
    let bus: PrivateBus
    let service: BlueZService
    let client: BusConnection

    init(_ peripheral: ScriptedPeripheral) async throws {
        bus = try PrivateBus()
        var daemon = BluetoothDaemon(adapters: ["02:5A:11:00:00:01"], peripherals: [peripheral])
        daemon.restore(
            KnownDevice(
                address: peripheral.address, name: "espurr-0001", services: [ScriptedPeripheral.serviceUUID],
                key: ScriptedPeripheral.key), onAdapter: "02:5A:11:00:00:01")
        service = BlueZService(daemon, on: try await bus.connect())
        try await service.start()
        client = try await bus.connect()
        _ = try await call("Connect", of: "org.bluez.Device1", at: DaemonBench.device)
    }

    func call(
        _ member: String, of interface: String = "org.bluez.GattCharacteristic1",
        at path: String = DaemonBench.streaming, _ arguments: [DBusValue] = []
    ) async throws -> [DBusValue] {
        try await client.call(
            MethodCall(member, of: interface, at: path, to: "org.bluez", arguments), deadline: .seconds(30))
    }

    func acquire(_ member: String) async throws -> OwnedDescriptor {
        let reply = try await call(member, [.properties([:])])
        guard reply.count == 2, case .fileDescriptor(let descriptor) = reply[0] else { throw Unexpected(reply: reply) }
        #expect(reply[1] == .uint16(256))
        return descriptor
    }

    struct Unexpected: Error { let reply: [DBusValue] }

    /// The next packet, waited for half a minute at most; empty at the end, nil where nothing came.
    func receive(_ descriptor: OwnedDescriptor) async -> [UInt8]? {
        let isReady = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var poller = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
                continuation.resume(returning: poll(&poller, 1, 30_000) > 0)
            }
        }
        guard isReady else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    func received() async -> [CentralEvent] {
        (await service.stop().peripherals.first as? ScriptedPeripheral)?.received ?? []
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct `An acquired descriptor on the bus` {
    @Test func `carries what the client writes, packet by packet, until the client closes it`() async throws {
        let bench = try await ServiceBench(ScriptedPeripheral())
        var descriptor: OwnedDescriptor? = try await bench.acquire("AcquireWrite")
        for value in [[1, 2], [3]] as [[UInt8]] {
            #expect(send(descriptor?.number ?? -1, value, value.count, Int32(MSG_NOSIGNAL)) == value.count)
        }
        let rule = MatchRule(sender: "org.bluez", member: "PropertiesChanged", firstArgument: nil)
        let changes = try await bench.client.signals(rule, deadline: .seconds(30))
        descriptor = nil
        for await change in changes where change.path == DaemonBench.streaming {
            #expect(change.arguments[1] == .properties(["WriteAcquired": .boolean(false)]))
            break
        }
        #expect(
            await bench.received().suffix(3) == [
                .command(handle: 0x18, [1, 2]), .command(handle: 0x18, [3]), .linkClosed,
            ])
    }

    @Test func `carries notifications, and ends with the link`() async throws {
        var peripheral = ScriptedPeripheral()
        peripheral.echoes = true
        let bench = try await ServiceBench(peripheral)
        let notifications = try await bench.acquire("AcquireNotify")
        let writes = try await bench.acquire("AcquireWrite")
        for value in [[5, 6], [7]] as [[UInt8]] {
            #expect(send(writes.number, value, value.count, Int32(MSG_NOSIGNAL)) == value.count)
            #expect(await bench.receive(notifications) == value)
        }
        _ = try await bench.call("Disconnect", of: "org.bluez.Device1", at: DaemonBench.device)
        #expect(await bench.receive(notifications) == [])
    }
}
