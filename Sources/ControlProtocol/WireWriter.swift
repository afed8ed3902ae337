/// Writes protobuf fields as `protoc` does. A field that has its default is left out; so call in ascending order.
public struct WireWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    mutating func uint32(_ number: UInt32, _ value: UInt32) {
        if value != 0 { presentUInt32(number, value) }
    }

    /// A field with presence: written even where it is 0.
    mutating func presentUInt32(_ number: UInt32, _ value: UInt32) {
        tag(number, .varint)
        varint(UInt64(value))
    }

    mutating func sint32(_ number: UInt32, _ value: Int32) {
        uint32(number, UInt32(bitPattern: (value << 1) ^ (value >> 31)))
    }

    mutating func bool(_ number: UInt32, _ value: Bool) {
        uint32(number, value ? 1 : 0)
    }

    mutating func presentSInt32(_ number: UInt32, _ value: Int32) {
        presentUInt32(number, UInt32(bitPattern: (value << 1) ^ (value >> 31)))
    }

    mutating func presentString(_ number: UInt32, _ value: String) {
        lengthDelimited(number, Array(value.utf8))
    }

    /// Fields as they came, which protobuf's writers put behind all others.
    mutating func unknown(_ fields: [UInt8]) { bytes += fields }

    /// Enumerations are `int32` on the wire: one with the top bit set takes ten bytes.
    mutating func enumeration(_ number: UInt32, _ value: some WireEnumeration) {
        guard value.number != 0 else { return }
        tag(number, .varint)
        varint(UInt64(bitPattern: Int64(Int32(bitPattern: value.number))))
    }

    mutating func bytes(_ number: UInt32, _ value: [UInt8]) {
        if !value.isEmpty { lengthDelimited(number, value) }
    }

    mutating func string(_ number: UInt32, _ value: String) {
        bytes(number, Array(value.utf8))
    }

    mutating func strings(_ number: UInt32, _ values: [String]) {
        for value in values { lengthDelimited(number, Array(value.utf8)) }
    }

    mutating func packed(_ number: UInt32, _ values: [UInt32]) {
        var content = WireWriter()
        for value in values { content.varint(UInt64(value)) }
        bytes(number, content.bytes)
    }

    /// Present, also where it is empty.
    mutating func message(_ number: UInt32, _ message: some WireMessage) {
        lengthDelimited(number, message.encoded())
    }

    mutating func messages(_ number: UInt32, _ messages: [some WireMessage]) {
        for message in messages { self.message(number, message) }
    }

    /// Bytes that a length-delimited field takes with its tag and length.
    static func lengthDelimitedSize(_ number: UInt32, contentBytes: Int) -> Int {
        var header = WireWriter()
        header.tag(number, .lengthDelimited)
        header.varint(UInt64(contentBytes))
        return header.bytes.count + contentBytes
    }

    private mutating func lengthDelimited(_ number: UInt32, _ content: [UInt8]) {
        tag(number, .lengthDelimited)
        varint(UInt64(content.count))
        bytes += content
    }

    private mutating func tag(_ number: UInt32, _ wireType: WireType) {
        varint(UInt64(number << 3 | UInt32(wireType.rawValue)))
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
