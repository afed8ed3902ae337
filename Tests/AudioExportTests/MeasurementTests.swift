import AudioExport
import Testing

@Suite struct `Measurements` {
    @Test func `a sine's RMS is its peak over the root of two`() throws {
        let measured = SoundMeasurements(try Signal.sound(Signal.sine(16_384)))
        #expect(measured.peak == 16_384)
        #expect(abs(measured.rms - 16_384 / 2.0.squareRoot()) < 0.5)
        #expect(abs(measured.dcOffset) < 0.01)
        #expect(abs(try #require(measured.peakLevel) + 6.0206) < 0.001)
        #expect(abs(try #require(measured.rmsLevel) + 9.0309) < 0.001)
        #expect(measured.clippedSamples == 0)
    }

    @Test(arguments: [16, 24, 32]) func `full scale is 0 dBFS at every width`(bits: Int) throws {
        let scale = 1 << (bits - 1)
        let measured = SoundMeasurements(try Signal.sound([-scale, 0, 0, 0], bits: bits))
        #expect(measured.fullScale == scale)
        #expect(measured.peakLevel == 0)
        #expect(measured.rms == Double(scale) / 2)
        #expect(measured.clippedSamples == 1)
    }

    @Test func `a constant has its DC offset as RMS and no noise`() throws {
        let measured = SoundMeasurements(try Signal.sound([Int](repeating: -655, count: 4000)))
        #expect(measured.dcOffset == -655)
        #expect(measured.rms == 655)
        #expect(measured.noiseFloor == 0)
        #expect(measured.noiseFloorLevel == nil)
        #expect(abs(measured.dcShare + 0.02) < 0.0001)
    }

    @Test func `silence has no level`() throws {
        let measured = SoundMeasurements(try Signal.sound([Int](repeating: 0, count: 1000)))
        #expect(measured.peak == 0)
        #expect(measured.peakLevel == nil)
        #expect(measured.rmsLevel == nil)
    }

    @Test func `the noise floor is that of the quietest tenth, without its offset`() throws {
        // Two seconds: in one tenth of it a faint tone on an offset, in the rest a loud one.
        var samples = Signal.sine(10_000, frames: 32_000)
        for frame in 0..<3200 { samples[frame] = 300 + samples[frame] / 1000 }
        let measured = SoundMeasurements(try Signal.sound(samples))
        #expect(abs(try #require(measured.noiseFloor) - 10 / 2.0.squareRoot()) < 0.3)
        for frame in 2880..<3200 { samples[frame] = 10_000 }
        let less = SoundMeasurements(try Signal.sound(samples.enumerated().map { $0 < 2880 ? $1 : 5000 * ($0 % 2) }))
        #expect(try #require(less.noiseFloor) > 1000)
    }

    @Test func `clipped samples near one another are one passage`() throws {
        var samples = [Int](repeating: 0, count: 4000)
        for frame in [100, 101, 200, 259, 1000] { samples[frame] = 32_767 }
        samples[3999] = -32_768
        let measured = SoundMeasurements(try Signal.sound(samples))
        #expect(measured.clippedSamples == 6)
        #expect(measured.clippedPassages == [100..<260, 1000..<1001, 3999..<4000])
    }

    @Test func `the largest value but one is not clipped`() throws {
        #expect(SoundMeasurements(try Signal.sound([32_766, -32_767])).clippedSamples == 0)
    }

    @Test func `what is missing is not measured`() throws {
        let loud = [Int](repeating: 1000, count: 8000)
        let whole = SoundMeasurements(try Signal.sound(loud))
        let holed = SoundMeasurements(try Signal.sound(loud, missing: [100..<900, 7000..<8000]))
        #expect(holed.frames == 6200)
        #expect(holed.rms == whole.rms)
        #expect(holed.dcOffset == whole.dcOffset)
        #expect(holed.noiseFloor == whole.noiseFloor)
    }

    @Test func `a sound of which everything is missing measures nothing`() throws {
        let measured = SoundMeasurements(try Signal.sound([1, 2, 3], missing: [0..<3]))
        #expect(measured.frames == 0)
        #expect(measured.rms == 0)
        #expect(measured.dcOffset == 0)
        #expect(measured.noiseFloor == nil)
    }

    @Test func `each channel is measured by itself`() throws {
        let sound = try Signal.sound([100, -7, 100, -7], channels: 2)
        #expect(SoundMeasurements(sound, channel: 0).dcOffset == 100)
        #expect(SoundMeasurements(sound, channel: 1).dcOffset == -7)
    }
}

@Suite struct `Sounds` {
    @Test func `what is missing is zeros, merged and within the sound`() throws {
        let sound = try Signal.sound([1, 2, 3, 4, 5], missing: [3..<9, 0..<1, 1..<2, 2..<2])
        #expect(sound.missing == [0..<2, 3..<5])
        #expect(sound.samples(ofChannel: 0) == [0, 0, 3, 0, 0])
        #expect(sound.present == [2..<3])
        #expect(sound.missingFrames == 4)
    }

    @Test func `a broken frame at the end is left out`() throws {
        let sound = Sound(format: try Signal.format(24), pcm: [1, 0, 0, 2])
        #expect(sound.frames == 1)
        #expect(sound.pcm == [1, 0, 0])
    }

    @Test(arguments: [(16, [-32_768, 32_767, -1]), (24, [-8_388_608, 8_388_607, -1]), (32, [-2_147_483_648, 7, -1])])
    func `samples are signed at every width`(bits: Int, samples: [Int]) throws {
        #expect(try Signal.sound(samples, bits: bits).samples(ofChannel: 0) == samples)
    }

    @Test(arguments: [(16_000, 8, 1), (16_000, 20, 1), (16_000, 16, 0), (16_000, 16, 3), (0, 16, 1), (400_000, 16, 1)])
    func `a format that no ears have is none`(rate: Int, bits: Int, channels: Int) {
        #expect(SoundFormat(sampleRate: rate, bitsPerSample: bits, channels: channels) == nil)
    }
}
