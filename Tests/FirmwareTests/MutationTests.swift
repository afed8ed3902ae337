import ImageInvariants
import TestSupport
import Testing

@testable import Firmware

/// Seeded: a failure is met again by running again.
@Suite struct MutationTests {
    private static let image = ImageBuilder.esp32().bytes

    @Test func `an image with any one bit changed is refused`() {
        for bit in 0..<Self.image.count * 8 {
            let changed = Self.image.changed { $0[bit / 8] ^= 1 << (bit % 8) }
            let verdict = ImageInspection(of: changed).verdict
            #expect(throws: ImageRefusal.self, "bit \(bit)") { try verdict.get() }
        }
    }

    /// Checksum and hash are made right again, so that what is behind them is reached.
    @Test func `an image changed at random and sealed again is sound only where every rule holds`() {
        for (name, bytes) in MutatedImages.make(count: 1500, seed: 0xE5B1) {
            guard case .success(let image) = ImageInspection(of: bytes).verdict else { continue }
            #expect(SoundnessOracle.holds(for: image, bytes), "\(name)")
        }
    }

    @Test func `noise behind a magic number is refused and harmless`() {
        let starts: [[UInt8]] = [
            [0xE9], [0xE9, 1], [0xE9, 16], [0xEA, 4], [0xAA, 0x50], [0xFF], [1, 0, 0, 0], [0x1F, 0x8B], [],
        ]
        var generator = SeededRandom(seed: 61)
        for round in 0..<1000 {
            let noise = ImageBuilder.noise(Int.random(in: 0...600, using: &generator), seed: UInt64(round))
            let verdict = ImageInspection(of: starts[round % starts.count] + noise).verdict
            #expect(throws: ImageRefusal.self, "round \(round)") { try verdict.get() }
        }
    }
}
