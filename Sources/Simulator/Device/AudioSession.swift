import ControlProtocol

/// One capture or recording: from `start` until `stop`, silence or the link's end.
struct AudioSession: Sendable {
    static let format = AudioFormat(
        sampleRate: UInt32(MicrophoneSound.sampleRate), bitsPerSample: 16, channels: 1, blockFrames: 128)
    static let blockBytes = Int(format.blockFrames) * 2
    static let blockTime = Duration.seconds(1) * Int(format.blockFrames) / MicrophoneSound.sampleRate

    /// Not 0.
    let id: UInt32
    let mode: AudioMode
    let began: Duration
    let totalBlocks: Int
    /// The whole stream, of which only the blocks up to now can be read.
    let samples: [Int16]
    let dropped: Set<Int>
    /// The block that never comes; nil: every one does.
    let lastWord: (block: Int, isFailure: Bool)?
    var lastRequest: Duration

    init(id: UInt32, mode: AudioMode, milliseconds: Int, configuration: EarsConfiguration, at now: Duration) {
        self.id = id
        self.mode = mode
        began = now
        lastRequest = now
        let frames = milliseconds * MicrophoneSound.sampleRate / 1000
        let totalBlocks = max(1, (frames + Int(Self.format.blockFrames) - 1) / Int(Self.format.blockFrames))
        self.totalBlocks = totalBlocks
        samples = MicrophoneSound(microphone: configuration.microphone)
            .samples(totalBlocks * Int(Self.format.blockFrames))
        dropped = Self.dropped(configuration.droppedAudioBlocks, of: totalBlocks)
        lastWord = configuration.audioEnd.map { ($0.percent * totalBlocks / 100, $0.isFailure) }
    }

    /// The first half in a row from a quarter of the stream on, the others by themselves wherever chance puts them.
    private static func dropped(_ count: Int, of total: Int) -> Set<Int> {
        let count = min(count, total)
        let start = min(total / 4, total - count)
        var dropped = Set(start..<start + (count + 1) / 2)
        var generator = SplitMix64(seed: 0xD40)
        while dropped.count < count { dropped.insert(Int.random(in: 0..<total, using: &generator)) }
        return dropped
    }

    /// Blocks that came or were dropped.
    func blocks(at now: Duration) -> Int {
        let isOver = now - began >= Self.blockTime * totalBlocks
        let heard = isOver ? totalBlocks : Int((now - began) / Self.blockTime)
        return min(heard, lastWord?.block ?? totalBlocks)
    }

    func droppedBlocks(at now: Duration) -> Int {
        let blocks = blocks(at: now)
        return dropped.count { $0 < blocks }
    }

    func state(at now: Duration) -> AudioState {
        let blocks = blocks(at: now)
        if let lastWord, blocks == lastWord.block { return lastWord.isFailure ? .failed : .running }
        return blocks == totalBlocks ? .complete : .running
    }

    // MARK: What it holds

    /// What lies at an offset of the stream.
    func data(at offset: Int, length: Int, at now: Duration) -> AudioData {
        let blocks = blocks(at: now)
        let block = offset / Self.blockBytes
        var reply = AudioData(offset: UInt32(offset), block: UInt32(block))
        guard block < blocks else { return reply }
        if dropped.contains(block) {
            reply.droppedBlocks = UInt32((block..<blocks).prefix { dropped.contains($0) }.count)
            return reply
        }
        let end = (block..<blocks).first { dropped.contains($0) } ?? blocks
        let frames = offset / 2..<min(end * Self.blockBytes, offset + length / 2 * 2) / 2
        for sample in samples[frames] { reply.data.append(littleEndian: sample) }
        return reply
    }

    func levels(at now: Duration) -> AudioLevels {
        let frames = Int(Self.format.blockFrames)
        var (peak, squares, clipped, count) = (UInt32(0), UInt64(0), UInt32(0), UInt64(0))
        for block in 0..<blocks(at: now) where !dropped.contains(block) {
            for sample in samples[block * frames..<(block + 1) * frames] {
                peak = max(peak, UInt32(sample.magnitude))
                squares += UInt64(sample.magnitude) * UInt64(sample.magnitude)
                clipped += sample == .max || sample == .min ? 1 : 0
                count += 1
            }
        }
        let rms = count == 0 ? 0 : UInt32((Double(squares) / Double(count)).squareRoot())
        return AudioLevels(gain: 2400, peak: peak, rms: rms, clippedSamples: clipped)
    }
}
