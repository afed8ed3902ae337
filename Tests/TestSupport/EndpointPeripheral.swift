public import Bluetooth
public import ControlProtocol
import Synchronization

/// Connected ears at the level of messages: endpoints whose replies a test writes. Whatever no handler is written for,
/// and whatever breaks the rules of the exchange, becomes a ``violations`` entry, which a test holds to be empty.
public final class EndpointPeripheral: Peripheral {
    /// How an exchange goes.
    public enum Answer: Sendable {
        case reply([UInt8])
        /// The write is refused; nothing took effect.
        case writeFails(BluetoothError)
        /// The write is acknowledged, the read is refused.
        case readFails(BluetoothError)
        /// The link ends during the write.
        case linkEnds
        /// The write is acknowledged, and the link ends before the reply is read.
        case linkEndsBeforeReply
        /// The reply is read, and then the link ends.
        case replyThenLinkEnds([UInt8])
    }

    public typealias Handler = @Sendable ([UInt8]) async -> Answer

    private struct State {
        var isUp = true
        var isBonded = true
        var pending: [String: Answer] = [:]
        var isInExchange = false
        var violations: [String] = []
        var requests: [EndpointName] = []
        var deadlines: [Duration] = []
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<UInt64> = []
        var lastWaiter: UInt64 = 0
        /// By endpoint, as BlueZ and the ears hold it.
        var lastReplies: [String: [UInt8]] = [:]
        var isReadFirst = false
    }

    public let address: BluetoothAddress
    public let adapter: AdapterName
    private let table: [Characteristic]
    private let names: [String: [UInt8]]
    private let handlers: [EndpointName: Handler]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - extra: characteristics beside the endpoints, with what their 0x2901 says.
    public init(
        address: BluetoothAddress, adapter: AdapterName, mtu: Int = 517, handlers: [EndpointName: Handler],
        extra: [(Characteristic, name: String)] = []
    ) {
        self.address = address
        self.adapter = adapter
        self.handlers = handlers
        var table: [Characteristic] = []
        var names: [String: [UInt8]] = [:]
        for endpoint in EndpointName.allCases where handlers[endpoint] != nil {
            table.append(Self.characteristic(endpoint, mtu: mtu))
            names[endpoint.rawValue] = Array(endpoint.rawValue.utf8)
        }
        for (characteristic, name) in extra {
            table.append(characteristic)
            names[characteristic.handle] = Array(name.utf8)
        }
        self.table = table
        self.names = names
    }

    public static func characteristic(_ endpoint: EndpointName, mtu: Int = 517) -> Characteristic {
        guard let uuid = BluetoothUUID(EarsService.characteristicUUID(of: endpoint)) else {
            preconditionFailure("the UUID scheme gives no UUID")
        }
        return Characteristic(
            uuid: uuid, properties: [.read, .write], descriptors: [.userDescription], maximumTransmissionUnit: mtu,
            handle: endpoint.rawValue)
    }

    /// What was done that must not be done.
    public var violations: [String] { state.withLock(\.violations) }
    /// Endpoints written to, in order.
    public var requests: [EndpointName] { state.withLock(\.requests) }

    /// What each of them was given.
    public var deadlines: [Duration] { state.withLock(\.deadlines) }

    public func loseBond() { state.withLock { $0.isBonded = false } }

    /// From now on the reads of overlapping exchanges are answered before their writes, as over two bearers.
    public func readFirst() { state.withLock { $0.isReadFirst = true } }

    public func exchange(
        _ value: [UInt8], with characteristic: Characteristic, deadline: Duration, overlapping: Bool
    ) async throws(BluetoothError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        let early = overlapping ? state.withLock { $0.isReadFirst ? $0.lastReplies[characteristic.handle] : nil } : nil
        return try await Task { () -> Result<[UInt8], BluetoothError> in
            do throws(BluetoothError) {
                try await write(value, to: characteristic, deadline: deadline)
                let reply = try await read(characteristic, deadline: deadline)
                state.withLock { $0.lastReplies[characteristic.handle] = reply }
                return .success(early ?? reply)
            } catch {
                return .failure(error)
            }
        }.value.get()
    }

    public var isLinkUp: Bool { state.withLock { $0.isUp } }

    public func endLink() {
        let waiters = state.withLock { state in
            state.isUp = false
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    public func isBonded() async throws(BluetoothError) -> Bool { state.withLock(\.isBonded) }

    public func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic] {
        guard service.description == EarsService.uuid else { throw .missingService(service) }
        return table
    }

    public func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        try checkUp(.readDescriptor)
        guard descriptor == .userDescription, let name = names[characteristic.handle] else {
            throw .rejected(.readDescriptor)
        }
        return name
    }

    public func write(
        _ value: [UInt8], to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) {
        try checkUp(.write)
        guard let endpoint = EndpointName(rawValue: characteristic.handle), let handler = handlers[endpoint] else {
            note("a write to \(characteristic.handle), which nothing answers for")
            throw .rejected(.write)
        }
        begin(value, to: endpoint, deadline)
        let answer = await handler(value)
        switch answer {
        case .writeFails(let error):
            state.withLock { $0.isInExchange = false }
            throw error
        case .linkEnds:
            endLink()
            throw .linkLost(during: .write)
        default:
            try checkUp(.write)
            state.withLock { $0.pending[characteristic.handle] = answer }
        }
    }

    public func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        try checkUp(.read)
        let answer = state.withLock { state in
            state.isInExchange = false
            return state.pending.removeValue(forKey: characteristic.handle)
        }
        switch answer {
        case .reply(let bytes): return bytes
        case .readFails(let error): throw error
        case .replyThenLinkEnds(let bytes):
            endLink()
            return bytes
        case .linkEndsBeforeReply:
            endLink()
            throw .linkLost(during: .read)
        case .writeFails, .linkEnds, nil:
            note("a read of \(characteristic.handle) with nothing to read")
            throw .rejected(.read)
        }
    }

    public func linkEnded() async {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.isUp, state.cancelled.remove(id) == nil else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                guard let waiter = state.waiters.removeValue(forKey: id) else {
                    state.cancelled.insert(id)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return waiter
            }
            waiter?.resume()
        }
    }

    public func disconnect() async throws(BluetoothError) { endLink() }

    private func begin(_ value: [UInt8], to endpoint: EndpointName, _ deadline: Duration) {
        if value.isEmpty { note("an empty write to \(endpoint.rawValue)") }
        let isOverlapping = state.withLock { state in
            state.requests.append(endpoint)
            state.deadlines.append(deadline)
            defer { state.isInExchange = true }
            return state.isInExchange
        }
        if isOverlapping { note("a write to \(endpoint.rawValue) before the reply to the last one was read") }
    }

    private func checkUp(_ operation: BluetoothError.Operation) throws(BluetoothError) {
        guard state.withLock(\.isUp) else { throw .linkLost(during: operation) }
    }

    private func note(_ violation: String) { state.withLock { $0.violations.append(violation) } }
}
