/// Names of BlueZ's D-Bus interface (org.bluez.*(5) of BlueZ 5.66 and newer).
enum BlueZName {
    static let service = "org.bluez"
    static let root = "/"
    static let agentRegistry = "/org/bluez"

    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"

    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let peer = "org.freedesktop.DBus.Peer"
    static let properties = "org.freedesktop.DBus.Properties"
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
}

/// `org.bluez.Error.*` and the errors of the bus itself that stand for a state of BlueZ.
enum BlueZErrorName {
    static let failed = "org.bluez.Error.Failed"
    static let inProgress = "org.bluez.Error.InProgress"
    static let alreadyExists = "org.bluez.Error.AlreadyExists"
    static let alreadyConnected = "org.bluez.Error.AlreadyConnected"
    static let notConnected = "org.bluez.Error.NotConnected"
    static let notReady = "org.bluez.Error.NotReady"
    static let notPermitted = "org.bluez.Error.NotPermitted"
    static let notAuthorized = "org.bluez.Error.NotAuthorized"
    static let notSupported = "org.bluez.Error.NotSupported"
    static let notAvailable = "org.bluez.Error.NotAvailable"
    static let doesNotExist = "org.bluez.Error.DoesNotExist"
    static let invalidArguments = "org.bluez.Error.InvalidArguments"
    static let invalidValueLength = "org.bluez.Error.InvalidValueLength"
    static let invalidOffset = "org.bluez.Error.InvalidOffset"
    static let connectionAttemptFailed = "org.bluez.Error.ConnectionAttemptFailed"
    static let authenticationFailed = "org.bluez.Error.AuthenticationFailed"
    static let authenticationCanceled = "org.bluez.Error.AuthenticationCanceled"
    static let authenticationRejected = "org.bluez.Error.AuthenticationRejected"
    static let authenticationTimeout = "org.bluez.Error.AuthenticationTimeout"
    static let rejected = "org.bluez.Error.Rejected"
    static let canceled = "org.bluez.Error.Canceled"

    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    static let noReply = "org.freedesktop.DBus.Error.NoReply"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// Prefix of what the bus says when it could not start the service's program.
    static let spawn = "org.freedesktop.DBus.Error.Spawn."
}
