/// `Status` of Espressif's local control. A number that is not known here is kept as it came.
public enum LocalControlStatus: Hashable, Sendable {
    case success
    case invalidSecurityScheme
    case invalidProtocol
    case tooManySessions
    case invalidArgument
    case internalError
    case cryptoError
    case invalidSession
    case unknown(UInt32)
}

/// One property as the ears report it (`PropertyInfo`).
public struct PropertyInfo: Hashable, Sendable {
    public var status: LocalControlStatus
    public var name: String
    public var type: PropertyType
    public var flags: PropertyFlags
    public var value: [UInt8]

    public init(
        status: LocalControlStatus = .success, name: String, type: PropertyType, flags: PropertyFlags = [],
        value: [UInt8]
    ) {
        self.status = status
        self.name = name
        self.type = type
        self.flags = flags
        self.value = value
    }
}

/// How a property's value is laid out. The first four are those of Espressif's example.
public struct PropertyType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `int64`, little endian.
    public static let timestamp = PropertyType(rawValue: 0)
    /// `int32`, little endian.
    public static let int32 = PropertyType(rawValue: 1)
    /// One byte, 0 or 1.
    public static let boolean = PropertyType(rawValue: 2)
    /// UTF-8 without a terminating NUL.
    public static let string = PropertyType(rawValue: 3)
    /// A message of `Protocol/espurr_settings.proto`.
    public static let message = PropertyType(rawValue: 16)
}

public struct PropertyFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Espressif's example, bit 0.
    public static let readOnly = PropertyFlags(rawValue: 1 << 0)
    /// The value is never served: reading gives an empty one.
    public static let writeOnly = PropertyFlags(rawValue: 1 << 1)
}

/// One property as it is to be set (`PropertyValue`).
public struct PropertyValue: Hashable, Sendable {
    public var index: UInt32
    public var value: [UInt8]

    public init(index: UInt32, value: [UInt8]) {
        self.index = index
        self.value = value
    }
}

/// A request to the control endpoint (`LocalCtrlMessage` with a `Cmd…` payload).
public enum LocalControlRequest: Hashable, Sendable {
    case propertyCount
    case propertyValues(indices: [UInt32])
    case setPropertyValues([PropertyValue])
}

/// A reply of the control endpoint (`LocalCtrlMessage` with a `Resp…` payload).
public enum LocalControlResponse: Hashable, Sendable {
    case propertyCount(status: LocalControlStatus, count: UInt32)
    case propertyValues(status: LocalControlStatus, properties: [PropertyInfo])
    case setPropertyValues(status: LocalControlStatus)
}

/// The Security 0 exchange of the session endpoint (`SessionData`).
public enum SecurityZeroMessage: Hashable, Sendable {
    case command
    case response(status: LocalControlStatus)
}
