internal import Glibc

/// The wave of each channel, one above the other: the peaks light, the RMS dark.
struct WavePanel {
    let sound: Sound
    let measurements: [SoundMeasurements]
    let marks: PlotMarks
    let frame: PlotFrame

    func draw(in document: inout SVGText) {
        document.rectangle(frame, "fill=\"#f7f7f5\"")
        let height = frame.height / Double(sound.format.channels)
        for channel in 0..<sound.format.channels {
            let part = PlotFrame(
                left: frame.left, top: frame.top + Double(channel) * height, width: frame.width, height: height)
            drawAxis(of: part, in: &document)
            drawWave(of: channel, on: part, in: &document)
        }
        marks.drawMissing(on: frame, in: &document)
        marks.drawClipped(on: frame, in: &document)
        document.rectangle(frame, "fill=\"none\" stroke=\"#333\"")
        document.words(
            "amplitude (full scale = 1)", 0, 0,
            "text-anchor=\"middle\" transform=\"translate(20 \(short(frame.top + frame.height / 2))) rotate(-90)\"")
        document.words(
            "dBFS", 0, 0,
            "text-anchor=\"middle\" transform=\"translate(\(short(frame.right + 54)) "
                + "\(short(frame.top + frame.height / 2))) rotate(-90)\"")
    }

    /// Full scale where the sound comes near it, else a round share of it that the loudest sample fits in.
    private var bound: Double {
        let loudest = measurements.map { Double($0.peak) / Double($0.fullScale) }.max() ?? 0
        return [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].first { loudest <= $0 * 0.98 } ?? 1
    }

    private func drawAxis(of part: PlotFrame, in document: inout SVGText) {
        let bound = bound
        let places = max(1, Int(-log10(bound / 2 * 1.001).rounded(.down)))
        for share in [-1, -0.5, 0, 0.5, 1] {
            let y = part.top + (1 - share) / 2 * part.height
            // The outermost labels stay clear of a neighbour's.
            let baseline = min(max(y + 4, part.top + 9), part.bottom - 1)
            let colour = share == 0 ? "#999" : "#ddd"
            document.path("M\(short(part.left)) \(short(y))h\(short(part.width))", "stroke=\"\(colour)\"")
            document.words(
                decimal(share * bound, places).replacingHyphen, part.left - 8, baseline, "text-anchor=\"end\"")
            let level = share == 0 ? "−∞" : decimal(20 * log10(abs(share) * bound), 0).replacingHyphen
            document.words(level, part.right + 8, baseline)
        }
    }

    private func drawWave(of channel: Int, on part: PlotFrame, in document: inout SVGText) {
        let envelope = Envelope(sound, channel: channel, columns: Int(part.width))
        let scale = part.height / 2 / (bound * Double(sound.format.fullScale))
        let middle = part.top + part.height / 2
        // Steps, a column wide: a line from column to column would draw a click at half its height.
        func outline(_ upper: (Envelope.Column) -> Double, _ lower: (Envelope.Column) -> Double) -> String {
            envelope.stretches.map { stretch in
                let columns = stretch.compactMap { envelope.columns[$0] }
                // A pixel at least, so that silence is a line.
                let there = columns.map { "V\(short(middle - upper($0) * scale - 0.5))h1" }
                let back = columns.reversed().map { "V\(short(middle - lower($0) * scale + 0.5))h-1" }
                return "M\(short(part.left + Double(stretch.lowerBound))) \(short(middle))\(there.joined())"
                    + "\(back.joined())Z"
            }.joined()
        }
        document.path(
            outline({ Double($0.highest) }, { Double($0.lowest) }), "fill=\"#6ea6d6\" shape-rendering=\"crispEdges\"")
        document.path(outline(\.rms, { -$0.rms }), "fill=\"#1c4f82\" shape-rendering=\"crispEdges\"")
    }
}

extension String {
    /// With a minus sign, as it is set.
    var replacingHyphen: String { hasPrefix("-") ? "−" + dropFirst() : self }
}
