public import Bluetooth
public import ControlProtocol

/// Everything that can go wrong between a caller and a pair of ears. Words for people are made at the edge.
public enum EarsError: Error, Equatable, Sendable {
    case bluetooth(BluetoothError)
    /// These ears cannot be spoken to over the air: they are to be updated by USB first.
    case unsupported(UnsupportedEars)
    /// The ears answered something that the protocol does not allow.
    case wire(WireFault)
    /// Local control refused a whole request.
    case refused(LocalControlStatus)
    /// Nothing was sent: the value or the name does not fit what the ears say of the setting.
    case setting(SettingError)
}

/// Why these ears cannot be spoken to over the air.
public enum UnsupportedEars: Error, Equatable, Sendable {
    /// The service lacks an endpoint of this name.
    case missingEndpoint(EndpointName)
    /// Two characteristics carry one endpoint's name.
    case duplicateEndpoint(EndpointName)
    /// An endpoint's UUID is not the one that the scheme gives to its name.
    case endpointMismatch(EndpointName, found: BluetoothUUID)
    /// More characteristics than ``EarsLimits/characteristics``.
    case tooManyCharacteristics(Int)
    /// `sec_ver` is not 0: firmware with a security scheme of its own.
    case securityVersion(Int64)
    /// The version document has no `espurr` object: another product, or firmware before application protocol 2.
    case noApplicationProtocol
    case applicationProtocol(Int64)
    case mode(String)
    /// The version document is not the bounded JSON that it has to be.
    case versionDocument(VersionDocumentFault)
}

/// A reply, or a request, that cannot be right.
public enum WireFault: Error, Equatable, Sendable {
    /// An empty write would leave the old reply readable, so none is ever sent.
    case emptyRequest(EndpointName)
    case requestTooLong(EndpointName, bytes: Int, limit: Int)
    case replyTooLong(EndpointName, bytes: Int, limit: Int)
    case undecodable(EndpointName)
    /// It decodes, but does not answer what was asked.
    case unexpectedReply(EndpointName)
    case tooManyProperties(UInt32)
    /// One property alone is larger than an exchange can carry.
    case propertyTooLarge(index: UInt32)
    case duplicateProperty(String)
    case missingProperty(String)
    /// A value that its own type does not allow.
    case malformedProperty(String)
    /// A status reply whose parts contradict each other.
    case inconsistentStatus
}

/// What is taken from ears at most.
public enum EarsLimits {
    /// Characteristics of the service.
    public static let characteristics = 32
    /// Bytes of an attribute value (Core specification, Vol 3 Part F 3.2.9).
    public static let attributeBytes = 512
    public static let properties: UInt32 = 256
    /// Properties asked for in one exchange; halved when the reply does not fit.
    public static let propertiesPerExchange = 16
    public static let slots = 16
}

/// How long one step of an exchange may take.
public enum EarsDeadlines {
    public static let descriptorRead: Duration = .seconds(10)
    /// Taking the stream characteristic.
    public static let streamOpening: Duration = .seconds(10)
    /// For BlueZ to make room for one chunk of a stream.
    public static let streamWrite: Duration = .seconds(32)
    /// A write or a read after a cancellation.
    public static let lastLook: Duration = .seconds(3)
    /// A write or a read of the version and control endpoints.
    public static let controlStep: Duration = .seconds(10)
    /// A write or a read of the update endpoint. Flash work stalls replies; after 30 s ATT gives up by itself
    /// (Core specification, Vol 3 Part F 3.3.3).
    public static let updateStep: Duration = .seconds(32)
}
