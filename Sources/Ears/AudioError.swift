public import ControlProtocol

/// Which sound is asked for.
public enum AudioOrder: Hashable, Sendable {
    /// The temporary diagnostic capture, this long.
    case capture(Duration)
    /// The recording, whose length is the ears' own.
    case recording

    public var mode: AudioMode {
        switch self {
        case .capture: .capture
        case .recording: .recording
        }
    }

    /// Without it the ears have no such thing.
    public var capability: String {
        switch self {
        case .capture: "audio-capture"
        case .recording: "audio-recording"
        }
    }
}

/// Why there is no sound.
public enum AudioError: Error, Equatable, Sendable {
    case ears(EarsError)
    /// Nothing was asked of the audio endpoint.
    case wrongMode(EarsMode)
    /// Nothing was begun.
    case capabilityMissing(String)
    /// Nothing was begun.
    case outOfRange(maximum: Duration)
    /// - Parameter deviceError: `esp_err_t`; 0: none.
    case refused(AudioRefusal?, deviceError: UInt32)
    /// The ears, or somebody else, ended the session before all was read.
    case sessionGone
    /// Nothing new came for this long.
    case stalled(after: Duration)
    /// More time than ``AudioDeadlines/whole(bytes:seconds:)`` gives.
    case tooSlow(after: Duration)
    /// A format that this build cannot write, or more than ``EarsLimits/audioBytes``.
    case unsupportedFormat(AudioFormat)
    case cancelled
}

extension EarsLimits {
    /// Bytes of one sound.
    public static let audioBytes = 8 << 20
    /// Blocks of one sound.
    public static let audioBlocks: UInt32 = 1 << 16
    public static let audioBlockFrames = 1 << 16
    public static let audioSampleRates: ClosedRange<UInt32> = 1000...384_000
}

/// How long the parts of a sound may take; an exchange has its own deadlines.
public enum AudioDeadlines {
    /// Between two looks at ears that have nothing new.
    public static let pollInterval: Duration = .milliseconds(100)
    /// Without a new block and without new bytes.
    public static let stall: Duration = .seconds(10)
    /// Bytes a second of the slowest link that is waited for.
    public static let slowestRate = 256

    static func whole(bytes: Int, length: Duration) -> Duration {
        length + stall + .seconds(bytes / slowestRate)
    }
}

/// What happens while a sound is heard and read.
public enum AudioEvent: Hashable, Sendable {
    /// Somebody else's, who is gone.
    case oldSessionStopped
    /// The ears listen from now on.
    case started(length: Duration)
    /// Bytes that were read.
    case progress(bytes: Int, of: Int)
    /// Every block came: only reading is left.
    case heard
    /// After a failure or a cancel. Unconfirmed: it dies with its link, or of silence.
    case stopped(isConfirmed: Bool)
}

/// A sound with what the ears say of it.
public struct AudioTake: Hashable, Sendable {
    public var mode: AudioMode
    public var format: AudioFormat
    /// Whole blocks, those that were dropped as zeros.
    public var pcm: [UInt8]
    public var totalBlocks: Int
    /// Sequence numbers, ascending, apart from one another.
    public var droppedBlocks: [Range<Int>]
    /// Nil where the ears do not measure.
    public var levels: AudioLevels?

    public init(
        mode: AudioMode, format: AudioFormat, pcm: [UInt8], totalBlocks: Int, droppedBlocks: [Range<Int>],
        levels: AudioLevels?
    ) {
        self.mode = mode
        self.format = format
        self.pcm = pcm
        self.totalBlocks = totalBlocks
        self.droppedBlocks = droppedBlocks
        self.levels = levels
    }
}
