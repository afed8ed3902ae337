public import ControlProtocol

/// Why a setting is not to be had, or a value not to be sent. Everything here is found before anything is sent.
public struct SettingError: Error, Equatable, Sendable {
    /// The setting's name, as it was asked for.
    public var setting: String
    public var reason: Reason
    /// What was typed for it; nil where nothing was, or nothing may be shown.
    public var typed: String?
    /// Where there is no such setting: the names that could have been meant.
    public var known: [String]
    /// What the ears say that its value can be; nil where they do not, or no value was looked at.
    public var descriptor: SettingDescriptor?

    public init(
        setting: String, reason: Reason, typed: String? = nil, known: [String] = [],
        descriptor: SettingDescriptor? = nil
    ) {
        self.descriptor = descriptor
        self.known = known
        self.setting = setting
        self.reason = reason
        self.typed = typed
    }

    public indirect enum Reason: Equatable, Sendable {
        case noSuchSetting
        /// It exists in normal mode only; these ears are in the mode that is given.
        case wrongMode(EarsMode)
        case capabilityMissing(String)
        case readOnly
        case notABoolean
        case notAnInteger
        /// Both ends belong to the range; the value has to be `minimum` plus a multiple of `step`.
        case outOfRange(minimum: Int64, maximum: Int64, step: Int64)
        case notAChoice([String])
        case tooLong(maximumBytes: Int)
        case tooShort(minimumBytes: Int)
        /// A structured value is written as pairs of hex digits.
        case notHexadecimal
        /// Of a kind that this build does not know: shown, never set.
        case unknownKind
        /// A value of another type than the setting's.
        case wrongType
        /// Of an effect: a word that is not `PARAMETER=VALUE`.
        case notAnAssignment(String)
        /// Of an effect: it has no parameter of this name, but those.
        case noSuchParameter(String, [String])
        /// Of an effect: what is wrong with one of its parameters.
        case parameter(String, Reason)
        /// Written as `RRGGBB`.
        case notAColour
        case palette(PaletteFault)
        /// A text that holds control characters or others that steer a terminal.
        case steersTerminal
        /// Write only and secret, so never given as an argument.
        case secret
        /// Of a secret: printable ASCII alone.
        case notPrintable
        /// Named twice in one change.
        case namedTwice
        /// The change as a whole does not fit one exchange.
        case changeTooLarge(bytes: Int, limit: Int)
    }
}
