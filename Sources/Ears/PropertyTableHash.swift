public import ControlProtocol
internal import Crypto

/// What tells one table of properties from another: the first 16 bytes of the SHA-256 of its encoding
/// (`Protocol/wire.md`, section 6), as the GATT Database Hash does for services (Core Specification Vol 3, Part G, 7.3).
public struct PropertyTableHash: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    public init(of table: PropertyTable) { self.init(of: table.encoded()) }

    init(of encodedTable: [UInt8]) { bytes = Array(HashAlgorithm.sha256.hash(of: encodedTable).prefix(Self.length)) }

    /// - Parameter text: 32 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 2 * Self.length, text == text.lowercased() else { return nil }
        var bytes: [UInt8] = []
        var digits = text[...]
        while !digits.isEmpty {
            guard digits.first?.isHexDigit == true, let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        self.bytes = bytes
    }

    public var description: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private static let length = 16
}

/// Where the tables of firmwares are kept that ears were asked for before, by what they hash to.
///
/// A table takes some twenty exchanges to read, which is seconds on a slow link, and never changes for one firmware.
public protocol PropertyTableMemory: Sendable {
    /// The encoded table, if it is there. The caller holds it to its hash.
    func recall(_ hash: PropertyTableHash) -> [UInt8]?
    /// Keeps an encoded table, if that can be done.
    func keep(_ table: [UInt8], as hash: PropertyTableHash)
    /// For ears that have other properties than they state.
    func forget(_ hash: PropertyTableHash)
}
