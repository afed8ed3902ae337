public import ControlProtocol

/// An otadata state by its name, as it is kept on disk and shown to machines.
public struct OTAStateName: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ state: OTAState) {
        switch state {
        case .new: rawValue = "new"
        case .pendingVerify: rawValue = "pending_verify"
        case .valid: rawValue = "valid"
        case .invalid: rawValue = "invalid"
        case .aborted: rawValue = "aborted"
        case .undefined: rawValue = "undefined"
        case .unknown(let number): rawValue = "unknown_\(number)"
        }
    }

    /// Nil for a name that no state has.
    public var state: OTAState? {
        switch rawValue {
        case "new": .new
        case "pending_verify": .pendingVerify
        case "valid": .valid
        case "invalid": .invalid
        case "aborted": .aborted
        case "undefined": .undefined
        default: rawValue.hasPrefix("unknown_") ? UInt32(rawValue.dropFirst(8)).map(OTAState.unknown) : nil
        }
    }
}
