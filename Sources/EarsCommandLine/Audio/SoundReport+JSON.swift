import AudioExport
import ControlProtocol
public import CommandLineTools
import Ears

/// The members that `--json` and the sidecar have in common.
extension SoundReport {
    public var members: [(String, JSON)] {
        [
            ("mode", .string(take.mode.code)), ("began_at", .string(began.text)), ("ears", earsJSON),
            ("tool", .object([("name", .string("espurr-ctl")), ("version", .string(toolVersion))])),
            ("format", formatJSON), ("reported", reportedJSON), ("missing", missingJSON),
            ("measured", .array(measurements.map(measuredJSON))), ("findings", .array(findings.map(\.json))),
        ]
    }

    private var earsJSON: JSON {
        .object([
            ("name", .string(device.name)), ("family", .string(device.family)), ("chip", .string(device.chip)),
            ("hardware_revision", .string(device.hardwareRevision)),
            ("firmware_version", .string(device.firmwareVersion)),
        ])
    }

    private var formatJSON: JSON {
        .object([
            ("encoding", .string("signed PCM, little endian")), ("sample_rate", .integer(sound.format.sampleRate)),
            ("bits_per_sample", .integer(sound.format.bitsPerSample)), ("channels", .integer(sound.format.channels)),
            ("frames", .integer(sound.frames)), ("seconds", .number(sound.format.seconds(sound.frames).rounded(to: 6))),
            ("blocks", .integer(take.totalBlocks)), ("block_frames", .integer(Int(take.format.blockFrames))),
        ])
    }

    private var reportedJSON: JSON {
        guard let levels = take.levels, let measured = measurements.first else {
            return .object([("dropped_blocks", .integer(droppedBlocks))])
        }
        return .object([
            ("gain_db", .number((Double(levels.gain) / 100).rounded(to: 2))), ("peak", .integer(Int(levels.peak))),
            ("peak_dbfs", level(measured.level(Double(levels.peak)))), ("rms", .integer(Int(levels.rms))),
            ("rms_dbfs", level(measured.level(Double(levels.rms)))),
            ("clipped_samples", .integer(Int(levels.clippedSamples))), ("dropped_blocks", .integer(droppedBlocks)),
        ])
    }

    private var missingJSON: JSON {
        let blockFrames = Int(take.format.blockFrames)
        let ranges = take.droppedBlocks.map { blocks in
            JSON.object([
                ("first_block", .integer(blocks.lowerBound)), ("blocks", .integer(blocks.count)),
                ("first_frame", .integer(blocks.lowerBound * blockFrames)),
                ("frames", .integer(blocks.count * blockFrames)),
                ("seconds", .number(sound.format.seconds(blocks.lowerBound * blockFrames).rounded(to: 6))),
            ])
        }
        return .object([
            ("blocks", .integer(droppedBlocks)), ("frames", .integer(sound.missingFrames)),
            ("filled_with", .string("zero samples")), ("ranges", .array(ranges)),
        ])
    }

    private func measuredJSON(_ measured: SoundMeasurements) -> JSON {
        .object([
            ("frames", .integer(measured.frames)), ("peak", .integer(measured.peak)),
            ("peak_dbfs", level(measured.peakLevel)), ("rms", .number(measured.rms.rounded(to: 3))),
            ("rms_dbfs", level(measured.rmsLevel)), ("dc_offset", .number(measured.dcOffset.rounded(to: 3))),
            ("noise_floor", measured.noiseFloor.map { .number($0.rounded(to: 3)) } ?? .null),
            ("noise_floor_dbfs", level(measured.noiseFloorLevel)),
            ("clipped_samples", .integer(measured.clippedSamples)),
            ("clipped_passages", .integer(measured.clippedPassages.count)),
            ("clipped_at", .array(measured.clippedPassages.prefix(Self.listedPassages).map(passageJSON))),
        ])
    }

    /// Of each channel at most.
    private static let listedPassages = 1000

    private func passageJSON(_ passage: Range<Int>) -> JSON {
        .object([
            ("first_frame", .integer(passage.lowerBound)), ("frames", .integer(passage.count)),
            ("seconds", .number(sound.format.seconds(passage.lowerBound).rounded(to: 6))),
        ])
    }

    private func level(_ decibels: Double?) -> JSON { decibels.map { .number($0.rounded(to: 2)) } ?? .null }
}

extension JSON {
    fileprivate static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }
}
