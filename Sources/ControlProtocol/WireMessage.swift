/// A message of `Protocol/*.proto` in the protobuf encoding.
///
/// Decoding follows protobuf's rules for proto3: unknown fields (groups too) are skipped, and so is a known
/// number in another wire type; the last scalar wins, an embedded message that comes twice is merged,
/// of a `oneof` the last member wins; repeated scalars are read packed and unpacked.
/// Encoding gives the bytes that `protoc` gives: ascending fields, defaults left out, repeated scalars packed.
public protocol WireMessage: Hashable, Sendable {
    init(from reader: inout WireReader) throws(WireError)
    func write(to writer: inout WireWriter)
}

extension WireMessage {
    public init(decoding bytes: ArraySlice<UInt8>, limits: DecodingLimits = .attributeValue) throws(WireError) {
        var reader = try WireReader(bytes, limits: limits)
        try self.init(from: &reader)
    }

    public init(decoding bytes: [UInt8], limits: DecodingLimits = .attributeValue) throws(WireError) {
        try self.init(decoding: bytes[...], limits: limits)
    }

    public func encoded() -> [UInt8] {
        var writer = WireWriter()
        write(to: &writer)
        return writer.bytes
    }
}

/// A message that is read field by field into what it already holds, which is how protobuf merges.
protocol MergingMessage: WireMessage {
    /// The message that no bytes encode.
    static var unset: Self { get }
    /// Reads or skips one field.
    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError)
}

extension MergingMessage {
    init(merging reader: inout WireReader) throws(WireError) {
        self = .unset
        try merge(from: &reader)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func merge(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            try read(field, from: &reader)
        }
    }
}

/// A message without fields.
struct EmptyMessage: MergingMessage {
    static let unset = EmptyMessage()

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        try reader.skip(field)
    }

    func write(to writer: inout WireWriter) {}
}

/// An enumeration whose unknown numbers are kept. `.unknown` is made of a number that no other case has.
protocol WireEnumeration: Hashable, Sendable {
    static var known: [Self] { get }
    var number: UInt32 { get }
    static func unknown(_ number: UInt32) -> Self
}

extension WireEnumeration {
    init(number: UInt32) {
        self = Self.known.first { $0.number == number } ?? .unknown(number)
    }
}
