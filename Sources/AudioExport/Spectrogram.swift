internal import Glibc

/// Levels over time and frequency: columns from the left, rows from 0 Hz upwards.
struct Spectrogram {
    /// Columns and rows at most.
    static let largestWidth = 800
    static let largestHeight = 256
    /// Where nothing is louder (dBFS).
    static let floor: Float = -160

    let width: Int
    let height: Int
    /// Hz, at the upper edge.
    let highestFrequency: Double
    /// dBFS of a sine's amplitude, row by row from the lowest; nil where a column has no frame that is there.
    let levels: [[Float?]]

    /// Of the mean of all channels. Windows that touch missing frames are not looked at.
    init(_ sound: Sound) {
        let size = Self.windowSize(sound.format.sampleRate)
        let transform = FourierTransform(size: size)
        let mono = Self.mono(sound, atLeast: size)
        let hop = max(size / 16, (sound.frames + Self.largestWidth - 1) / Self.largestWidth, 1)
        let width = max(1, (sound.frames + hop - 1) / hop)
        let height = min(size / 2, Self.largestHeight)
        var levels = [[Float?]](repeating: [Float?](repeating: nil, count: width), count: height)
        for column in 0..<width {
            let end = min((column + 1) * hop, sound.frames)
            // Each frame of the column is in the middle half of some window.
            let first = column * hop + min(hop, size / 2) / 2
            for middle in stride(from: first, to: max(end, first + 1), by: size / 2) {
                // At the ends the window stays within the sound: an edge in it would look like a click.
                let start = min(max(middle - size / 2, 0), mono.count - size)
                guard sound.isWhole(start..<start + size) else { continue }
                let amplitudes = transform.amplitudes(of: mono[start..<start + size])
                for (bin, amplitude) in amplitudes.enumerated() {
                    let row = bin * height / (size / 2)
                    let level = amplitude > 0 ? max(Self.floor, Float(20 * log10(amplitude))) : Self.floor
                    levels[row][column] = max(levels[row][column] ?? Self.floor, level)
                }
            }
        }
        self.width = width
        self.height = height
        self.levels = levels
        highestFrequency = Double(sound.format.sampleRate) / 2
    }

    /// About 30 ms: 512 at 16 kHz.
    private static func windowSize(_ sampleRate: Int) -> Int {
        var size = 64
        while size * 2 <= sampleRate * 33 / 1000 + 1 { size *= 2 }
        return size
    }

    /// −1 to 1; a sound that is shorter than a window is followed by silence.
    private static func mono(_ sound: Sound, atLeast size: Int) -> [Double] {
        let scale = 1 / Double(sound.format.fullScale * sound.format.channels)
        var sums = [Double](repeating: 0, count: max(sound.frames, size))
        for channel in 0..<sound.format.channels {
            for (frame, sample) in sound.samples(ofChannel: channel).enumerated() {
                sums[frame] += Double(sample) * scale
            }
        }
        return sums
    }
}

extension Sound {
    /// Whether nothing is missing in these frames; those before the first and behind the last do not count.
    func isWhole(_ range: Range<Int>) -> Bool {
        var (low, high) = (0, missing.count)
        while low < high {
            let middle = (low + high) / 2
            if missing[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low == missing.count || missing[low].lowerBound >= range.upperBound
    }
}
