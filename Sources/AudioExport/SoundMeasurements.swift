internal import Glibc

/// What one channel of a sound measures, missing frames left out. Magnitudes are in units of a sample's last bit.
///
/// Levels are in dBFS: 20 · log10 of the magnitude over full scale, which is the magnitude of the smallest sample
/// (32768 of 16 bits). So a sine that reaches full scale has a peak of 0 dBFS and an RMS of −3.01 dBFS.
public struct SoundMeasurements: Hashable, Sendable {
    public let fullScale: Int
    /// Frames that were measured.
    public let frames: Int
    /// Largest magnitude of a sample.
    public let peak: Int
    /// Square root of the mean of the squares, the DC offset included.
    public let rms: Double
    /// The mean: what the zero line is off by.
    public let dcOffset: Double
    /// The RMS, without the window's own mean, that a tenth of all ``noiseWindow`` windows do not exceed; nil where no
    /// whole window is free of missing frames.
    public let noiseFloor: Double?
    /// Samples at the largest or the smallest value of their width.
    public let clippedSamples: Int
    /// Frames from a clipped sample to the last one that follows within ``clippingGap``, ascending.
    public let clippedPassages: [Range<Int>]

    /// Seconds.
    public static let noiseWindow = 0.02
    /// Seconds.
    public static let clippingGap = 0.01

    public init(_ sound: Sound, channel: Int = 0) {
        let samples = sound.samples(ofChannel: channel)
        let limits = (-sound.format.fullScale, sound.format.fullScale - 1)
        var (peak, sum, squares, clipped) = (0, 0.0, 0.0, [Int]())
        for range in sound.present {
            for frame in range {
                let sample = samples[frame]
                peak = max(peak, abs(sample))
                sum += Double(sample)
                squares += Double(sample) * Double(sample)
                if sample == limits.0 || sample == limits.1 { clipped.append(frame) }
            }
        }
        fullScale = sound.format.fullScale
        frames = sound.frames - sound.missingFrames
        self.peak = peak
        rms = frames == 0 ? 0 : (squares / Double(frames)).squareRoot()
        dcOffset = frames == 0 ? 0 : sum / Double(frames)
        noiseFloor = Self.noiseFloor(samples, of: sound)
        clippedSamples = clipped.count
        clippedPassages = Self.passages(clipped, gap: max(1, Int(Self.clippingGap * Double(sound.format.sampleRate))))
    }

    private static func noiseFloor(_ samples: [Int], of sound: Sound) -> Double? {
        let length = max(1, Int((noiseWindow * Double(sound.format.sampleRate)).rounded()))
        let windows = sound.present.flatMap { range in
            stride(from: range.lowerBound, through: range.upperBound - length, by: length).map { start in
                deviation(samples[start..<start + length])
            }
        }.sorted()
        return windows.isEmpty ? nil : windows[(windows.count + 9) / 10 - 1]
    }

    private static func deviation(_ samples: ArraySlice<Int>) -> Double {
        let mean = samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
        let squares = samples.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        return (squares / Double(samples.count)).squareRoot()
    }

    private static func passages(_ frames: [Int], gap: Int) -> [Range<Int>] {
        var passages: [Range<Int>] = []
        for frame in frames {
            if let last = passages.last, frame - last.upperBound < gap {
                passages[passages.count - 1] = last.lowerBound..<frame + 1
            } else {
                passages.append(frame..<frame + 1)
            }
        }
        return passages
    }
}

extension SoundMeasurements {
    /// dBFS; nil for a magnitude of 0, which has no level.
    public func level(_ magnitude: Double) -> Double? {
        magnitude > 0 ? 20 * log10(magnitude / Double(fullScale)) : nil
    }

    public var peakLevel: Double? { level(Double(peak)) }
    public var rmsLevel: Double? { level(rms) }
    public var noiseFloorLevel: Double? { noiseFloor.flatMap(level) }
    /// −1 to 1.
    public var dcShare: Double { dcOffset / Double(fullScale) }
}
