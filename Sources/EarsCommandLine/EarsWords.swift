import Bluetooth
public import CommandLineTools
import ControlProtocol
public import Ears

extension CommandFailure {
    public init(_ error: EarsError) {
        switch error {
        case .bluetooth(let error): self.init(error)
        case .unsupported(let reason):
            self.init(
                .protocolNotSupported, code: "protocol_not_supported",
                cause: "these ears cannot be spoken to over the air: \(reason.inWords)", remedy: "update them by USB")
        case .wire(let fault):
            self.init(
                .protocolNotSupported, code: "malformed_reply",
                cause: "outside the protocol: \(fault.inWords)",
                remedy: "update the ears, or these tools")
        case .refused(let status):
            self.init(.earsRefused, code: "refused", cause: "the ears refused the request: \(status.inWords)")
        case .setting(let error): self.init(error)
        }
    }

    public init(_ error: SettingError) {
        let name = error.setting.printable
        switch error.reason {
        case .noSuchSetting:
            self.init(
                .noSuchSetting, code: "no_such_setting", cause: "these ears have no setting “\(name)”",
                remedy: error.suggestion ?? "espurr-ctl get lists them")
        case .wrongMode(let mode):
            self.init(
                .noSuchSetting, code: "wrong_mode", cause: "“\(name)” is not there in \(mode.rawValue) mode",
                remedy: CommandFailure.recover)
        case .capabilityMissing(let capability):
            self.init(
                .noSuchSetting, code: "capability_missing",
                cause: "“\(name)” needs what these ears lack: \(capability.printable)")
        case .unknownKind:
            self.init(
                .noSuchSetting, code: "unknown_kind", cause: "“\(name)” is of a kind that this version does not know",
                remedy: "update these tools")
        case .parameter(let parameter, .capabilityMissing(let capability)):
            self.init(
                .noSuchSetting, code: "capability_missing",
                cause: "“\(name)”, \(parameter.printable): it needs what these ears lack: \(capability.printable)")
        case .secret:
            self.init(
                .usage, code: "secret", cause: "“\(name)” is secret, so it is no argument; nothing was sent",
                remedy: error.setting == EarsSession.accessPointPassword ? "espurr-ctl wifi password" : nil)
        case .readOnly, .notABoolean, .notAnInteger, .outOfRange, .notAChoice, .tooLong, .tooShort, .notHexadecimal,
            .notAnAssignment, .noSuchParameter, .parameter, .notAColour, .palette, .steersTerminal, .notPrintable,
            .wrongType, .namedTwice, .changeTooLarge:
            let typed = error.typed.map { " \($0)".printable } ?? ""
            self.init(
                .usage, code: "value_refused", cause: "“\(name)\(typed)”: \(error.reason.inWords); nothing was sent",
                remedy: error.suggestion ?? error.allowedInWords)
        }
    }

    init(_ error: EarsLockError, of sighting: Sighting) {
        switch error {
        case .held(let process):
            let holder = process.flatMap(ProcessName.ofCommand).map { "“\($0)”" } ?? "another command"
            let number = process.map { " (process \($0))" } ?? ""
            self.init(
                .machine, code: "ears_held", cause: "\(holder)\(number) holds \(sighting.inWords)",
                remedy: "wait until it ends")
        case .foreignFolder(let path):
            self.init(
                .outputNotWritable, code: "runtime_folder", cause: "\(path) is not a folder of this user's own",
                remedy: "remove it, or set XDG_RUNTIME_DIR")
        case .failed(let path, let number):
            self.init(
                .outputNotWritable, code: "output_not_writable",
                cause: "\(path) cannot be locked: \(systemMessage(number))", remedy: systemRemedy(number))
        }
    }
}

extension UnsupportedEars {
    var inWords: String {
        switch self {
        case .missingEndpoint(let name): "the endpoint \(name.rawValue) is missing"
        case .duplicateEndpoint(let name): "the endpoint \(name.rawValue) is there twice"
        case .endpointMismatch(let name, let uuid): "the endpoint \(name.rawValue) has the wrong UUID \(uuid)"
        case .tooManyCharacteristics(let count):
            "\(count) characteristics, at most \(EarsLimits.characteristics) are looked at"
        case .securityVersion(let version): "their firmware uses Security \(version)"
        case .noApplicationProtocol: "their firmware does not speak application protocol 2"
        case .applicationProtocol(let number): "their firmware speaks application protocol \(number), not 2"
        case .mode(let mode): "they are in an unknown mode “\(mode.printable)”"
        case .versionDocument: "their version document is malformed"
        }
    }
}

extension WireFault {
    var inWords: String {
        switch self {
        case .emptyRequest(let endpoint): "an empty request to \(endpoint.rawValue)"
        case .requestTooLong(let endpoint, let bytes, let limit):
            "a request of \(bytes) bytes to \(endpoint.rawValue), which takes \(limit)"
        case .replyTooLong(let endpoint, let bytes, let limit):
            "a reply of \(bytes) bytes from \(endpoint.rawValue), at most \(limit) are allowed"
        case .undecodable(let endpoint): "a reply from \(endpoint.rawValue) that cannot be decoded"
        case .unexpectedReply(let endpoint): "a reply from \(endpoint.rawValue) to something else"
        case .tooManyProperties(let count): "\(count) properties, at most \(EarsLimits.properties) are allowed"
        case .propertyTooLarge(let index): "property \(index) is larger than an exchange can carry"
        case .duplicateProperty(let name): "the property “\(name.printable)” is there twice"
        case .missingProperty(let name): "the property “\(name.printable)” is missing"
        case .malformedProperty(let name): "the property “\(name.printable)” has a value that its type does not allow"
        case .inconsistentStatus: "a status whose parts contradict each other"
        }
    }
}

