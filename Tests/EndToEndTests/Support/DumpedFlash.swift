import Foundation
import TestSupport

/// A flash that `--dump-flash` wrote, read here from the formats' documentation alone (ESP-IDF: partition tables;
/// application image format).
struct DumpedFlash {
    private let bytes: [UInt8]

    init(_ path: String) throws { bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// An application in a slot.
    struct Application: Hashable {
        /// As long as its segments say, hash included.
        var image: [UInt8]
        var version: String
        var project: String
        /// The SHA-256 behind it.
        var digest: [UInt8]
    }

    /// What is in the slot `ota_N`; nil where the table has no such slot, or the slot no image.
    func application(inSlot number: Int) -> Application? {
        guard let slot = partition(type: 0, subtype: 0x10 + UInt8(number)), bytes[slot.lowerBound] == 0xE9 else {
            return nil
        }
        var end = slot.lowerBound + 24
        for _ in 0..<bytes[slot.lowerBound + 1] { end += 8 + word(at: end + 4) }
        end += 16 - (end - slot.lowerBound) % 16 + 32
        return Application(
            image: Array(bytes[slot.lowerBound..<end]), version: text(at: slot.lowerBound + 48),
            project: text(at: slot.lowerBound + 80), digest: Array(bytes[end - 32..<end]))
    }

    private func partition(type: UInt8, subtype: UInt8) -> Range<Int>? {
        stride(from: 0x8000, to: 0x9000, by: 32).lazy
            .filter { row in bytes[row...].starts(with: [0xAA, 0x50, type, subtype]) }
            .map { row in word(at: row + 4)..<word(at: row + 4) + word(at: row + 8) }.first
    }

    private func word(at offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) } }

    private func text(at offset: Int) -> String {
        String(decoding: bytes[offset..<offset + 32].prefix { $0 != 0 }, as: UTF8.self)
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
