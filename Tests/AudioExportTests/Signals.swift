import AudioExport
import Foundation
import Testing

/// Signals whose measurements are known from their formulas.
enum Signal {
    static func format(_ bits: Int = 16, channels: Int = 1, rate: Int = 16_000) throws -> SoundFormat {
        try #require(SoundFormat(sampleRate: rate, bitsPerSample: bits, channels: channels))
    }

    /// Samples of each frame in turn, little endian.
    static func pcm(_ samples: [Int], bits: Int = 16) -> [UInt8] {
        samples.flatMap { sample in (0..<bits / 8).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) } }
    }

    static func sound(_ samples: [Int], bits: Int = 16, channels: Int = 1, missing: [Range<Int>] = []) throws -> Sound {
        Sound(format: try format(bits, channels: channels), pcm: pcm(samples, bits: bits), missing: missing)
    }

    /// - Parameter frequency: Hz, at 16 kHz.
    static func sine(_ amplitude: Double, frequency: Double = 1000, frames: Int = 16_000) -> [Int] {
        (0..<frames).map { Int((amplitude * sin(2 * .pi * frequency * Double($0) / 16_000)).rounded()) }
    }

    /// Tones, a clipped passage, and gaps: something of everything.
    static func medley() throws -> Sound {
        var samples = sine(12_000, frames: 48_000)
        for frame in 20_000..<22_000 { samples[frame] = min(max(samples[frame] * 9, -32_768), 32_767) }
        for frame in 30_000..<40_000 { samples[frame] = samples[frame] / 200 }
        return try sound(samples, missing: [8000..<8128, 8128..<8300, 44_000..<44_128])
    }
}

/// Another's tool, where it is installed.
struct Judge {
    let path: String

    init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        self.path = path
    }

    struct Refusal: Error { let words: String }

    /// What it prints: on standard output, or on standard error where it prints there.
    func callAsFunction(_ arguments: String..., messages: Bool = false) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let folder = FileManager.default.temporaryDirectory.appending(path: "judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "messages"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let words = try Data(contentsOf: files[1])
        guard process.terminationStatus == 0 else { throw Refusal(words: String(decoding: words, as: UTF8.self)) }
        return messages ? words : try Data(contentsOf: files[0])
    }

    /// `Name:  value` lines as sox has them.
    func values(_ arguments: String...) throws -> [String: Double] {
        let text = String(decoding: try self(arguments[0], arguments[1], arguments[2], messages: true), as: UTF8.self)
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.replacing(":", with: " ").split(separator: " ")
            guard let place = words.firstIndex(where: { Double($0) != nil }), place > 0 else { continue }
            values[words[..<place].joined(separator: " ")] = Double(words[place])
        }
        return values
    }
}
