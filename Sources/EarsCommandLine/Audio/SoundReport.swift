import AudioExport
public import CommandLineTools
public import ControlProtocol
public import Ears

/// A sound with what the ears reported of it and what was measured here, for people, scripts and the sidecar.
public struct SoundReport: Sendable {
    let take: AudioTake
    let sound: Sound
    let measurements: [SoundMeasurements]
    let device: DeviceInformation
    let began: UTCMoment
    let findings: [SoundFinding]

    /// - Throws: a format that cannot be written.
    public init(_ take: AudioTake, device: DeviceInformation, began: UTCMoment) throws(CommandFailure) {
        guard
            let format = SoundFormat(
                sampleRate: Int(take.format.sampleRate), bitsPerSample: Int(take.format.bitsPerSample),
                channels: Int(take.format.channels))
        else { throw CommandFailure(AudioError.unsupportedFormat(take.format)) }
        let blockFrames = Int(take.format.blockFrames)
        let sound = Sound(
            format: format, pcm: take.pcm,
            missing: take.droppedBlocks.map { $0.lowerBound * blockFrames..<$0.upperBound * blockFrames })
        let measurements = (0..<format.channels).map { SoundMeasurements(sound, channel: $0) }
        self.take = take
        self.sound = sound
        self.measurements = measurements
        self.device = device
        self.began = began
        findings = SoundFinding.all(take, measurements)
    }

    var droppedBlocks: Int { take.droppedBlocks.reduce(0) { $0 + $1.count } }

    /// Wave and spectrogram, with a title that says whose they are.
    var plot: String {
        let title = "\(device.name) · \(take.mode.code) · \(began.text)"
        let maker = "firmware \(device.firmwareVersion) · \(device.family) (\(device.chip)) · \(formatInWords)"
        let levels = [
            "peak \(levels(\.peakLevel))", "RMS \(levels(\.rmsLevel))", "noise floor \(levels(\.noiseFloorLevel))",
            "DC offset \(offsets)", "\(measurements.reduce(0) { $0 + $1.clippedSamples }) samples clipped",
            "\(droppedBlocks) of \(take.totalBlocks) blocks missing",
        ]
        return SoundPlot(sound, title: title, lines: [maker, levels.joined(separator: " · ")]).svg
    }

    // MARK: For people

    public var rows: [(String, String)] {
        var rows = [
            ("sound", formatInWords), ("peak", levels(\.peakLevel)), ("RMS", levels(\.rmsLevel)),
            ("noise floor", levels(\.noiseFloorLevel)), ("DC offset", offsets + " of full scale"),
            ("clipped", clippedInWords), ("dropped", droppedInWords), ("ears say", reportedInWords),
        ]
        if findings.isEmpty { rows.append(("verdict", "nothing wrong with it")) }
        rows += findings.map { ("verdict", $0.inWords) }
        return rows
    }

    private var formatInWords: String {
        let format = sound.format
        let channels = format.channels == 1 ? "mono" : "stereo"
        return
            "\(format.seconds(sound.frames).rounded(to: 3)) s, \(format.sampleRate) Hz, \(format.bitsPerSample) bits, "
            + channels
    }

    /// Of each channel.
    private func levels(_ level: KeyPath<SoundMeasurements, Double?>) -> String {
        measurements.map { $0[keyPath: level].map(\.decibels) ?? "none" }.joined(separator: " / ")
    }

    private var offsets: String { measurements.map(\.dcShare.percent).joined(separator: " / ") }

    private var clippedInWords: String {
        let passages = measurements.flatMap(\.clippedPassages).sorted { $0.lowerBound < $1.lowerBound }
        guard let first = passages.first else { return "none" }
        let samples = measurements.reduce(0) { $0 + $1.clippedSamples }
        return "\(samples) samples, first at \(place(first.lowerBound))"
    }

    private var droppedInWords: String {
        guard let first = sound.missing.first else { return "none" }
        let time = (sound.format.seconds(sound.missingFrames) * 1000).rounded(to: 1)
        return "\(droppedBlocks) of \(take.totalBlocks) blocks (\(time) ms), first at \(place(first.lowerBound))"
    }

    private func place(_ frame: Int) -> String { "\(sound.format.seconds(frame).rounded(to: 3)) s" }

    private var reportedInWords: String {
        guard let levels = take.levels, let measured = measurements.first else { return "nothing of levels" }
        let peak = measured.level(Double(levels.peak)).map(\.decibels) ?? "none"
        let rms = measured.level(Double(levels.rms)).map(\.decibels) ?? "none"
        return "gain \((Double(levels.gain) / 100).rounded(to: 2)) dB, peak \(peak), RMS \(rms), "
            + "\(levels.clippedSamples) samples clipped"
    }
}
