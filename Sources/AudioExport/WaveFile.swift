/// A RIFF WAVE file (Microsoft, Multimedia Programming Interface and Data Specifications 1.0): `fmt `, then `data`.
///
/// 16 bits go as plain PCM, which everything plays; wider samples as `WAVE_FORMAT_EXTENSIBLE`, as they have to.
public struct WaveFile: Hashable, Sendable {
    public let bytes: [UInt8]

    /// Bytes of sound in a file at most: its sizes are 32 bits wide.
    public static let largestSound = Int(UInt32.max) - 100

    /// Nil where the sound is larger than ``largestSound``.
    public init?(_ sound: Sound) {
        guard sound.pcm.count <= Self.largestSound else { return nil }
        let padding = sound.pcm.count % 2
        var bytes = Array("WAVE".utf8)
        bytes.append(chunk: "fmt ", Self.format(sound.format))
        bytes.append(chunk: "data", sound.pcm)
        bytes += [UInt8](repeating: 0, count: padding)
        var file: [UInt8] = []
        file.reserveCapacity(bytes.count + 8)
        file.append(chunk: "RIFF", bytes)
        self.bytes = file
    }

    private static let pcm = 1
    private static let extensible = 0xFFFE
    /// `KSDATAFORMAT_SUBTYPE_PCM` behind its first two bytes, which are the format's number.
    private static let subtype: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    /// Front centre; front left and right.
    private static let speakers = [1: 0x4, 2: 0x3]

    private static func format(_ format: SoundFormat) -> [UInt8] {
        let isPlain = format.bitsPerSample == 16
        var bytes: [UInt8] = []
        bytes.append(isPlain ? pcm : extensible, width: 2)
        bytes.append(format.channels, width: 2)
        bytes.append(format.sampleRate, width: 4)
        bytes.append(format.sampleRate * format.bytesPerFrame, width: 4)
        bytes.append(format.bytesPerFrame, width: 2)
        bytes.append(format.bitsPerSample, width: 2)
        guard !isPlain else { return bytes }
        bytes.append(22, width: 2)
        bytes.append(format.bitsPerSample, width: 2)
        bytes.append(speakers[format.channels] ?? 0, width: 4)
        bytes.append(pcm, width: 2)
        return bytes + subtype
    }
}

extension [UInt8] {
    /// Little endian.
    fileprivate mutating func append(_ value: Int, width: Int) {
        for place in 0..<width { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }

    fileprivate mutating func append(chunk name: String, _ content: [UInt8]) {
        self += Array(name.utf8)
        append(content.count, width: 4)
        self += content
    }
}
