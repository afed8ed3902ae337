/// A request to the audio endpoint.
public enum AudioRequest: Hashable, Sendable {
    case status
    /// - Parameters:
    ///   - session: chosen by the client: random, not 0, never used again. Sent twice it starts once.
    ///   - milliseconds: of a capture; 0 for a recording, whose length is the ears' own.
    case start(session: UInt32, mode: AudioMode, milliseconds: UInt32)
    /// - Parameters:
    ///   - offset: bytes from the stream's start, dropped blocks included; of a whole frame.
    ///   - length: bytes of data at most.
    case read(session: UInt32, offset: UInt32, length: UInt32)
    case stop(session: UInt32)
}

public enum AudioMode: Hashable, Sendable {
    case none
    /// Temporary, as long as asked.
    case capture
    /// Of a length that the ears state.
    case recording
    case unknown(UInt32)
}

public enum AudioState: Hashable, Sendable {
    case idle
    /// Blocks come.
    case running
    /// Every block came or was dropped; kept until `stop` or the link's end.
    case complete
    /// The refusal says why; what came until then is kept.
    case failed
    case unknown(UInt32)
}

public enum AudioRefusal: Hashable, Sendable {
    case malformed
    /// Another session is open; its id is in the reply.
    case sessionOpen
    case wrongSession
    /// Recovery mode.
    case wrongMode
    case capabilityMissing
    /// A longer capture than the ears have room for.
    case outOfRange
    /// An upload or a calibration is under way.
    case busy
    /// Past the stream, or not of a whole frame.
    case wrongOffset
    case microphoneError
    case outOfMemory
    case unknown(UInt32)
}

/// Interleaved signed PCM, little endian.
public struct AudioFormat: Hashable, Sendable {
    /// Hz.
    public var sampleRate: UInt32
    public var bitsPerSample: UInt32
    public var channels: UInt32
    /// Frames of a block; a frame is one sample of each channel.
    public var blockFrames: UInt32

    public init(sampleRate: UInt32, bitsPerSample: UInt32, channels: UInt32, blockFrames: UInt32) {
        self.sampleRate = sampleRate
        self.bitsPerSample = bitsPerSample
        self.channels = channels
        self.blockFrames = blockFrames
    }
}

/// What the ears measured of the blocks that they did not drop.
public struct AudioLevels: Hashable, Sendable {
    /// Of the microphone, hundredths of a decibel.
    public var gain: Int32
    /// Largest magnitude of a sample.
    public var peak: UInt32
    /// Root mean square of the samples, rounded down.
    public var rms: UInt32
    /// Samples at the format's largest or smallest value.
    public var clippedSamples: UInt32

    public init(gain: Int32, peak: UInt32, rms: UInt32, clippedSamples: UInt32) {
        self.gain = gain
        self.peak = peak
        self.rms = rms
        self.clippedSamples = clippedSamples
    }
}

public struct AudioStatus: Hashable, Sendable {
    /// Milliseconds; 0: no captures.
    public var maximumCapture: UInt32
    /// Milliseconds; 0: no recordings.
    public var recordingLength: UInt32
    /// Of the session, as are the properties below.
    public var mode: AudioMode
    public var format: AudioFormat?
    /// Of the whole stream.
    public var totalBlocks: UInt32
    /// Nil where the ears do not measure.
    public var levels: AudioLevels?

    public init(
        maximumCapture: UInt32, recordingLength: UInt32, mode: AudioMode = .none, format: AudioFormat? = nil,
        totalBlocks: UInt32 = 0, levels: AudioLevels? = nil
    ) {
        self.maximumCapture = maximumCapture
        self.recordingLength = recordingLength
        self.mode = mode
        self.format = format
        self.totalBlocks = totalBlocks
        self.levels = levels
    }
}

/// What was read: data, or a count of dropped blocks, or neither where nothing came yet.
public struct AudioData: Hashable, Sendable {
    /// The one asked for.
    public var offset: UInt32
    /// Sequence number of the block that the offset lies in, from 0.
    public var block: UInt32
    /// Whole frames, up to the next dropped block at most.
    public var data: [UInt8]
    /// The block of the offset and those after it that were dropped in a row.
    public var droppedBlocks: UInt32

    public init(offset: UInt32, block: UInt32, data: [UInt8] = [], droppedBlocks: UInt32 = 0) {
        self.offset = offset
        self.block = block
        self.data = data
        self.droppedBlocks = droppedBlocks
    }
}

/// A reply of the audio endpoint: each carries session, state, and how many blocks there are.
public struct AudioReply: Hashable, Sendable {
    /// 0: none.
    public var session: UInt32
    public var state: AudioState
    /// That came or were dropped up to now.
    public var blocks: UInt32
    /// Of these.
    public var droppedBlocks: UInt32
    public var refusal: AudioRefusal?
    /// `esp_err_t`; 0: none.
    public var deviceError: UInt32
    /// Milliseconds without a request after which the session dies.
    public var silenceLimit: UInt32
    /// In reply to `status` only.
    public var status: AudioStatus?
    /// In reply to `read` only.
    public var data: AudioData?

    public init(
        session: UInt32, state: AudioState, blocks: UInt32 = 0, droppedBlocks: UInt32 = 0,
        refusal: AudioRefusal? = nil, deviceError: UInt32 = 0, silenceLimit: UInt32, status: AudioStatus? = nil,
        data: AudioData? = nil
    ) {
        self.session = session
        self.state = state
        self.blocks = blocks
        self.droppedBlocks = droppedBlocks
        self.refusal = refusal
        self.deviceError = deviceError
        self.silenceLimit = silenceLimit
        self.status = status
        self.data = data
    }
}
