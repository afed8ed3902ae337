import Firmware
import Foundation
import ImageInvariants
import Testing

/// What the fuzzer of images starts from and what it once found (`Tests/Fuzzing`).
@Suite struct `Images of the fuzzer` {
    @Test func `hold what holds for any bytes, and so do the images of the tests`() {
        let images =
            RefusedImages.all.map(\.bytes) + [
                ImageBuilder.esp32WithCode().bytes, SignedImages.secureBootV2(ImageBuilder.esp32s3().bytes, blocks: 3),
            ]
        for (number, bytes) in images.enumerated() { #expect(ImageInvariants.hold(for: bytes), "\(number)") }
    }

    @Test func `that once broke something no longer do`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzzing/Crashes/Images")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            #expect(ImageInvariants.hold(for: Array(try Data(contentsOf: folder.appending(path: name)))), "\(name)")
        }
    }

    @Test func `with a byte that a seal does not cover are told from sound ones`() throws {
        let bytes = ImageBuilder.esp32().bytes
        #expect(bytes.resealed() == bytes)
        let image = try ImageInspection(of: bytes).verdict.get()
        #expect(SoundnessOracle.holds(for: image, bytes))
        #expect(!SoundnessOracle.holds(for: image, bytes.changed { $0[500] ^= 1 }))
        #expect(!SoundnessOracle.holds(for: image, bytes.changed { $0[48] ^= 1 }.resealed()))
    }
}
