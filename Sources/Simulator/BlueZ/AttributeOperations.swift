import DBus

/// Reads and writes of characteristics and descriptors: one at a time on the air, as ATT has it.
extension BluetoothDaemon {
    mutating func attributeMethod(
        of interface: String, _ call: IncomingCall, _ id: CallID
    ) throws(ErrorReply) -> Reply {
        guard let (handle, flags, path) = attribute(at: call.path), let device = devices[path] else {
            throw .unknownObject(path: call.path)
        }
        guard device.link.isUp, tree.value("ServicesResolved", of: BlueZInterface.device, at: path) == .boolean(true)
        else { throw .failed("Not connected") }
        let attribute = (interface, call.path, handle, device)
        switch (call.member, call.arguments.first, call.arguments.last) {
        case ("ReadValue", _, let options?):
            return try read(attribute, try OperationOptions(options), id)
        case ("WriteValue", .bytes(let value)?, let options?):
            return try write(value, flags, attribute, try OperationOptions(options), id)
        case ("AcquireWrite", _, _): return try acquire(.writes, of: attribute, flags, id)
        case ("AcquireNotify", _, _): return try acquire(.notifications, of: attribute, flags, id)
        case ("StopNotify", _, _):
            throw .failed("No notify session started")
        default:
            // StartNotify: notifications come over a descriptor here.
            throw .notSupported
        }
    }

    typealias Attribute = (interface: String, path: String, handle: UInt16, device: DeviceState)

    private mutating func read(
        _ attribute: Attribute, _ options: OperationOptions, _ id: CallID
    ) throws(ErrorReply) -> Reply {
        if faults.contains(.silentRead), attribute.interface == BlueZInterface.characteristic { return .never }
        let operation = AttributeOperation(
            kind: .read(offset: options.offset), path: attribute.path, interface: attribute.interface,
            handle: attribute.handle, calls: [id])
        let same = attribute.device.operations.firstIndex {
            $0.path == attribute.path && $0.isRead
        }
        guard let same else {
            enqueue(operation, on: attribute.device.path)
            return .later
        }
        guard attribute.device.operations[same].kind == operation.kind else { throw .inProgress }
        devices[attribute.device.path]?.operations[same].calls.append(id)
        return .later
    }

    private mutating func write(
        _ value: [UInt8], _ flags: [String], _ attribute: Attribute, _ options: OperationOptions, _ id: CallID
    ) throws(ErrorReply) -> Reply {
        guard !isAcquired(attribute.path, for: .writes) else {
            throw .notPermitted(AcquiredStream.Kind.writes.refusal)
        }
        guard !attribute.device.operations.contains(where: { $0.path == attribute.path && !$0.isRead }) else {
            throw .inProgress
        }
        guard value.count + options.offset <= DaemonLimit.attributeValue else { throw .invalidLength }
        let withoutType: OperationOptions.WriteType = flags.contains("write") ? .request : .command
        switch options.type ?? withoutType {
        case .command where options.type == nil && !flags.contains("write-without-response"):
            throw .notSupported
        case .command:
            // BlueZ says yes to it on any characteristic.
            send(.command(handle: attribute.handle, value), to: attribute.device.path)
            return .done
        case .request, .reliable:
            let operation = AttributeOperation(
                kind: .write(value), path: attribute.path, interface: attribute.interface, handle: attribute.handle,
                calls: [id])
            enqueue(operation, on: attribute.device.path)
            return .later
        }
    }

    private mutating func enqueue(_ operation: AttributeOperation, on device: String) {
        devices[device]?.operations.append(operation)
        if devices[device]?.operations.count == 1 { startOperation(of: device) }
    }

    private mutating func startOperation(of device: String) {
        guard let operation = devices[device]?.operations.first, !operation.awaitsPairing else { return }
        agenda.set(.transaction(device: device), at: now + DaemonLimit.attributeTransaction)
        agenda.set(.transmit(device: device), at: now + timing.exchange)
        if timing.exchange == .zero {
            agenda.cancel(.transmit(device: device))
            transmit(device)
        }
    }

    mutating func transmit(_ device: String) {
        switch devices[device]?.operations.first {
        case nil: return
        case let operation? where operation.isRead: send(.read(handle: operation.handle), to: device)
        case _? where faults.contains(.silentWrite): return
        case let operation?: send(.write(handle: operation.handle, operation.written), to: device)
        }
    }

    // MARK: Answers

    mutating func operationSucceeded(_ device: String, _ value: [UInt8]?) {
        guard let operation = takeOperation(of: device) else { return }
        if case .read(let offset) = operation.kind, let value {
            guard offset <= value.count else { return finish(operation, .failure(.invalidOffset), on: device) }
            let rest = Array(value.dropFirst(offset))
            tree.set("Value", of: operation.interface, at: operation.path, to: .bytes(rest))
            finish(operation, .success([.bytes(rest)]), on: device)
        } else {
            finish(operation, .success([]), on: device)
        }
    }

    mutating func operationRefused(_ device: String, code: UInt8) {
        let wantsBond = code == 0x05 || code == 0x0F
        if wantsBond, devices[device]?.isBonded == false, devices[device]?.operations.isEmpty == false {
            devices[device]?.operations[0].awaitsPairing = true
            agenda.cancel(.transaction(device: device))
            pairForProtectedAccess(device)
        } else if let operation = takeOperation(of: device) {
            finish(operation, .failure(.attribute(code: code)), on: device)
        }
    }

    /// The bond is there: what was refused for want of it is sent again.
    mutating func resumeOperation(of device: String) {
        guard devices[device]?.operations.first?.awaitsPairing == true else { return }
        devices[device]?.operations[0].awaitsPairing = false
        startOperation(of: device)
    }

    mutating func transactionTimedOut(_ device: String) {
        failOperations(of: device)
        takeDown(device)
    }

    /// ATT's answer to a link that went under a request is "unlikely error". One that waits for a pairing gets none.
    mutating func failOperations(of device: String) {
        let operations = devices[device]?.operations.takeAll() ?? []
        for operation in operations {
            answer(operation.calls, operation.awaitsPairing ? .silence : ErrorReply.attribute(code: 0x0E).answer)
        }
    }

    private mutating func takeOperation(of device: String) -> AttributeOperation? {
        guard devices[device]?.operations.isEmpty == false else { return nil }
        agenda.cancel(.transaction(device: device))
        return devices[device]?.operations.removeFirst()
    }

    private mutating func finish(
        _ operation: AttributeOperation, _ result: Result<[DBusValue], ErrorReply>, on device: String
    ) {
        switch result {
        case .success(let values): answer(operation.calls, .values(values))
        case .failure(let error): fail(operation.calls, error)
        }
        startOperation(of: device)
    }
}

extension AttributeOperation {
    var isRead: Bool {
        if case .read = kind { true } else { false }
    }

    var written: [UInt8] {
        if case .write(let value) = kind { value } else { [] }
    }
}

/// The options of `ReadValue` and `WriteValue`.
struct OperationOptions {
    enum WriteType: String {
        case command, request, reliable
    }

    var offset = 0
    var type: WriteType?

    init(_ value: DBusValue) throws(ErrorReply) {
        guard let options = value.properties else { throw .invalidArguments }
        if let offset = options["offset"] {
            guard case .uint16(let number) = offset else { throw .invalidArguments }
            self.offset = Int(number)
        }
        if let type = options["type"] {
            guard case .string(let name) = type else { throw .invalidArguments }
            self.type = WriteType(rawValue: name.lowercased())
            guard self.type != nil else { throw .notSupported }
        }
    }
}
