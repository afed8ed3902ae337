import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Testing

/// What the ears' own failures are called.
@Suite struct EarsWordsTests {
    static let faults: [WireFault] = [
        .emptyRequest(.control), .requestTooLong(.control, bytes: 300, limit: 257),
        .replyTooLong(.control, bytes: 600, limit: 512), .undecodable(.update), .unexpectedReply(.update),
        .tooManyProperties(999), .propertyTooLarge(index: 3), .duplicateProperty("a"), .missingProperty("b"),
        .malformedProperty("c"), .inconsistentStatus,
    ]

    @Test(arguments: faults) func `a wire fault is told in words, not as Swift writes it`(fault: WireFault) {
        let failure = CommandFailure(.wire(fault))
        #expect(failure.status == .protocolNotSupported)
        #expect(failure.code == "malformed_reply")
        #expect(failure.remedy == "update the ears, or these tools")
        #expect(!failure.cause.contains("\(fault)"))
        #expect(failure.cause == failure.cause.printable)
    }

    @Test func `no wire fault is left out`() {
        func place(_ fault: WireFault) -> Int {
            switch fault {
            case .emptyRequest: 0
            case .requestTooLong: 1
            case .replyTooLong: 2
            case .undecodable: 3
            case .unexpectedReply: 4
            case .tooManyProperties: 5
            case .propertyTooLarge: 6
            case .duplicateProperty: 7
            case .missingProperty: 8
            case .malformedProperty: 9
            case .inconsistentStatus: 10
            }
        }
        #expect(Set(Self.faults.map(place)) == Set(0...10))
    }

    static let unsupported: [UnsupportedEars] = [
        .missingEndpoint(.version), .duplicateEndpoint(.version), .endpointMismatch(.version, found: .userDescription),
        .tooManyCharacteristics(40), .securityVersion(2), .noApplicationProtocol, .applicationProtocol(1),
        .mode("\u{1B}odd"), .versionDocument(.malformed),
    ]

    @Test(arguments: unsupported)
    func `ears that cannot be spoken to get the advice to update by USB`(reason: UnsupportedEars) {
        let failure = CommandFailure(.unsupported(reason))
        #expect(failure.status == .protocolNotSupported)
        #expect(failure.code == "protocol_not_supported")
        #expect(failure.remedy == "update them by USB")
        #expect(failure.cause == failure.cause.printable && !failure.cause.contains("\(reason)"))
    }

    @Test func `no unsupported kind is left out`() {
        func place(_ reason: UnsupportedEars) -> Int {
            switch reason {
            case .missingEndpoint: 0
            case .duplicateEndpoint: 1
            case .endpointMismatch: 2
            case .tooManyCharacteristics: 3
            case .securityVersion: 4
            case .noApplicationProtocol: 5
            case .applicationProtocol: 6
            case .mode: 7
            case .versionDocument: 8
            }
        }
        #expect(Set(Self.unsupported.map(place)) == Set(0...8))
    }

    static let reasons: [(SettingError.Reason, Status, String)] = [
        (.noSuchSetting, .noSuchSetting, "no_such_setting"), (.wrongMode(.recovery), .noSuchSetting, "wrong_mode"),
        (.capabilityMissing("imu"), .noSuchSetting, "capability_missing"),
        (.unknownKind, .noSuchSetting, "unknown_kind"), (.readOnly, .usage, "value_refused"),
        (.notABoolean, .usage, "value_refused"), (.notAnInteger, .usage, "value_refused"),
        (.outOfRange(minimum: 0, maximum: 100, step: 5), .usage, "value_refused"),
        (.notAChoice(["a", "b"]), .usage, "value_refused"), (.tooLong(maximumBytes: 3), .usage, "value_refused"),
        (.tooShort(minimumBytes: 3), .usage, "value_refused"), (.notHexadecimal, .usage, "value_refused"),
        (.wrongType, .usage, "value_refused"), (.namedTwice, .usage, "value_refused"),
        (.changeTooLarge(bytes: 600, limit: 257), .usage, "value_refused"),
        (.notAnAssignment("fast"), .usage, "value_refused"),
        (.noSuchParameter("wobble", ["speed"]), .usage, "value_refused"),
        (.parameter("speed", .notAnInteger), .usage, "value_refused"),
        (.parameter("sensitivity", .capabilityMissing("motion")), .noSuchSetting, "capability_missing"),
        (.notAColour, .usage, "value_refused"), (.palette(.noStops), .usage, "value_refused"),
        (.steersTerminal, .usage, "value_refused"), (.secret, .usage, "secret"),
        (.notPrintable, .usage, "value_refused"),
    ]

    @Test(
        arguments: [
            (.tooShort(minimumBytes: 1), "at least 1 byte;"), (.tooShort(minimumBytes: 8), "at least 8 bytes;"),
            (.tooLong(maximumBytes: 1), "at most 1 byte;"), (.tooLong(maximumBytes: 32), "at most 32 bytes;"),
        ] as [(SettingError.Reason, String)])
    func `one byte is one byte`(reason: SettingError.Reason, words: String) {
        #expect(CommandFailure(SettingError(setting: "name", reason: reason)).cause.contains(words))
    }

