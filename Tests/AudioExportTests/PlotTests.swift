import Foundation
import Testing

@testable import AudioExport

@Suite struct `Plots` {
    @Test(
        .enabled(if: Judge("ffmpeg") != nil, "ffmpeg (Debian) is not installed"),
        arguments: [(3, 2), (800, 256), (1, 1)])
    func `ffmpeg decodes the image to the colours that went in`(width: Int, height: Int) throws {
        let rows = (0..<height).map { row in (0..<width).map { UInt8(($0 * 7 + row * 3) % 255) } }
        let image = PNGImage(rows: rows, palette: ColourMap.colours)
        let path = FileManager.default.temporaryDirectory.appending(path: "image-\(UUID().uuidString).png").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        let ffmpeg = try #require(Judge("ffmpeg"))
        let raw = try ffmpeg(
            "-v", "error", "-xerror", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        let colours = rows.joined().map { ColourMap.colours[Int($0)] }
        let expected = colours.flatMap { [$0.red, $0.green, $0.blue] }
        #expect(Array(raw) == expected)
    }

    @Test func `a document is XML, and holds nothing but itself`() throws {
        let svg = SoundPlot(try Signal.medley(), title: "espurr-0001", lines: ["a", "b"]).svg
        #expect(XMLDocumentShape(svg).isWellFormed)
        #expect(svg.contains("<desc>a · b</desc>"))
        #expect(svg.contains("url(#missing)"))
        #expect(svg.contains(">missing</text>"))
        #expect(svg.contains(">clipped</text>"))
        #expect(svg.components(separatedBy: "href=").count == 2)
        #expect(svg.contains("href=\"data:image/png;base64,"))
        #expect(!svg.contains("@font-face"))
    }

    @Test func `a sound without faults has no marks to explain`() throws {
        let svg = SoundPlot(try Signal.sound(Signal.sine(8000)), title: "", lines: []).svg
        #expect(!svg.contains(">missing</text>"))
        #expect(!svg.contains(">clipped</text>"))
    }

    @Test func `a name from the ears is text, whatever it is`() throws {
        let name = "</title><script>alert(1)</script>&\"'\u{0}\u{1B}[2J\u{202E}\u{FFFF}"
        let svg = SoundPlot(try Signal.sound([1, 2, 3]), title: name, lines: [name]).svg
        #expect(!svg.contains("<script"))
        #expect(!svg.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(!svg.unicodeScalars.contains { [0x202E, 0xFFFF].contains($0.value) })
        #expect(XMLDocumentShape(svg).isWellFormed)
    }

    /// Every second block of a long sound missing, everything else clipped, in two channels.
    @Test func `no document passes its bound`() throws {
        let samples = (0..<1_000_000).map { $0 % 3 == 0 ? 32_767 : -32_768 }
        let sound = try Signal.sound(
            samples, channels: 2, missing: stride(from: 0, to: 500_000, by: 256).map { $0..<$0 + 128 })
        let long = String(repeating: "&", count: 5000)
        let svg = SoundPlot(sound, title: long, lines: [long, long, long]).svg
        #expect(svg.utf8.count <= SoundPlot.largestDocument)
    }

    @Test(
        .enabled(if: Judge("rsvg-convert") != nil, "rsvg-convert (Debian: librsvg2-bin) is not installed"),
        arguments: [0, 1, 2, 700, 40_000])
    func `librsvg draws a sound of any length`(frames: Int) throws {
        let svg = SoundPlot(
            try Signal.sound(Signal.sine(9000, frames: frames)), title: "espurr-0001 · capture", lines: ["x"]
        ).svg
        let path = FileManager.default.temporaryDirectory.appending(path: "plot-\(UUID().uuidString).svg").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(svg.utf8).write(to: URL(fileURLWithPath: path))
        let convert = try #require(Judge("rsvg-convert"))
        let png = try convert(path)
        #expect(png.count > 5000)
    }

    @Test(arguments: [
        (0.0...5.0, [0.0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5], 1),
        (0.0...0.2, [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2], 2),
        (0.0...8.0, [0, 1, 2, 3, 4, 5, 6, 7, 8], 0),
    ])
    func `ticks are round numbers from end to end`(range: ClosedRange<Double>, values: [Double], places: Int) {
        let ticks = AxisTicks(range, about: 10)
        #expect(ticks.values.map { decimal($0, 3) } == values.map { decimal($0, 3) })
        #expect(ticks.places == places)
    }

    @Test(arguments: [(1.005, "1"), (-0.004, "0"), (-1.5, "-1.5"), (0.126, "0.13"), (12_345.5, "12345.5")])
    func `numbers are short`(value: Double, text: String) { #expect(short(value) == text) }

    @Test(arguments: 0..<5) func `base 64 is Foundation's`(length: Int) {
        let bytes = (0..<length).map { UInt8(250 + $0) }
        #expect(base64(bytes) == Data(bytes).base64EncodedString())
    }
}

/// Whether tags close as they opened, attributes are quoted and entities are known: enough for a document without
/// anything else in it.
struct XMLDocumentShape {
    let isWellFormed: Bool

    init(_ text: String) {
        var open: [String] = []
        var isWellFormed = true
        let tag = /<(\/?)([A-Za-z]+)((?: [a-zA-Z0-9:-]+="[^"<]*")*) ?(\/?)>/
        let outside = text.replacing(tag) { match in
            if match.1 == "/" {
                isWellFormed = isWellFormed && open.popLast() == String(match.2)
            } else if match.4.isEmpty {
                open.append(String(match.2))
            }
            return ""
        }
        let entities = outside.replacing(/&(amp|lt|gt|quot);/, with: "")
        self.isWellFormed = isWellFormed && open.isEmpty && !entities.contains { "<>&".contains($0) }
    }
}
