/// A 48-bit Bluetooth device address. Ears are told apart by their bonded identity address, never by a name.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// Most significant first, as it is written.
    public let bytes: [UInt8]

    /// - Parameter text: six pairs of hex digits with colons between them, of either case.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in
            part.utf8.count == 2 && part.utf8.allSatisfy(\.isHexDigit) ? UInt8(part, radix: 16) : nil
        }
        guard parts.count == 6, bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

/// A UUID of a service, characteristic or descriptor, always in its 128-bit form.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    /// Lower case, 36 characters.
    public let description: String

    /// - Parameter text: the 36-character form, of either case.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.utf8.allSatisfy(\.isHexDigit) })
        else { return nil }
        description = text.lowercased()
    }

    /// A 16-bit UUID of the Bluetooth SIG, on the Bluetooth Base UUID.
    public init(assigned number: UInt16) {
        let digits = String(number, radix: 16)
        description = "0000" + String(repeating: "0", count: 4 - digits.count) + digits + "-0000-1000-8000-00805f9b34fb"
    }

    /// Characteristic User Description.
    public static let userDescription = BluetoothUUID(assigned: 0x2901)
}

/// The name that Linux gives a Bluetooth adapter: `hci0`.
public struct AdapterName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init?(_ text: String) {
        guard text.hasPrefix("hci"), (4...8).contains(text.utf8.count), text.dropFirst(3).utf8.allSatisfy(\.isDigit)
        else { return nil }
        description = text
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isHexDigit: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
}
