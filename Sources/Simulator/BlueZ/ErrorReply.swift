import DBus

/// The errors of `bluetoothd`, with its names and texts.
enum ErrorReply: Error, Hashable, Sendable {
    case invalidArguments
    case invalidLength
    case invalidOffset
    case notReady
    case failed(String)
    case inProgress
    case busy
    case alreadyExists
    case doesNotExist
    case notSupported
    case notAuthorized
    case notPermitted(String)
    case blocked
    case authenticationFailed
    case authenticationCanceled
    case pageTimeout
    /// An ATT error of the peripheral (Core specification, Vol 3 Part F 3.4.1.1), as BlueZ translates it.
    case attribute(code: UInt8)
    case unknownObject(path: String)
    case unknownMethod(String, signature: String, interface: String)
    case unknownInterface(String)
    case unknownProperty(String)
    /// A `Get` of a property: another name than that of a `Set`.
    case noSuchProperty(String)
    case readOnlyProperty(String)
    case invalidSignature(property: String)

    var answer: MethodAnswer {
        let (name, message) = nameAndMessage
        return .error(name: name, message: message)
    }

    private var nameAndMessage: (name: String, message: String) {
        switch self {
        case .invalidArguments: (bluez("InvalidArguments"), "Invalid arguments in method call")
        case .invalidLength: (bluez("InvalidArguments"), "Invalid Length")
        case .invalidOffset: (bluez("InvalidArguments"), "Invalid offset")
        case .notReady: (bluez("NotReady"), "Resource Not Ready")
        case .failed(let message): (bluez("Failed"), message)
        case .inProgress: (bluez("InProgress"), "In Progress")
        case .busy: (bluez("InProgress"), "Operation already in progress")
        case .alreadyExists: (bluez("AlreadyExists"), "Already Exists")
        case .doesNotExist: (bluez("DoesNotExist"), "Does Not Exist")
        case .notSupported: (bluez("NotSupported"), "Operation is not supported")
        case .notAuthorized: (bluez("NotAuthorized"), "Operation Not Authorized")
        case .notPermitted(let message): (bluez("NotPermitted"), message)
        case .blocked: (bluez("Blocked"), "Blocked through rfkill")
        case .authenticationFailed: (bluez("AuthenticationFailed"), "Authentication Failed")
        case .authenticationCanceled: (bluez("AuthenticationCanceled"), "Authentication Canceled")
        case .pageTimeout: (bluez("ConnectionAttemptFailed"), "Page Timeout")
        case .attribute(let code): Self.translation(ofAttributeError: code).nameAndMessage
        case .unknownObject(let path): (dbus("UnknownObject"), "Unknown object '\(path)'")
        case .unknownMethod(let member, let signature, let interface):
            (
                dbus("UnknownMethod"),
                "Method \"\(member)\" with signature \"\(signature)\" on interface \"\(interface)\" doesn't exist"
            )
        case .unknownInterface(let name): (dbus("InvalidArgs"), "No such interface '\(name)'")
        case .noSuchProperty(let name): (dbus("InvalidArgs"), "No such property '\(name)'")
        case .unknownProperty(let name): (dbus("UnknownProperty"), "No such property '\(name)'")
        case .readOnlyProperty(let name): (dbus("PropertyReadOnly"), "Property '\(name)' is not writable")
        case .invalidSignature(let name): (dbus("InvalidSignature"), "Invalid signature for '\(name)'")
        }
    }

    private func bluez(_ name: String) -> String { "org.bluez.Error." + name }
    private func dbus(_ name: String) -> String { "org.freedesktop.DBus.Error." + name }

    /// BlueZ has words of its own for some ATT errors, and a hex number for the rest.
    private static func translation(ofAttributeError code: UInt8) -> ErrorReply {
        switch code {
        case 0x02: .notPermitted("Read not permitted")
        case 0x03: .notPermitted("Write not permitted")
        case 0x05, 0x0C, 0x0F: .notPermitted("Not paired")
        case 0x06: .notSupported
        case 0x07: .invalidOffset
        case 0x08: .notAuthorized
        case 0x0D: .invalidLength
        default: .failed("Operation failed with ATT error: " + code.hexByte)
        }
    }
}

extension UInt8 {
    /// `0x0e`
    fileprivate var hexByte: String { (self < 16 ? "0x0" : "0x") + String(self, radix: 16) }
}
