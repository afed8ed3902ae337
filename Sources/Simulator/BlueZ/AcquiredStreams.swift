import DBus

/// A descriptor that a client acquired. The sockets are the service's, the rules are here.
struct StreamID: Hashable, Sendable {
    let number: UInt64
}

struct AcquiredStream: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case writes, notifications

        /// Of the characteristic, while it is acquired.
        var property: String { self == .writes ? "WriteAcquired" : "NotifyAcquired" }
        var flag: String { self == .writes ? "write-without-response" : "notify" }
        var refusal: String { self == .writes ? "Write acquired" : "Notify acquired" }
    }

    let kind: Kind
    let device: String
    /// The characteristic's path, and the handle of its value.
    let path: String
    let handle: UInt16
}

/// `AcquireWrite` and `AcquireNotify`.
extension BluetoothDaemon {
    mutating func acquire(
        _ kind: AcquiredStream.Kind, of attribute: Attribute, _ flags: [String], _ id: CallID
    ) throws(ErrorReply) -> Reply {
        guard !isAcquired(attribute.path, for: kind) else { throw .notPermitted(kind.refusal) }
        guard flags.contains(kind.flag) else { throw .notSupported }
        let stream = AcquiredStream(
            kind: kind, device: attribute.device.path, path: attribute.path, handle: attribute.handle)
        if kind == .notifications { send(.subscribed(handle: stream.handle, true), to: stream.device) }
        tree.set(kind.property, of: BlueZInterface.characteristic, at: stream.path, to: .boolean(true))
        open(stream, mtu: peripherals[attribute.device.peripheral].maximumTransmissionUnit, for: id)
        return .later
    }

    func isAcquired(_ path: String, for kind: AcquiredStream.Kind) -> Bool {
        streams.values.contains { $0.path == path && $0.kind == kind }
    }

    /// BlueZ cuts a packet to what an attribute can hold, in silence.
    mutating func streamWrote(_ packet: [UInt8], on id: StreamID) {
        guard let stream = streams[id], stream.kind == .writes else { return }
        send(.command(handle: stream.handle, Array(packet.prefix(DaemonLimit.attributeValue))), to: stream.device)
    }

    mutating func endSubscription(_ id: StreamID) {
        guard let stream = release(id), stream.kind == .notifications else { return }
        send(.subscribed(handle: stream.handle, false), to: stream.device)
    }

    mutating func notified(_ device: String, handle: UInt16, _ value: [UInt8]) {
        let stream = streams.first {
            $0.value.device == device && $0.value.handle == handle && $0.value.kind == .notifications
        }
        // What nobody subscribed to has nobody to be told.
        if let stream { deliver(value, on: stream.key) }
    }

    /// With the link, which is told of first.
    mutating func endStreams(of device: String) {
        let ended = streams.filter { $0.value.device == device }.keys.sorted { $0.number < $1.number }
        for id in ended where release(id) != nil { close(id) }
    }

    private mutating func release(_ id: StreamID) -> AcquiredStream? {
        guard let stream = streams.removeValue(forKey: id) else { return nil }
        tree.set(stream.kind.property, of: BlueZInterface.characteristic, at: stream.path, to: .boolean(false))
        return stream
    }
}
