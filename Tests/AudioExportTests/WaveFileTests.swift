import AudioExport
import Foundation
import Testing

@Suite struct `WAV files` {
    struct Case: Sendable, CustomTestStringConvertible {
        var bits: Int
        var channels: Int
        var rate: Int

        var testDescription: String { "\(bits) bits, \(channels) channels, \(rate) Hz" }

        /// A second and a bit, an odd number of frames, with an offset, at a quarter of full scale.
        func sound() throws -> Sound {
            let scale = Double(1 << (bits - 1))
            let samples = (0..<rate + 7).flatMap { frame in
                (0..<channels).map { channel in
                    let angle = 2 * Double.pi * 440 * Double(channel + 1) * Double(frame) / Double(rate)
                    return Int((scale * (0.25 * sin(angle) + 0.05)).rounded())
                }
            }
            return Sound(
                format: try Signal.format(bits, channels: channels, rate: rate), pcm: Signal.pcm(samples, bits: bits),
                missing: [100..<350])
        }
    }

    static let cases = [16, 24, 32].flatMap { bits in
        [(1, 16_000), (2, 48_000), (1, 8000)].map { Case(bits: bits, channels: $0.0, rate: $0.1) }
    }

    @Test func `the bytes of the smallest`() throws {
        let wave = try #require(WaveFile(Signal.sound([1, -2])))
        let expected =
            Array("RIFF".utf8) + [40, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
            + [0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + [4, 0, 0, 0, 1, 0, 0xFE, 0xFF]
        #expect(wave.bytes == expected)
    }

    @Test func `an odd number of bytes is padded, and the padding is not counted`() throws {
        let wave = try #require(WaveFile(Signal.sound([1], bits: 24)))
        #expect(wave.bytes.count.isMultiple(of: 2))
        #expect(wave.bytes.suffix(8) == [3, 0, 0, 0, 1, 0, 0, 0])
        #expect(Int(wave.bytes[4]) == wave.bytes.count - 8)
    }

    @Test(.enabled(if: Judge("sox") != nil, "sox (Debian) is not installed"), arguments: cases)
    func `sox reads rate, length and every statistic`(of file: Case) throws {
        let (sound, sox) = (try file.sound(), try #require(Judge("sox")))
        try written(sound) { path in
            let info = String(decoding: try sox("--i", path), as: UTF8.self)
            #expect(info.contains("Channels       : \(file.channels)\n"))
            #expect(info.contains("Sample Rate    : \(file.rate)\n"))
            #expect(info.contains("= \(sound.frames) samples"))
            // What sox measures is the whole file, zeros too: so are these.
            let whole = Sound(format: sound.format, pcm: sound.pcm)
            let measured = (0..<file.channels).map { SoundMeasurements(whole, channel: $0) }
            let values = try sox.values(path, "-n", "stats")
            let squares = measured.reduce(0) { $0 + $1.rms * $1.rms } / Double(file.channels)
            let peak = try #require(measured.compactMap(\.peakLevel).max())
            #expect(
                abs(try #require(values["RMS lev dB"]) - (try #require(measured[0].level(squares.squareRoot()))))
                    < 0.006)
            #expect(abs(try #require(values["Pk lev dB"]) - peak) < 0.006)
            let offset = try #require(values["DC offset"])
            #expect(abs(offset - (try #require(measured.map(\.dcShare).max()))) < 0.00001)
        }
    }

    @Test(.enabled(if: Judge("ffprobe") != nil, "ffprobe (Debian: ffmpeg) is not installed"), arguments: cases)
    func `ffprobe reads rate, width, channels and length`(of file: Case) throws {
        let (sound, ffprobe) = (try file.sound(), try #require(Judge("ffprobe")))
        try written(sound) { path in
            let entries = "stream=codec_name,sample_rate,channels,duration_ts,bits_per_sample"
            let text = String(
                decoding: try ffprobe("-v", "error", "-show_entries", entries, "-of", "csv=p=0", path), as: UTF8.self)
            #expect(text == "pcm_s\(file.bits)le,\(file.rate),\(file.channels),\(file.bits),\(sound.frames)\n")
        }
    }

    @Test(.enabled(if: Judge("ffmpeg") != nil, "ffmpeg (Debian) is not installed"), arguments: cases)
    func `ffmpeg decodes the samples that went in`(of file: Case) throws {
        let (sound, ffmpeg) = (try file.sound(), try #require(Judge("ffmpeg")))
        try written(sound) { path in
            let raw = try ffmpeg("-v", "error", "-i", path, "-f", "s\(file.bits)le", "-")
            #expect(Array(raw) == sound.pcm)
        }
    }

    private func written(_ sound: Sound, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "wave-\(UUID().uuidString).wav").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(try #require(WaveFile(sound)).bytes).write(to: URL(fileURLWithPath: path))
        try body(path)
    }
}
