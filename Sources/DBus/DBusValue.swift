/// A D-Bus value (D-Bus specification, "Type system").
public indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// Owned: closed when the last reference goes.
    case fileDescriptor(OwnedDescriptor)
    /// `element` is the signature of one element, so that an empty array has a type.
    case array(element: String, [DBusValue])
    /// `ay`, without a value for each byte. What is received is always this, never an `array` of `byte`.
    case bytes([UInt8])
    /// Keys are basic types.
    case dictionary(key: String, value: String, [DBusValue: DBusValue])
    case structure([DBusValue])
    case variant(DBusValue)
}
