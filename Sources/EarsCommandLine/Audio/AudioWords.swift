public import CommandLineTools
import ControlProtocol
public import Ears

extension AudioOrder {
    /// What the ears are doing.
    var inWords: String {
        switch self {
        case .capture: "capturing"
        case .recording: "recording"
        }
    }
}

extension AudioMode {
    var code: String {
        switch self {
        case .none: "none"
        case .capture: "capture"
        case .recording: "recording"
        case .unknown(let number): "unknown \(number)"
        }
    }
}

extension CommandFailure {
    public init(_ error: AudioError) {
        switch error {
        case .ears(let error): self.init(error)
        case .wrongMode(let mode):
            self.init(
                .noSuchSetting, code: "wrong_mode", cause: "there is no audio in \(mode.rawValue) mode",
                remedy: CommandFailure.recover)
        case .capabilityMissing(let capability):
            self.init(
                .noSuchSetting, code: "capability_missing",
                cause: "these ears lack \(capability.printable)",
                remedy: "espurr-ctl info lists what they can do")
        case .outOfRange(let maximum):
            self.init(
                .usage, code: "value_refused",
                cause: "these ears capture at most \(maximum.inWords); nothing was begun",
                remedy: "--length \(maximum.wholeMilliseconds)ms is the longest")
        case .refused(let refusal, let deviceError): self.init(refusal, deviceError)
        case .sessionGone:
            self.init(
                .earsRefused, code: "audio_ended", cause: "the ears ended it before all was read",
                remedy: "try again; another program may have asked them to")
        case .stalled(let time):
            self.init(
                .earsRefused, code: "audio_stalled", cause: "the ears gave nothing new for \(time.inWords)",
                remedy: "restart the ears and try again")
        case .tooSlow(let time):
            self.init(
                .earsNotFound, code: "link_too_slow", cause: "not all was read within \(time.inWords)",
                remedy: "move closer and try again")
        case .unsupportedFormat(let format):
            self.init(
                .protocolNotSupported, code: "unsupported_format",
                cause: "the ears have a format that this version cannot write: \(format.sampleRate) Hz, "
                    + "\(format.bitsPerSample) bits, \(format.channels) channels",
                remedy: "update these tools")
        case .cancelled: self = .interrupted
        }
    }

    private init(_ refusal: AudioRefusal?, _ deviceError: UInt32) {
        let (reason, remedy) = refusal?.inWords ?? ("they did not say why", nil)
        let error = deviceError == 0 ? "" : " (their error 0x\(String(deviceError, radix: 16)))"
        self.init(.earsRefused, code: "refused", cause: "the ears refused: \(reason)\(error)", remedy: remedy)
    }
}

extension AudioRefusal {
    fileprivate var inWords: (reason: String, remedy: String?) {
        switch self {
        case .malformed: ("they did not understand the request", "update the ears, or these tools")
        case .sessionOpen: ("another sound is being taken, and could not be ended", "try again in a minute")
        case .wrongSession: ("they know nothing of this sound any more", "try again")
        case .wrongMode: ("not in this mode", CommandFailure.recover)
        case .capabilityMissing: ("they lack what it needs", "espurr-ctl info lists what they can do")
        case .outOfRange: ("it is longer than they have room for", "ask for less: --length 1s")
        case .busy: ("an update or a calibration is under way", "wait until it has ended")
        case .wrongOffset: ("they have nothing at that place", "try again")
        case .microphoneError: ("the microphone gives no sound", "restart the ears and try again")
        case .outOfMemory: ("they have no room for it now", "ask for less, or restart the ears")
        case .unknown(let number): ("reason \(number), which this version does not know", "update these tools")
        }
    }
}
