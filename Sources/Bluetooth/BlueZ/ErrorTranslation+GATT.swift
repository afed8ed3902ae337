import DBus

/// Errors of reads and writes (org.bluez.GattCharacteristic(5); the texts are BlueZ's own, 5.66 to 5.82).
extension BluetoothError {
    /// - Parameter linkIsUp: whether the link outlived the operation. An operation that a dropped link cut short
    ///   reports ATT error 0x0e like a peripheral's own answer does; only the link tells them apart.
    init(gatt failure: DBusError, linkIsUp: Bool, _ situation: Situation) {
        let lost = Self.linkLost(during: situation.operation)
        guard case .remote(let name, let message) = failure else {
            self = BluetoothError(failure, situation)
            return
        }
        switch (name, message) {
        case (BlueZErrorName.failed, "Not connected"), (BlueZErrorName.notConnected, _),
            (BlueZErrorName.unknownObject, _), (BlueZErrorName.unknownMethod, _), (BlueZErrorName.unknownInterface, _),
            (BlueZErrorName.doesNotExist, _):
            self = lost
        case (BlueZErrorName.failed, _) where !linkIsUp: self = lost
        default: self = Self.answer(name, message, situation) ?? BluetoothError(failure, situation)
        }
    }

    /// Whether the error could be that of a dropped link, so that it is worth a moment to see whether the link goes.
    static func mayBeDroppedLink(_ failure: DBusError) -> Bool {
        guard case .remote(BlueZErrorName.failed, let message) = failure else { return false }
        return ATTError.code(in: message).map { $0 == ATTError.unlikely } ?? true
    }

    private static func answer(_ name: String, _ message: String, _ situation: Situation) -> BluetoothError? {
        let operation = situation.operation
        switch (name, message) {
        case (BlueZErrorName.failed, _):
            return ATTError.code(in: message).map { .attribute(code: $0, during: operation) }
        case (BlueZErrorName.notPermitted, "Not paired"): return situation.device.map(Self.notBonded)
        case (BlueZErrorName.notPermitted, "Read not permitted"):
            return .attribute(code: ATTError.readNotPermitted, during: operation)
        case (BlueZErrorName.notPermitted, "Write not permitted"):
            return .attribute(code: ATTError.writeNotPermitted, during: operation)
        case (BlueZErrorName.notPermitted, "Write acquired"), (BlueZErrorName.notPermitted, "Notify acquired"):
            return situation.device.map(Self.heldByOthers) ?? .busy(operation)
        case (BlueZErrorName.notAuthorized, _):
            return .attribute(code: ATTError.insufficientAuthorization, during: operation)
        case (BlueZErrorName.invalidOffset, _), (BlueZErrorName.invalidArguments, "Invalid offset"):
            return .attribute(code: ATTError.invalidOffset, during: operation)
        // Values that BlueZ itself would find too long are refused before they are sent: this is the peripheral's word.
        case (BlueZErrorName.invalidArguments, "Invalid Length"), (BlueZErrorName.invalidValueLength, _):
            return .attribute(code: ATTError.invalidAttributeValueLength, during: operation)
        case (BlueZErrorName.invalidArguments, _): return .rejected(operation)
        default: return nil
        }
    }
}

/// ATT error codes (Core specification, Vol 3 Part F 3.4.1.1).
enum ATTError {
    static let readNotPermitted: UInt8 = 0x02
    static let writeNotPermitted: UInt8 = 0x03
    static let invalidOffset: UInt8 = 0x07
    static let insufficientAuthorization: UInt8 = 0x08
    static let invalidAttributeValueLength: UInt8 = 0x0d
    static let unlikely: UInt8 = 0x0e

    /// The code at the end of BlueZ's "Operation failed with ATT error: 0x0e".
    static func code(in message: String) -> UInt8? {
        let prefix = "Operation failed with ATT error: 0x"
        guard message.hasPrefix(prefix) else { return nil }
        let digits = message.dropFirst(prefix.count)
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt8(digits, radix: 16)
    }
}
