import Bluetooth
import Ears
import Synchronization
import Testing

/// A central that does what a test wrote down; anything else fails the test.
final class ScriptedCentral: Central {
    struct Script: Sendable {
        var adapters: [Adapter]? = [.working]
        var known: [Sighting]?
        /// Nil: nobody may scan. Each scan hears all of them and goes on.
        var heard: [Sighting]?
        var connections: [Result<ScriptedPeripheral, BluetoothError>] = []
        var pair: (@Sendable (_ confirm: @Sendable (Passkey) async -> Bool) async -> Result<Void, BluetoothError>)?
        /// What the bond tells of paired ears; nil: they go by it already.
        var identity: BluetoothAddress?
        var removal: Result<Void, BluetoothError>?
    }

    enum Call: Hashable {
        case scan(AdapterName)
        case connect(BluetoothAddress, deadline: Duration)
        case pair(BluetoothAddress)
        case remove(BluetoothAddress)
    }

    private let script: Mutex<Script>
    private let log = Mutex<[Call]>([])

    init(_ script: Script) { self.script = Mutex(script) }

    var calls: [Call] { log.withLock { $0 } }
    private func note(_ call: Call) { log.withLock { $0.append(call) } }

    private func unscripted(_ what: String) -> BluetoothError {
        Issue.record("not in the script: \(what)")
        return .unexpected(name: "unscripted", message: what, during: .connect)
    }

    func adapters() async throws(BluetoothError) -> [Adapter] {
        guard let adapters = script.withLock({ $0.adapters }) else { throw unscripted("adapters") }
        return adapters
    }

    func known(with service: BluetoothUUID, on adapter: AdapterName?) async throws(BluetoothError) -> [Sighting] {
        guard let known = script.withLock({ $0.known }), service == EarsSession.service else {
            throw unscripted("known")
        }
        return known.filter { adapter == nil || $0.adapter == adapter }
    }

    func discover(_ service: BluetoothUUID, on adapter: AdapterName) -> AsyncThrowingStream<Sighting, any Error> {
        note(.scan(adapter))
        let heard = script.withLock { $0.heard }
        return AsyncThrowingStream { continuation in
            guard let heard else { return continuation.finish(throwing: self.unscripted("discover")) }
            for sighting in heard { continuation.yield(sighting) }
        }
    }

    func connect(
        to device: BluetoothAddress, on adapter: AdapterName, deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        note(.connect(device, deadline: deadline))
        let next = script.withLock { $0.connections.isEmpty ? nil : $0.connections.removeFirst() }
        guard let next else { throw unscripted("connect") }
        return try next.get()
    }

    func pair(
        with device: BluetoothAddress, on adapter: AdapterName, deadline: Duration,
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(BluetoothError) -> BluetoothAddress {
        note(.pair(device))
        guard let pair = script.withLock({ $0.pair }) else { throw unscripted("pair") }
        try await pair(confirm).get()
        return script.withLock { $0.identity } ?? device
    }

    func removeBond(of device: BluetoothAddress, on adapter: AdapterName) async throws(BluetoothError) {
        note(.remove(device))
        guard let removal = script.withLock({ $0.removal }) else { throw unscripted("removeBond") }
        try removal.get()
    }
}
