/// A version of BlueZ.
///
/// BlueZ has no property for it. What it says of itself is the device id that it gives its adapters: `Modalias` of
/// Adapter1 holds its version where the vendor is the Linux Foundation (`usb:v1D6Bp0246d0542`: 0x05 and 0x42 are 5.66).
/// Where `DeviceID` of its `main.conf` says another one, the version is not known.
public struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: UInt8
    public let minor: UInt8

    /// The oldest that these tools are seen to work with.
    public static let minimum = BlueZVersion(major: 5, minor: 66)

    public init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// - Returns: nil for another vendor's or product's id.
    init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        let digits = modalias.dropFirst(prefix.count)
        guard modalias.hasPrefix(prefix), digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let number = UInt16(digits, radix: 16)
        else { return nil }
        self.init(major: UInt8(number >> 8), minor: UInt8(number & 0xFF))
    }

    public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
