/// Interleaved signed PCM, little endian.
public struct SoundFormat: Hashable, Sendable {
    /// Hz.
    public let sampleRate: Int
    /// 16, 24 or 32, in as many bits.
    public let bitsPerSample: Int
    /// 1 or 2.
    public let channels: Int

    public static let sampleRates = 1000...384_000

    /// Nil for what no ears have.
    public init?(sampleRate: Int, bitsPerSample: Int, channels: Int) {
        guard Self.sampleRates.contains(sampleRate), [16, 24, 32].contains(bitsPerSample), (1...2).contains(channels)
        else { return nil }
        self.sampleRate = sampleRate
        self.bitsPerSample = bitsPerSample
        self.channels = channels
    }

    public var bytesPerSample: Int { bitsPerSample / 8 }
    /// A frame is one sample of each channel.
    public var bytesPerFrame: Int { bytesPerSample * channels }
    /// What 0 dBFS means: the magnitude of the smallest sample.
    public var fullScale: Int { 1 << (bitsPerSample - 1) }

    public func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }
}

/// Sound with the places where some is missing: those are zeros, and are never measured.
public struct Sound: Hashable, Sendable {
    public let format: SoundFormat
    /// Whole frames.
    public let pcm: [UInt8]
    /// Frames without sound: ascending, apart from one another, not empty.
    public let missing: [Range<Int>]

    /// - Parameters:
    ///   - pcm: a broken frame at its end is left out.
    ///   - missing: in any order; what lies outside the sound is left out, and what lies there is replaced by zeros.
    public init(format: SoundFormat, pcm: [UInt8], missing: [Range<Int>] = []) {
        let frames = pcm.count / format.bytesPerFrame
        var bytes = pcm
        bytes.removeLast(pcm.count - frames * format.bytesPerFrame)
        let merged = Self.merged(missing.map { $0.clamped(to: 0..<frames) })
        for range in merged {
            let places = range.lowerBound * format.bytesPerFrame..<range.upperBound * format.bytesPerFrame
            for place in places { bytes[place] = 0 }
        }
        self.format = format
        self.pcm = bytes
        self.missing = merged
    }

    public var frames: Int { pcm.count / format.bytesPerFrame }
    public var missingFrames: Int { missing.reduce(0) { $0 + $1.count } }

    /// The frames that are there, in the stretches between what is missing.
    public var present: [Range<Int>] {
        let ends = missing.map(\.lowerBound) + [frames]
        return zip([0] + missing.map(\.upperBound), ends).map { $0..<$1 }.filter { !$0.isEmpty }
    }

    /// Every sample of a channel, from 0 on.
    public func samples(ofChannel channel: Int) -> [Int] {
        let (stride, width) = (format.bytesPerFrame, format.bytesPerSample)
        return pcm.withUnsafeBufferPointer { bytes in
            (0..<frames).map { frame in
                let start = frame * stride + channel * width
                var value = 0
                for place in (0..<width).reversed() { value = value << 8 | Int(bytes[start + place]) }
                let sign = 1 << (width * 8 - 1)
                return (value ^ sign) - sign
            }
        }
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = merged.last, range.lowerBound <= last.upperBound else {
                merged.append(range)
                continue
            }
            merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        }
        return merged
    }
}
