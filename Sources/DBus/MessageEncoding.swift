import CDBus

extension BasicType {
    /// `DBUS_TYPE_*`, which are casts that the importer drops.
    var code: Int32 { rawValue.asciiValue.map(Int32.init) ?? 0 }
}

enum ContainerCode {
    /// `DBUS_TYPE_INVALID`: nothing follows.
    static let end: Int32 = 0
    static let array = Int32(UInt8(ascii: "a"))
    static let variant = Int32(UInt8(ascii: "v"))
    static let structure = Int32(UInt8(ascii: "r"))
    static let dictionaryEntry = Int32(UInt8(ascii: "e"))
}

/// Writes values that ``MessageBody`` found valid: all that is left to fail is the memory.
extension DBusMessageIter {
    mutating func append(_ value: DBusValue, as type: DBusType) throws(DBusError) {
        switch (type, value) {
        case (.variant, .variant(let inner)):
            let innerType = try DBusType(of: inner, depth: 0)
            try container(ContainerCode.variant, innerType.signature) { (sub) throws(DBusError) in
                try sub.append(inner, as: innerType)
            }
        case (.array, .bytes(let bytes)):
            try container(ContainerCode.array, BasicType.byte.signature) { (sub) throws(DBusError) in
                try sub.append(bytes)
            }
        case (.array(let element), .array(_, let values)):
            try container(ContainerCode.array, element.signature) { (sub) throws(DBusError) in
                for value in values { try sub.append(value, as: element) }
            }
        case (.dictionary(let key, let value), .dictionary(_, _, let entries)):
            try container(ContainerCode.array, DBusType.entrySignature(key, value)) { (sub) throws(DBusError) in
                for entry in entries { try sub.append(entry, key, value) }
            }
        case (.structure(let types), .structure(let members)):
            try container(ContainerCode.structure, nil) { (sub) throws(DBusError) in
                for (type, member) in zip(types, members) { try sub.append(member, as: type) }
            }
        default: try append(basic: value)
        }
    }

    private mutating func append(
        _ entry: (key: DBusValue, value: DBusValue), _ keyType: BasicType, _ valueType: DBusType
    ) throws(DBusError) {
        try container(ContainerCode.dictionaryEntry, nil) { (sub) throws(DBusError) in
            try sub.append(entry.key, as: .basic(keyType))
            try sub.append(entry.value, as: valueType)
        }
    }

    private mutating func container(
        _ code: Int32, _ signature: String?, _ content: (inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        var sub = DBusMessageIter()
        guard dbus_message_iter_open_container(&self, code, signature, &sub) != 0 else { throw .outOfMemory }
        do throws(DBusError) { try content(&sub) } catch {
            dbus_message_iter_abandon_container(&self, &sub)
            throw error
        }
        guard dbus_message_iter_close_container(&self, &sub) != 0 else { throw .outOfMemory }
    }

    private mutating func append(_ bytes: [UInt8]) throws(DBusError) {
        let appended = bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return dbus_message_iter_append_fixed_array(&self, BasicType.byte.code, &start, Int32(buffer.count))
        }
        guard appended != 0 else { throw .outOfMemory }
    }

    private mutating func append(basic value: DBusValue) throws(DBusError) {
        switch value {
        case .byte(let number): try append(number, .byte)
        case .boolean(let flag): try append(dbus_bool_t(flag ? 1 : 0), .boolean)
        case .int16(let number): try append(number, .int16)
        case .uint16(let number): try append(number, .uint16)
        case .int32(let number): try append(number, .int32)
        case .uint32(let number): try append(number, .uint32)
        case .int64(let number): try append(number, .int64)
        case .uint64(let number): try append(number, .uint64)
        case .double(let number): try append(number, .double)
        case .string(let text): try append(text, .string)
        case .objectPath(let text): try append(text, .objectPath)
        case .signature(let text): try append(text, .signature)
        // libdbus puts a duplicate into the message.
        case .fileDescriptor(let descriptor): try append(descriptor.number, .fileDescriptor)
        case .array, .bytes, .dictionary, .structure, .variant: throw .invalidMessage("a container for a basic type")
        }
    }

    private mutating func append<Number: BitwiseCopyable>(_ number: Number, _ type: BasicType) throws(DBusError) {
        var number = number
        guard dbus_message_iter_append_basic(&self, type.code, &number) != 0 else { throw .outOfMemory }
    }

    private mutating func append(_ text: String, _ type: BasicType) throws(DBusError) {
        let appended = text.withCString { text in
            var text: UnsafePointer<CChar>? = text
            return dbus_message_iter_append_basic(&self, type.code, &text)
        }
        guard appended != 0 else { throw .outOfMemory }
    }
}
