/// A channel as it is drawn: for each column the smallest, the largest and the RMS of the samples that are there.
struct Envelope {
    struct Column: Hashable {
        var lowest: Int
        var highest: Int
        var rms: Double
    }

    /// Nil where every frame of the column is missing.
    let columns: [Column?]

    init(_ sound: Sound, channel: Int, columns count: Int) {
        let samples = sound.samples(ofChannel: channel)
        columns = (0..<count).map { index in
            let start = index * sound.frames / count
            let frames = start..<max(start + 1, (index + 1) * sound.frames / count)
            var column: Column?
            var (squares, measured) = (0.0, 0)
            for frame in frames where frame < samples.count && sound.isWhole(frame..<frame + 1) {
                let sample = samples[frame]
                column = Column(
                    lowest: min(column?.lowest ?? sample, sample), highest: max(column?.highest ?? sample, sample),
                    rms: 0)
                squares += Double(sample) * Double(sample)
                measured += 1
            }
            if measured > 0 { column?.rms = (squares / Double(measured)).squareRoot() }
            return column
        }
    }

    /// The columns that follow one another without a gap.
    var stretches: [Range<Int>] {
        var stretches: [Range<Int>] = []
        for (index, column) in columns.enumerated() where column != nil {
            if let last = stretches.last, last.upperBound == index {
                stretches[stretches.count - 1] = last.lowerBound..<index + 1
            } else {
                stretches.append(index..<index + 1)
            }
        }
        return stretches
    }
}