    static let mistyped: [(SettingError, String?)] = [
        (SettingError(setting: "brighness", reason: .noSuchSetting, known: ["name", "brightness"]), "“brightness”?"),
        (SettingError(setting: "x", reason: .noSuchSetting, known: ["brightness"]), "espurr-ctl get lists them"),
        (
            SettingError(setting: "effect.Rainbw", reason: .noSuchSetting, known: ["effect", "effect.rainbow"]),
            "the effect “rainbow”?"
        ),
        (SettingError(setting: "effect", reason: .notAChoice(["aurora", "rainbow"]), typed: "RAINBW"), "“rainbow”?"),
        (SettingError(setting: "effect", reason: .notAChoice(["aurora", "rainbow"]), typed: "nonsense"), nil),
        (SettingError(setting: "effect.rainbow", reason: .noSuchParameter("sped", ["speed"])), "“speed”?"),
        (SettingError(setting: "effect.rainbow", reason: .notAnAssignment("speed")), "as in speed=3"),
    ]

    @Test(arguments: mistyped)
    func `what was probably meant is offered`(error: SettingError, remedy: String?) {
        let offered = CommandFailure(error).remedy
        if let remedy { #expect(offered?.hasSuffix(remedy) == true) } else { #expect(offered == nil) }
    }

    private static let percent = SettingDescriptor(
        setting: "brightness", title: "", unit: "%", kind: .integer(minimum: 0, maximum: 100, step: 5))
    private static let aurora = SettingDescriptor(
        setting: "effect.aurora", title: "",
        kind: .effect(parameters: [
            EffectParameter(name: "speed", title: "", kind: .integer(minimum: 1, maximum: 10, step: 1)),
            EffectParameter(name: "colour", title: "", kind: .colour),
        ]))

    static let refusedValues: [(SettingDescriptor, SettingError.Reason, String?)] = [
        (percent, .notAnInteger, "brightness takes 0 to 100 % in steps of 5"),
        (percent, .outOfRange(minimum: 0, maximum: 100, step: 5), "brightness takes 0 to 100 % in steps of 5"),
        (SettingDescriptor(setting: "power", title: "", kind: .boolean), .notABoolean, "power takes on or off"),
        (
            SettingDescriptor(setting: "name", title: "", kind: .text(minimumBytes: 1, maximumBytes: 20)),
            .tooLong(maximumBytes: 20), "name takes 1 to 20 bytes"
        ),
        (aurora, .parameter("speed", .outOfRange(minimum: 1, maximum: 10, step: 1)), "speed takes 1 to 10"),
        (aurora, .parameter("speed", .notAnInteger), "speed takes 1 to 10"),
        (aurora, .parameter("colour", .notAColour), "colour takes RRGGBB"),
        (percent, .readOnly, nil),
    ]

    @Test(arguments: refusedValues)
    func `a refused value is answered with what would be taken`(
        descriptor: SettingDescriptor, reason: SettingError.Reason, remedy: String?
    ) {
        let error = SettingError(setting: descriptor.setting, reason: reason, typed: "x", descriptor: descriptor)
        #expect(CommandFailure(error).remedy == remedy)
    }

    @Test(arguments: reasons)
    func `a setting that is not there is 25, a value that does not fit is 2`(
        reason: SettingError.Reason, status: Status, code: String
    ) {
        let failure = CommandFailure(SettingError(setting: "led\u{7}", reason: reason))
        #expect(failure.status == status)
        #expect(failure.code == code)
        #expect(failure.cause.contains("“led\\u{7}”"))
    }

    @Test func `no reason is left out`() {
        func place(_ reason: SettingError.Reason) -> Int {
            switch reason {
            case .noSuchSetting: 0
            case .wrongMode: 1
            case .capabilityMissing: 2
            case .readOnly: 3
            case .notABoolean: 4
            case .notAnInteger: 5
            case .outOfRange: 6
            case .notAChoice: 7
            case .tooLong: 8
            case .tooShort: 9
            case .notHexadecimal: 10
            case .unknownKind: 11
            case .wrongType: 12
            case .namedTwice: 13
            case .changeTooLarge: 14
            case .notAnAssignment: 15
            case .noSuchParameter: 16
            case .parameter: 17
            case .notAColour: 18
            case .palette: 19
            case .steersTerminal: 20
            case .secret: 21
            case .notPrintable: 22
            }
        }
        #expect(Set(Self.reasons.map { place($0.0) }) == Set(0...22))
    }

    static let refusals: [(LocalControlStatus, String)] = [
        (.success, "they say success"), (.invalidSecurityScheme, "another security scheme is wanted"),
        (.invalidProtocol, "another protocol is wanted"), (.tooManySessions, "too many sessions are open"),
        (.invalidArgument, "an argument is not valid"), (.internalError, "an internal error"),
        (.cryptoError, "a cryptographic error"), (.invalidSession, "the session is not valid"),
        (.unknown(77), "status 77, which this version does not know"),
    ]

    @Test(arguments: refusals) func `a refused request is 31, with its reason`(
        status: LocalControlStatus, words: String
    ) {
        let failure = CommandFailure(.refused(status))
        #expect(failure.status == .earsRefused)
        #expect(failure.cause == "the ears refused the request: " + words)
    }
}
