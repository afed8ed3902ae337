import AudioExport
import ControlProtocol
import CommandLineTools
import Ears

/// Something about a sound that somebody who looks for a fault should know: pure.
enum SoundFinding: Hashable {
    /// Not one sample that is not 0.
    case silent
    /// - Parameter peak: dBFS.
    case quiet(peak: Double)
    case clipped(samples: Int, passages: Int)
    /// - Parameter share: of full scale.
    case offset(share: Double)
    case dropped(blocks: Int, of: Int)
    /// The ears measured something else than what they sent.
    case disagreement(what: String)

    /// dBFS below which a sound is quiet.
    static let quietPeak = -40.0
    /// Of full scale.
    static let largestOffset = 0.01

    static func all(_ take: AudioTake, _ measurements: [SoundMeasurements]) -> [SoundFinding] {
        var findings: [SoundFinding] = []
        let dropped = take.droppedBlocks.reduce(0) { $0 + $1.count }
        if dropped > 0 { findings.append(.dropped(blocks: dropped, of: take.totalBlocks)) }
        guard measurements.contains(where: { $0.frames > 0 }) else { return findings }
        let clipped = measurements.reduce(0) { $0 + $1.clippedSamples }
        if clipped > 0 {
            let passages = measurements.reduce(0) { $0 + $1.clippedPassages.count }
            findings.append(.clipped(samples: clipped, passages: passages))
        }
        if let peak = measurements.compactMap(\.peakLevel).max() {
            if peak < quietPeak { findings.append(.quiet(peak: peak)) }
        } else {
            findings.append(.silent)
        }
        if let offset = measurements.map(\.dcShare).max(by: { abs($0) < abs($1) }), abs(offset) > largestOffset {
            findings.append(.offset(share: offset))
        }
        return findings + disagreements(take, measurements, clipped: clipped)
    }

    /// The ears measure the same samples; only their RMS is rounded down.
    private static func disagreements(
        _ take: AudioTake, _ measurements: [SoundMeasurements], clipped: Int
    ) -> [SoundFinding] {
        guard let levels = take.levels else { return [] }
        var findings: [SoundFinding] = []
        if Int(levels.peak) != measurements.map(\.peak).max() { findings.append(.disagreement(what: "peak")) }
        if Int(levels.clippedSamples) != clipped { findings.append(.disagreement(what: "clipped samples")) }
        let squares = measurements.reduce(0) { $0 + $1.rms * $1.rms }
        let rms = (squares / Double(measurements.count)).squareRoot()
        if abs(rms - Double(levels.rms)) > max(1, rms / 1000) { findings.append(.disagreement(what: "RMS")) }
        return findings
    }

    var code: String {
        switch self {
        case .silent: "silent"
        case .quiet: "quiet"
        case .clipped: "clipped"
        case .offset: "dc_offset"
        case .dropped: "dropped"
        case .disagreement: "ears_disagree"
        }
    }

    var inWords: String {
        switch self {
        case .silent: "nothing but zeros: the microphone gives no signal"
        case .quiet(let peak): "very quiet: nothing above \(peak.decibels)"
        case .clipped(let samples, let passages):
            "too loud: \(samples) samples at the end of the range, in \(passages) passage\(passages == 1 ? "" : "s")"
        case .offset(let share): "the zero line is off by \(share.percent) of full scale"
        case .dropped(let blocks, let total):
            "\(blocks) of \(total) blocks were dropped by the ears; they are silence in the file, and not measured"
        case .disagreement(let what): "the ears report another \(what) than what they sent measures"
        }
    }

    var json: JSON { .object([("code", .string(code)), ("text", .string(inWords))]) }
}

extension Double {
    /// Rounded to so many decimals, and short in JSON too.
    func rounded(to places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        // Adding 0 takes the sign off a zero.
        return (self * scale).rounded() / scale + 0
    }

    var decibels: String { "\(rounded(to: 1)) dBFS" }

    /// Of a share.
    var percent: String { "\((self * 100).rounded(to: 2)) %" }
}
