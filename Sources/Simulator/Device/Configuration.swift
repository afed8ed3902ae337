/// Which ears these are.
public struct EarsConfiguration: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable {
        case normal
        /// Updates and nothing else.
        case recovery
    }

    public var family: BoardFamily
    /// Identity address, `XX:XX:XX:XX:XX:XX`.
    public var address: String
    /// What they are in once they have power. A reset leaves recovery mode, where a slot boots.
    public var mode: Mode
    /// What a fresh flash holds in its first slot.
    public var firmwareVersion: String
    public var faults: [Fault]
    /// Bytes that the ears take in by the stream form before they have written any of them.
    public var streamWindow: UInt32 = 16 << 10
    public var timing: EarsTiming
    /// Of the ears' own random numbers: session ids, digits, keys.
    public var seed: UInt64

    public init(
        family: BoardFamily, address: String, mode: Mode = .normal, firmwareVersion: String = "1.4.0",
        faults: [Fault] = [], timing: EarsTiming = EarsTiming(), seed: UInt64
    ) {
        self.family = family
        self.address = address
        self.mode = mode
        self.firmwareVersion = firmwareVersion
        self.faults = faults
        self.timing = timing
        self.seed = seed
    }

    func running(in mode: Mode) -> EarsConfiguration {
        var configuration = self
        configuration.mode = mode
        return configuration
    }

    /// The name of ears fresh from the maker: `espurr-` and the last two bytes of the address.
    var factoryName: String { "espurr-" + address.filter { $0 != ":" }.suffix(4).uppercased() }
}

/// How long things take.
public struct EarsTiming: Hashable, Sendable {
    /// From power or reset until the firmware answers.
    public var boot: Duration = .milliseconds(1200)
    /// From the firmware's start until it marks itself valid.
    public var selfCheck: Duration = .seconds(2)
    public var eraseSector: Duration = .milliseconds(2)
    public var verify: Duration = .milliseconds(400)
    /// From *accepted* until otadata is written.
    public var select: Duration = .milliseconds(60)
    /// From the reply to `restart` until the reset.
    public var restartDelay: Duration = .milliseconds(200)
    /// Without a request for this long an update session dies.
    public var silenceLimit: Duration = .seconds(30)
    public var applyChange: Duration = .milliseconds(20)
    public var saveDelay: Duration = .milliseconds(50)
    public var saveChange: Duration = .milliseconds(300)

    public init() {}
}
