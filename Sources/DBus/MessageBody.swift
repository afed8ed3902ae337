import Glibc

/// Values that are known to make a valid body: of known types, within every limit, without an invalid name.
struct MessageBody {
    let values: [DBusValue]
    let types: [DBusType]
    /// Bytes, marshalled.
    let length: Int

    /// - Parameter validTypes: of a body that was found valid before.
    init(_ values: [DBusValue], validTypes: [DBusType] = []) throws(DBusError) {
        var measure = BodyMeasure()
        var types: [DBusType] = []
        for value in values {
            let type = try DBusType(of: value, depth: 0)
            try measure.add(value, as: type, depth: 0)
            types.append(type)
        }
        // Each declared part may be within the limits of length and depth, and the whole beyond them.
        if types != validTypes { try DBusName.signature.check(types.map(\.signature).joined()) }
        length = measure.length
        self.values = values
        self.types = types
    }
}

extension DBusType {
    /// The type that a value declares. Whether what is within an array agrees with it is for ``BodyMeasure``.
    init(of value: DBusValue, depth: Int) throws(DBusError) {
        try checkDepth(depth)
        switch value {
        case .byte: self = .basic(.byte)
        case .boolean: self = .basic(.boolean)
        case .int16: self = .basic(.int16)
        case .uint16: self = .basic(.uint16)
        case .int32: self = .basic(.int32)
        case .uint32: self = .basic(.uint32)
        case .int64: self = .basic(.int64)
        case .uint64: self = .basic(.uint64)
        case .double: self = .basic(.double)
        case .string: self = .basic(.string)
        case .objectPath: self = .basic(.objectPath)
        case .signature: self = .basic(.signature)
        case .fileDescriptor: self = .basic(.fileDescriptor)
        case .variant: self = .variant
        case .bytes: self = .bytes
        case .array(let element, _): self = try DBusType("a" + element)
        case .dictionary("s", "v", _): self = .properties
        case .dictionary(let key, let value, _): self = try DBusType("a{\(key)\(value)}")
        case .structure(let members): self = try .structure(members, depth: depth)
        }
    }

    private static func structure(_ members: [DBusValue], depth: Int) throws(DBusError) -> DBusType {
        guard !members.isEmpty else { throw .invalidMessage("an empty structure") }
        var types: [DBusType] = []
        for member in members { types.append(try DBusType(of: member, depth: depth + 1)) }
        return .structure(types)
    }
}

private func checkDepth(_ depth: Int) throws(DBusError) {
    guard depth <= DBusLimits.totalDepth else {
        throw .invalidMessage("containers nested deeper than \(DBusLimits.totalDepth)")
    }
}

/// Walks values as they will be marshalled, and counts (D-Bus specification, "Marshaling (Wire Format)").
private struct BodyMeasure {
    private(set) var length = 0
    private var descriptors = 0

    mutating func add(_ value: DBusValue, as type: DBusType, depth: Int) throws(DBusError) {
        try checkDepth(depth)
        switch (type, value) {
        case (.basic(let basic), _): try add(value, as: basic)
        case (.variant, .variant(let inner)):
            let innerType = try DBusType(of: inner, depth: depth + 1)
            let signature = innerType.signature
            if !innerType.isBasic { try DBusName.signature.check(signature) }
            try grow(aligned: 1, by: signature.utf8.count + 2)
            try add(inner, as: innerType, depth: depth + 1)
        case (.array(.basic(.byte)), .bytes(let bytes)):
            try addArray(of: 1) { (measure) throws(DBusError) in
                try measure.grow(aligned: 1, by: bytes.count)
            }
        case (.array(let element), .array(_, let values)):
            try addArray(of: element.alignment) { (measure) throws(DBusError) in
                for value in values { try measure.add(value, as: element, depth: depth + 1) }
            }
        case (.dictionary(let keyType, let valueType), .dictionary(_, _, let entries)):
            try addArray(of: 8) { (measure) throws(DBusError) in
                for (key, value) in entries {
                    try measure.grow(aligned: 8, by: 0)
                    try measure.add(key, as: .basic(keyType), depth: depth + 2)
                    try measure.add(value, as: valueType, depth: depth + 2)
                }
            }
        case (.structure(let types), .structure(let members)) where types.count == members.count:
            try grow(aligned: 8, by: 0)
            for (type, member) in zip(types, members) { try add(member, as: type, depth: depth + 1) }
        default: throw .invalidMessage("a value that is not \(type.signature)")
        }
    }

    private mutating func addArray(
        of alignment: Int, _ content: (inout BodyMeasure) throws(DBusError) -> Void
    ) throws(DBusError) {
        try grow(aligned: 4, by: 4)
        try grow(aligned: alignment, by: 0)
        let start = length
        try content(&self)
        guard length - start <= DBusLimits.arrayLength else {
            throw .invalidMessage("an array longer than \(DBusLimits.arrayLength) bytes")
        }
    }

    private mutating func grow(aligned alignment: Int, by bytes: Int) throws(DBusError) {
        length = (length + alignment - 1) / alignment * alignment + bytes
        guard length <= DBusLimits.sentBodyLength else {
            throw .invalidMessage("a body longer than \(DBusLimits.sentBodyLength) bytes")
        }
    }

    private mutating func add(_ value: DBusValue, as type: BasicType) throws(DBusError) {
        switch (type, value) {
        case (.byte, .byte): try grow(aligned: 1, by: 1)
        case (.int16, .int16), (.uint16, .uint16): try grow(aligned: 2, by: 2)
        case (.boolean, .boolean), (.int32, .int32), (.uint32, .uint32): try grow(aligned: 4, by: 4)
        case (.int64, .int64), (.uint64, .uint64), (.double, .double): try grow(aligned: 8, by: 8)
        case (.string, .string(let text)):
            guard !text.holdsNUL else { throw .invalidMessage("a string with a NUL") }
            try grow(aligned: 4, by: 4 + text.utf8.count + 1)
        case (.objectPath, .objectPath(let path)):
            try DBusName.objectPath.check(path)
            try grow(aligned: 4, by: 4 + path.utf8.count + 1)
        case (.signature, .signature(let signature)):
            try DBusName.signature.check(signature)
            try grow(aligned: 1, by: signature.utf8.count + 2)
        case (.fileDescriptor, .fileDescriptor(let descriptor)): try add(descriptor)
        default: throw .invalidMessage("a value that is not \(type.rawValue)")
        }
    }

    private mutating func add(_ descriptor: OwnedDescriptor) throws(DBusError) {
        guard fcntl(descriptor.number, F_GETFD) >= 0 else { throw .invalidMessage("a descriptor that is not open") }
        descriptors += 1
        guard descriptors <= DBusLimits.descriptors else {
            throw .invalidMessage("more than \(DBusLimits.descriptors) descriptors")
        }
        try grow(aligned: 4, by: 4)
    }
}

extension DBusType {
    fileprivate var alignment: Int {
        switch self {
        case .structure, .basic(.int64), .basic(.uint64), .basic(.double): 8
        case .basic(.int16), .basic(.uint16): 2
        case .basic(.byte), .basic(.signature), .variant: 1
        case .array, .dictionary, .basic: 4
        }
    }
}
