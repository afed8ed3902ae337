import DBus

/// An `a{sv}`: the properties of one interface of one object, as they came.
///
/// A property that is missing, of another type or over a limit reads as nil: BlueZ's versions differ in what they
/// send, and a wrong value must not stand for a right one.
struct Properties {
    static let maximumTextBytes = 4096
    static let maximumListCount = 512

    private let values: [String: DBusValue]

    /// - Parameter value: nil is returned for anything but an `a{sv}`.
    init?(_ value: DBusValue) {
        guard let values = value.properties else { return nil }
        self.values = values
    }

    func boolean(_ name: String) -> Bool? {
        guard case .boolean(let value) = values[name] else { return nil }
        return value
    }

    func int16(_ name: String) -> Int16? {
        guard case .int16(let value) = values[name] else { return nil }
        return value
    }

    func uint16(_ name: String) -> UInt16? {
        guard case .uint16(let value) = values[name] else { return nil }
        return value
    }

    func text(_ name: String) -> String? {
        guard case .string(let value) = values[name], value.utf8.count <= Self.maximumTextBytes else { return nil }
        return value
    }

    func path(_ name: String) -> String? {
        guard case .objectPath(let value) = values[name] else { return nil }
        return value
    }

    /// Elements of another type are left out; nil where it is no list, or too long a one.
    func texts(_ name: String) -> [String]? {
        guard case .array(_, let elements) = values[name], elements.count <= Self.maximumListCount else { return nil }
        return elements.compactMap { element in
            guard case .string(let text) = element, text.utf8.count <= Self.maximumTextBytes else { return nil }
            return text
        }
    }

    func address(_ name: String) -> BluetoothAddress? { text(name).flatMap { BluetoothAddress($0) } }

    func uuid(_ name: String) -> BluetoothUUID? { text(name).flatMap { BluetoothUUID($0) } }

    func uuids(_ name: String) -> Set<BluetoothUUID>? {
        texts(name).map { Set($0.compactMap { BluetoothUUID($0) }) }
    }
}
