import DBus

/// A call on a characteristic or descriptor, which fails at once when the link or the object goes.
struct GATTCall: Sendable {
    let operation: BluetoothError.Operation
    let member: String
    let interface: String
    let path: String
    let arguments: [DBusValue]
}

private enum GATTEnd: Sendable {
    case reply(Result<[DBusValue], DBusError>)
    case linkLost
    case interrupted
}

extension BlueZPeripheral {
    func perform(_ call: GATTCall, within limit: Duration) async throws(BluetoothError) -> [DBusValue] {
        let time = Deadline(limit, on: objects.clock)
        let end = await withTaskGroup(of: GATTEnd.self) { group in
            group.addTask { .reply(await reply(to: call, within: limit)) }
            group.addTask { await loss(of: call) }
            defer { group.cancelAll() }
            for await end in group {
                if case .interrupted = end { continue }
                return end
            }
            return .interrupted
        }
        switch end {
        case .linkLost: throw .linkLost(during: call.operation)
        case .interrupted: throw .cancelled
        case .reply(.success(let values)): return values
        case .reply(.failure(let failure)): throw await translate(failure, of: call, after: time.elapsed, limit)
        }
    }

    private func reply(to call: GATTCall, within limit: Duration) async -> Result<[DBusValue], DBusError> {
        do throws(DBusError) {
            return .success(
                try await objects.call(
                    call.member, of: call.interface, at: call.path, call.arguments, within: limit))
        } catch {
            return .failure(error)
        }
    }

    /// Ends when the link or the object has gone.
    private func loss(of call: GATTCall) async -> GATTEnd {
        let (device, link) = (device.path, link)
        let gone: Bool? = try? await objects.wait {
            $0.isUp(link, to: device) && $0.holdsValue(at: call.path) ? nil : true
        }
        return gone == nil ? .interrupted : .linkLost
    }

    /// A request without a response for so long ends the bearer (Core specification, Vol 3 Part F 3.3.3): BlueZ says
    /// ATT 0x0e first, and takes seconds to end the link.
    private static let transactionTimeout = Duration.seconds(30)

    private func translate(
        _ failure: DBusError, of call: GATTCall, after elapsed: Duration, _ limit: Duration
    ) async -> BluetoothError {
        let situation = await objects.situation(call.operation, limit, at: device)
        var linkIsUp = await objects.tree.isUp(link, to: device.path)
        if linkIsUp, BluetoothError.mayBeDroppedLink(failure) {
            let isUnanswered = elapsed >= Self.transactionTimeout
            let patience = isUnanswered ? objects.limits.disconnect : objects.limits.settle
            let ended = await race(within: patience, on: objects.clock) { await loss(of: call) }
            if case .linkLost? = ended { linkIsUp = false }
        }
        return BluetoothError(gatt: failure, linkIsUp: linkIsUp, situation)
    }
}

extension [DBusValue] {
    /// The `ay` that ReadValue answers.
    func value(of call: GATTCall) throws(BluetoothError) -> [UInt8] {
        guard case .bytes(let bytes)? = first, bytes.count <= BlueZPeripheral.maximumValueLength else {
            throw .unexpected(name: call.member, message: "a reply of another type", during: call.operation)
        }
        return bytes
    }
}

extension ObjectTree {
    fileprivate func holdsValue(at path: String) -> Bool {
        characteristics[path] != nil || descriptors[path] != nil
    }
}
