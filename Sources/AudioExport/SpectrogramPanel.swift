/// The spectrogram with its frequencies at the left and its colours at the right.
struct SpectrogramPanel {
    private let spectrogram: Spectrogram
    private let marks: PlotMarks
    private let frame: PlotFrame
    /// dBFS of the lightest colour.
    private let top: Float

    /// Decibels from the lightest to the darkest colour.
    static let span: Float = 80

    init(_ spectrogram: Spectrogram, marks: PlotMarks, frame: PlotFrame) {
        self.spectrogram = spectrogram
        self.marks = marks
        self.frame = frame
        let loudest = spectrogram.levels.lazy.flatMap { $0 }.compactMap { $0 }.max() ?? Spectrogram.floor
        top = min(0, max(-60, (loudest / 10).rounded(.up) * 10))
    }

    func draw(in document: inout SVGText) {
        let image = PNGImage(rows: pixels, palette: ColourMap.colours + [Self.nothing])
        document.line(
            "<image x=\"\(short(frame.left))\" y=\"\(short(frame.top))\" width=\"\(short(frame.width))\" "
                + "height=\"\(short(frame.height))\" preserveAspectRatio=\"none\" "
                + "href=\"data:image/png;base64,\(base64(image.bytes))\"/>")
        marks.drawMissing(on: frame, in: &document)
        document.rectangle(frame, "fill=\"none\" stroke=\"#333\"")
        drawFrequencies(in: &document)
        drawColours(in: &document)
    }

    private static let nothing = ColourMap.Colour(red: 0xC8, green: 0xC8, blue: 0xC8)

    /// From the highest frequency down.
    private var pixels: [[UInt8]] {
        spectrogram.levels.reversed().map { row in
            row.map { level in
                guard let level else { return UInt8(ColourMap.count) }
                let share = (level - (top - Self.span)) / Self.span
                return UInt8(min(max(share, 0), 1) * Float(ColourMap.count - 1))
            }
        }
    }

    private func drawFrequencies(in document: inout SVGText) {
        let highest = spectrogram.highestFrequency / 1000
        let ticks = AxisTicks(0...highest, about: 8)
        for value in ticks.values {
            let y = frame.bottom - value / highest * frame.height
            document.path("M\(short(frame.left - 5)) \(short(y))h5", "stroke=\"#333\"")
            document.words(
                decimal(value, ticks.places), frame.left - 8, min(y + 4, frame.bottom), "text-anchor=\"end\"")
        }
        document.words(
            "frequency (kHz)", 0, 0,
            "text-anchor=\"middle\" transform=\"translate(20 \(short(frame.top + frame.height / 2))) rotate(-90)\"")
    }

    private func drawColours(in document: inout SVGText) {
        let bar = PlotFrame(left: frame.right + 20, top: frame.top, width: 16, height: frame.height)
        let stops = stride(from: 0, through: ColourMap.count - 1, by: 2).map { index in
            let colour = ColourMap.colours[index]
            let offset = short(Double(index) / Double(ColourMap.count - 1))
            return "<stop offset=\"\(offset)\" stop-color=\"rgb(\(colour.red),\(colour.green),\(colour.blue))\"/>"
        }
        document.line(
            "<linearGradient id=\"levels\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\(stops.joined())</linearGradient>")
        document.rectangle(bar, "fill=\"url(#levels)\" stroke=\"#333\"")
        for step in 0...4 {
            let y = bar.bottom - Double(step) / 4 * bar.height
            document.path("M\(short(bar.right)) \(short(y))h4", "stroke=\"#333\"")
            let level = Double(top - Self.span) + Double(step) * Double(Self.span) / 4
            document.words(decimal(level, 0).replacingHyphen, bar.right + 8, min(max(y + 4, bar.top + 9), bar.bottom))
        }
        document.words(
            "level of a sine (dBFS)", 0, 0,
            "text-anchor=\"middle\" transform=\"translate(\(short(bar.right + 48)) "
                + "\(short(bar.top + bar.height / 2))) rotate(-90)\"")
    }
}
