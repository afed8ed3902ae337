/// What stays the same of a firmware's properties while it runs in one mode: names, types and flags, the capabilities
/// and the descriptions (`Protocol/wire.md`, section 6). No value that anybody chose is in it.
///
/// Its encoding is that of a `RespGetPropertyValues`, so that ears can make it with the encoder they have.
public struct PropertyTable: Hashable, Sendable {
    /// In the ears' order.
    public private(set) var properties: [PropertyInfo]

    /// - Parameter properties: all that the ears have; values that may change are left out.
    public init(_ properties: [PropertyInfo]) {
        self.properties = properties.map { property in
            PropertyInfo(
                name: property.name, type: property.type, flags: property.flags,
                value: Self.isConstant(property.name) ? property.value : [])
        }
    }

    private static func isConstant(_ name: String) -> Bool { name == "capabilities" || name.hasSuffix(".descriptor") }

    /// Of a whole table: 512 bytes would not hold one.
    public static let limits = DecodingLimits(bytes: 64 * 1024, depth: 8, elements: 4096)
}

extension PropertyTable: WireMessage {
    public init(from reader: inout WireReader) throws(WireError) {
        self.init(try PropertyValuesReply(from: &reader).properties)
    }

    public func write(to writer: inout WireWriter) {
        PropertyValuesReply(status: .success, properties: properties).write(to: &writer)
    }
}
