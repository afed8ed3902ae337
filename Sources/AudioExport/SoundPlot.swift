/// Wave and spectrogram of a sound as one SVG document, without fonts or anything else from outside.
///
/// Its size has a bound whatever the sound: the wave has a point for each column, the spectrogram is an image of at most
/// ``Spectrogram/largestWidth`` by ``Spectrogram/largestHeight`` pixels.
public struct SoundPlot {
    /// Bytes that no document passes.
    public static let largestDocument = 1 << 19

    private let sound: Sound
    private let title: String
    private let lines: [String]
    private let measurements: [SoundMeasurements]

    /// - Parameters:
    ///   - title: in one line, like the lines below it; what would run out of the picture is cut.
    public init(_ sound: Sound, title: String, lines: [String]) {
        self.sound = sound
        self.title = String(title.prefix(72))
        self.lines = lines.prefix(2).map { String($0.prefix(132)) }
        measurements = (0..<sound.format.channels).map { SoundMeasurements(sound, channel: $0) }
    }

    private static let width = 1000.0
    private static let height = 660.0
    private static let left = 76.0
    private static let plotWidth = 800.0
    private static let wave = PlotFrame(left: left, top: 104, width: plotWidth, height: 216)
    private static let spectrum = PlotFrame(left: left, top: 350, width: plotWidth, height: 256)

    public var svg: String {
        var document = SVGText()
        document.line(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(short(Self.width))\" height=\"\(short(Self.height))\" "
                + "viewBox=\"0 0 \(short(Self.width)) \(short(Self.height))\" role=\"img\" "
                + "font-family=\"system-ui, 'DejaVu Sans', Arial, sans-serif\" font-size=\"12\" fill=\"#333\">")
        document.line("<title>\(escaped(title))</title>")
        document.line("<desc>\(escaped(lines.joined(separator: " · ")))</desc>")
        document.line(Self.definitions)
        document.line("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")
        document.words(title, Self.left, 34, "font-size=\"18\" font-weight=\"600\" fill=\"#111\"")
        for (index, line) in lines.enumerated() { document.words(line, Self.left, 56 + Double(index) * 18) }
        let marks = PlotMarks(sound, clipped: measurements.flatMap(\.clippedPassages), columns: Int(Self.plotWidth))
        WavePanel(sound: sound, measurements: measurements, marks: marks, frame: Self.wave).draw(in: &document)
        SpectrogramPanel(Spectrogram(sound), marks: marks, frame: Self.spectrum).draw(in: &document)
        drawTimeAxis(in: &document)
        marks.drawLegend(right: Self.left + Self.plotWidth, baseline: 96, in: &document)
        document.line("</svg>")
        return document.text
    }

    private static let definitions = """
        <defs><pattern id="missing" width="6" height="6" patternUnits="userSpaceOnUse" \
        patternTransform="rotate(45)"><rect width="6" height="6" fill="#e6e6e6"/>\
        <rect width="2.4" height="6" fill="#8c8c8c"/></pattern></defs>
        """

    private func drawTimeAxis(in document: inout SVGText) {
        let seconds = sound.format.seconds(max(sound.frames, 1))
        let ticks = AxisTicks(0...seconds, about: 10)
        let frame = Self.spectrum
        for value in ticks.values {
            let x = frame.left + value / seconds * frame.width
            document.path(
                "M\(short(x)) \(short(frame.bottom))v5M\(short(x)) \(short(Self.wave.bottom))v5", "stroke=\"#333\"")
            document.words(
                decimal(value, ticks.places), x, frame.bottom + 20, "text-anchor=\"middle\" fill=\"#333\"")
        }
        document.words("time (s)", frame.left + frame.width / 2, frame.bottom + 40, "text-anchor=\"middle\"")
    }
}
