import CDBus

/// Names of error replies that every bus and most services use (D-Bus specification, "Standard interfaces" and
/// "Message Bus Messages").
public enum DBusErrorName {
    public static let failed = DBUS_ERROR_FAILED
    public static let accessDenied = DBUS_ERROR_ACCESS_DENIED
    public static let invalidArguments = DBUS_ERROR_INVALID_ARGS
    public static let limitsExceeded = DBUS_ERROR_LIMITS_EXCEEDED
    public static let nameHasNoOwner = DBUS_ERROR_NAME_HAS_NO_OWNER
    /// The peer went away, or the bus gave up waiting for it; a deadline of one's own is ``DBusError/deadline(_:)``.
    public static let noReply = DBUS_ERROR_NO_REPLY
    public static let notSupported = DBUS_ERROR_NOT_SUPPORTED
    public static let propertyReadOnly = DBUS_ERROR_PROPERTY_READ_ONLY
    public static let serviceUnknown = DBUS_ERROR_SERVICE_UNKNOWN
    public static let unknownInterface = DBUS_ERROR_UNKNOWN_INTERFACE
    public static let unknownMethod = DBUS_ERROR_UNKNOWN_METHOD
    public static let unknownObject = DBUS_ERROR_UNKNOWN_OBJECT
    public static let unknownProperty = DBUS_ERROR_UNKNOWN_PROPERTY
}