extension LocalControlStatus {
    var inWords: String {
        switch self {
        case .success: "they say success"
        case .invalidSecurityScheme: "another security scheme is wanted"
        case .invalidProtocol: "another protocol is wanted"
        case .tooManySessions: "too many sessions are open"
        case .invalidArgument: "an argument is not valid"
        case .internalError: "an internal error"
        case .cryptoError: "a cryptographic error"
        case .invalidSession: "the session is not valid"
        case .unknown(let number): "status \(number), which this version does not know"
        }
    }
}

extension SettingError {
    /// What was probably meant by a mistyped name, or how a parameter is written; nil where nothing comes near.
    fileprivate var suggestion: String? {
        switch reason {
        case .noSuchSetting where setting.hasPrefix(Self.effectPrefix):
            nearest(to: setting, among: known.filter { $0.hasPrefix(Self.effectPrefix) }).map {
                "did you mean the effect “\($0.dropFirst(Self.effectPrefix.count))”?"
            }
        case .noSuchSetting: CommandLineTools.suggestion(for: setting, among: known)
        case .notAChoice(let choices): typed.flatMap { CommandLineTools.suggestion(for: $0, among: choices) }
        case .noSuchParameter(let name, let known): CommandLineTools.suggestion(for: name, among: known)
        case .notAnAssignment(let word) where word.isLoneUnit:
            "a number's unit is left out, or stands directly behind it"
        case .notAnAssignment: "a parameter and its value are one word, as in speed=3"
        default: nil
        }
    }

    private static let effectPrefix = Setting.name(ofEffect: "")
}

extension SettingError.Reason {
    var inWords: String {
        switch self {
        case .readOnly: "it is read only"
        case .notABoolean: "it is on or off"
        case .notAnInteger: "it is a whole number"
        case .outOfRange(let minimum, let maximum, let step):
            "it goes from \(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
        case .notAChoice(let choices): "it is one of " + choices.map(\.printable).joined(separator: ", ")
        case .tooLong(let maximum): "it holds at most \(maximum) \(maximum == 1 ? "byte" : "bytes")"
        case .tooShort(let minimum): "it holds at least \(minimum) \(minimum == 1 ? "byte" : "bytes")"
        case .notHexadecimal: "it is written as pairs of hex digits"
        case .wrongType: "it is of another type"
        case .notAnAssignment(let word): "“\(word.printable)” is not PARAMETER=VALUE"
        case .noSuchParameter(let name, let known):
            "it has no parameter “\(name.printable)”"
                + (known.isEmpty ? " and no other" : ", it has " + known.map(\.printable).joined(separator: ", "))
        case .parameter(let name, let reason): "\(name.printable): \(reason.inWords)"
        case .notAColour: "a colour is written as RRGGBB, each from 00 to ff"
        case .palette(let fault): fault.inWords
        case .steersTerminal: "control characters and others that steer a terminal are not allowed"
        case .secret: "it is secret, so it is no argument"
        case .notPrintable: "only printable characters of ASCII are allowed"
        case .namedTwice: "it is named twice"
        case .changeTooLarge(let bytes, let limit): "the change takes \(bytes) bytes of at most \(limit)"
        case .noSuchSetting: "there is no such setting"
        case .wrongMode(let mode): "it is not there in \(mode.rawValue) mode"
        case .capabilityMissing(let capability): "it needs what these ears lack: \(capability.printable)"
        case .unknownKind: "it is of a kind that this version does not know"
        }
    }
}

extension PaletteFault {
    public var inWords: String {
        switch self {
        case .unknownWord(let word):
            "“\(word.printable)” is none of POSITION:RRGGBB, RRGGBB, smooth, bands, cycling=on|off, glow=PERCENT"
        case .mixedStops: "either every stop has a position or none"
        case .notAscending: "positions ascend, and none comes twice"
        case .positionTooLarge(let position): "position \(position) is not within 0 to 255"
        case .noStops: "it has one stop at least"
        case .tooManyStops(let maximum): "it has at most \(maximum) stops"
        case .glow: "the background glow goes from 0 to 100 percent"
        case .colour: "a colour is written as RRGGBB, each from 00 to ff"
        case .unknownBlend: "it is blended in a way that this version does not know"
        }
    }
}

extension PaletteNameFault {
    public var inWords: String {
        switch self {
        case .empty: "a palette's name has one character at least"
        case .tooLong(let maximum): "a palette's name has at most \(maximum) bytes"
        case .notAllowed:
            "a palette's name neither begins nor ends with a space, and holds nothing that steers a terminal"
        case .builtIn: "a built-in palette has that name"
        }
    }
}
