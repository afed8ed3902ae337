import Foundation
import Testing

@testable import AudioExport

@Suite struct `Spectrograms` {
    @Test(arguments: [1, 16, 100, 255]) func `a sine gives its amplitude at its frequency`(bin: Int) {
        let transform = FourierTransform(size: 512)
        let samples = (0..<512).map { 0.5 * sin(2 * .pi * Double(bin) * Double($0) / 512 + 0.3) }
        let amplitudes = transform.amplitudes(of: samples[...])
        #expect(abs(amplitudes[bin] - 0.5) < 1e-9)
        for (other, amplitude) in amplitudes.enumerated() where abs(other - bin) > 1 {
            #expect(amplitude < 1e-9, "\(other)")
        }
    }

    /// The definition itself, term by term.
    @Test func `any samples give what the definition of the transform gives`() {
        var random = SystemRandomNumberGenerator()
        let samples = (0..<64).map { _ in Double.random(in: -1...1, using: &random) }
        let amplitudes = FourierTransform(size: 64).amplitudes(of: samples[...])
        for bin in 0..<32 {
            var (real, imaginary) = (0.0, 0.0)
            for (place, sample) in samples.enumerated() {
                let windowed = sample * (0.5 - 0.5 * cos(2 * .pi * Double(place) / 64))
                real += windowed * cos(2 * .pi * Double(bin * place) / 64)
                imaginary -= windowed * sin(2 * .pi * Double(bin * place) / 64)
            }
            #expect(abs(amplitudes[bin] - 4 / 64 * (real * real + imaginary * imaginary).squareRoot()) < 1e-9)
        }
    }

    @Test func `a tone is loudest in the row of its frequency, at its level, from end to end`() throws {
        let spectrogram = Spectrogram(try Signal.sound(Signal.sine(8192, frequency: 2000)))
        #expect(spectrogram.height == 256)
        #expect(spectrogram.highestFrequency == 8000)
        for column in 20..<spectrogram.width - 20 {
            let levels = spectrogram.levels.map { $0[column] ?? -999 }
            #expect(levels.indices.max { levels[$0] < levels[$1] } == 64)
            #expect(abs(levels[64] + 12.04) < 0.1)
        }
    }

    @Test func `silence is at the floor, and a stretch without any sound is nothing`() throws {
        let spectrogram = Spectrogram(
            try Signal.sound([Int](repeating: 0, count: 16_000), missing: [4000..<12_000]))
        let row = spectrogram.levels[10]
        #expect(row.first == Spectrogram.floor)
        #expect(row[row.count / 2] == nil)
    }

    @Test(arguments: [1, 2, 31, 500, 16_000, 480_000]) func `every length has a bounded size`(frames: Int) throws {
        let spectrogram = Spectrogram(try Signal.sound([Int](repeating: 5, count: frames)))
        #expect((1...Spectrogram.largestWidth).contains(spectrogram.width))
        #expect(spectrogram.levels.count == spectrogram.height)
        #expect(spectrogram.levels.allSatisfy { $0.count == spectrogram.width })
        #expect(spectrogram.levels[0].allSatisfy { $0 != nil })
    }

    @Test func `a click between two windows of a long sound is not lost`() throws {
        var samples = [Int](repeating: 0, count: 1_600_000)
        samples[1_000_003] = 30_000
        let loudest = Spectrogram(try Signal.sound(samples)).levels[100].compactMap { $0 }.max()
        #expect(try #require(loudest) > -60)
    }

    @Test func `colours go from dark to light without a step back, so greyscale keeps their order`() {
        func luminance(_ colour: ColourMap.Colour) -> Double {
            let parts = [colour.red, colour.green, colour.blue].map { part in
                let share = Double(part) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let steps = ColourMap.colours.map(luminance)
        #expect(steps.count == 255)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(steps[0] < 0.001 && steps[254] > 0.9)
    }
}
