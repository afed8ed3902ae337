import DBus

/// What was under way when a call failed.
struct Situation: Hashable, Sendable {
    var operation: BluetoothError.Operation
    /// The address of the bus.
    var bus: String
    /// The deadline that the operation had.
    var limit: Duration
    var adapter: AdapterName?
    /// By rfkill, where the adapter is.
    var adapterBlock: RadioBlock?
    var device: BluetoothAddress?
}

/// Errors of D-Bus and BlueZ that mean the same whatever was asked for.
extension BluetoothError {
    init(_ failure: DBusError, _ situation: Situation) {
        switch failure {
        case .remote(let name, let message): self.init(remote: name, message, situation)
        case .libraryUnusable(let reason): self = .machine(.noBusLibrary(reason: reason))
        case .tooManyOpenFiles(let number): self = .machine(.tooManyOpenFiles(errno: number))
        case .connectionFailed(let address, let reason): self = .machine(.noBus(address: address, reason: reason))
        case .connectionRefused(let address, _): self = .machine(.busNotPermitted(address: address))
        case .disconnected: self = .machine(.noBus(address: situation.bus, reason: "disconnected"))
        case .deadline where situation.operation == .openBus:
            self = .machine(.busSilent(address: situation.bus, after: situation.limit))
        case .deadline: self = .deadline(situation.operation, after: situation.limit)
        case .cancelled: self = .cancelled
        case .invalidMessage(let reason):
            self = .unexpected(name: "invalid message", message: reason, during: situation.operation)
        case .unexpectedReply(let signature):
            self = .unexpected(name: "reply of another type", message: signature, during: situation.operation)
        case .nameTaken(let name), .pathTaken(let name):
            self = .unexpected(name: "taken", message: name, during: situation.operation)
        case .outOfMemory: self = .unexpected(name: "out of memory", message: "", during: situation.operation)
        }
    }

    private init(remote name: String, _ message: String, _ situation: Situation) {
        let operation = situation.operation
        let unexpected = Self.unexpected(name: name, message: message, during: operation)
        switch name {
        case BlueZErrorName.serviceUnknown, BlueZErrorName.nameHasNoOwner: self = .machine(.noDaemon(.ended))
        case _ where name.hasPrefix(BlueZErrorName.spawn): self = .machine(.noDaemon(.ended))
        case BlueZErrorName.noReply: self = .deadline(operation, after: situation.limit)
        case BlueZErrorName.accessDenied, BlueZErrorName.notAuthorized, BlueZErrorName.notPermitted:
            self = .notPermitted(operation: operation)
        case BlueZErrorName.notReady: self = situation.adapter.map(situation.off) ?? unexpected
        case BlueZErrorName.inProgress: self = .busy(operation)
        case BlueZErrorName.notSupported: self = .rejected(operation)
        case BlueZErrorName.doesNotExist, BlueZErrorName.unknownObject, BlueZErrorName.unknownMethod,
            BlueZErrorName.unknownInterface:
            self = situation.device.map(Self.unknownDevice) ?? unexpected
        case BlueZErrorName.notConnected: self = .linkLost(during: operation)
        default: self = unexpected
        }
    }
}

extension Situation {
    fileprivate func off(_ adapter: AdapterName) -> BluetoothError {
        .machine(adapterBlock.map { .adapterBlocked(adapter, by: $0) } ?? .adapterOff(adapter))
    }
}
