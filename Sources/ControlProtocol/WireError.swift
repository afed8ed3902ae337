/// Why bytes are not the message they were read as. Offsets count bytes from the message's start.
public enum WireError: Error, Hashable, Sendable {
    /// The bytes end inside a field, or a length reaches past the message around it.
    case truncated(offset: Int)
    /// A varint of more than ten bytes, or of more than 64 bits.
    case varintTooLong(offset: Int)
    /// Field number 0, one of more than 29 bits, or wire type 6 or 7.
    case invalidTag(offset: Int)
    /// A group ends that did not begin, or ends with another number.
    case unmatchedEndOfGroup(offset: Int)
    case invalidUTF8(offset: Int)

    /// The message is longer than `DecodingLimits.bytes`.
    case tooManyBytes(found: Int, limit: Int)
    /// Messages or groups lie deeper than `DecodingLimits.depth`.
    case tooDeep(offset: Int, limit: Int)
    /// Repeated fields hold more than `DecodingLimits.elements` in all.
    case tooManyElements(offset: Int, limit: Int)

    /// The message is well formed, and none of its `oneof` was there that this build knows.
    case missingPayload
    /// `msg` announces another payload than the field that came.
    case payloadMismatch(messageType: UInt32, payloadField: UInt32)
    /// A reply where a request was to be read, or the other way round, or a type that is in neither.
    case unexpectedMessageType(UInt32)
    /// `SessionData` of another scheme than Security 0.
    case unsupportedSecurityScheme(UInt32)
}
