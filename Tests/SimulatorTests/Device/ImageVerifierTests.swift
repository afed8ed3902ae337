import TestSupport
import Testing

@testable import Simulator

@Suite struct ImageVerifierTests {
    /// What the ears' own check says of a file in the first slot.
    private static func verdict(
        _ file: [UInt8], family: BoardFamily = .esp32
    ) throws(ImageVerifier.Rejection) -> ImageVerifier.Image {
        let flash = TestImage.flash(file, family: family)
        let slot = PartitionTable.standard(for: family).slots[0]
        return try ImageVerifier(chip: family.chip).verify(flash, in: slot)
    }

    private static let data = [UInt8](repeating: 0x5A, count: 64)

    @Test(
        .realImages,
        arguments: [
            ("wled-bootloader_s3.bin", BoardFamily.s3), ("esptool-bootloader-signed-v2-rsa.bin", .esp32),
            ("lilygo-tdisplay-s3-lvgl-merged0x0.bin", .s3), ("tasmota32s3.factory.bin", .s3),
            ("nuttx-esp32.bin", .esp32), ("tasmota32-m5.bin", .esp32), ("esf-ramapp-esp32s3.bin", .s3),
            ("esptool-ramapp-esp32s3.bin", .s3), ("esptool-s3-header-only48.bin", .s3),
            ("esptool-hello-signed.bin", .esp32), ("delta-hello-esp32.bin", .esp32), ("esf-hello-esp32.bin", .esp32),
            ("ptemb-hello-esp32.bin", .esp32), ("esf-hello-esp32s3.bin", .s3), ("wled-0.15.0b1-esp32s3.bin", .s3),
        ])
    func `a real file that a device lets through passes`(name: String, family: BoardFamily) throws {
        let file = try #require(RealImage.bytes(name))
        let image = try Self.verdict(file, family: family)
        #expect(image.length <= file.count)
    }

    @Test(.realImages) func `a merged image passes as the boot loader at its head`() throws {
        let merged = try #require(RealImage.bytes("tasmota32s3.factory.bin"))
        #expect(try Self.verdict(merged, family: .s3).length < 0x8000)
    }

    @Test(
        .realImages,
        arguments: [
            ("esf-hello-esp32s3.bin", ImageVerifier.Rejection.chip), ("esf-hello-esp32c3.bin", .chip),
            ("esptool-hello-signed-encrypted.bin", .magic), ("esptool-one_kb.bin", .magic),
            ("wled-boot_app0-otadata.bin", .magic), ("wled-partitions_s3_8m.bin", .magic),
            ("tasmota8266-basic.bin.gz", .magic), ("wled-0.15.0b1-esp8266.bin", .chip),
        ])
    func `a real file that a device refuses is refused`(name: String, rejection: ImageVerifier.Rejection) throws {
        let file = try #require(RealImage.bytes(name))
        #expect(throws: rejection) { try Self.verdict(file) }
    }

    @Test func `images without hash, without descriptor, with anything behind them pass`() throws {
        let bare = TestImage.image(hasHash: false, segments: [(0x3FFB_0000, Self.data)])
        #expect(try Self.verdict(bare) == ImageVerifier.Image(length: bare.count, digest: nil))
        let hashed = TestImage.image(segments: [(0x3FFB_0000, Self.data)])
        let image = try Self.verdict(hashed + [1, 2, 3])
        #expect(image == ImageVerifier.Image(length: hashed.count, digest: Array(hashed.suffix(32))))
        let header = TestImage.image(hasHash: false, segments: [])
        #expect(try Self.verdict(header).length == 32)
    }

    @Test(arguments: [
        (TestImage.image(chip: .esp32S3, segments: []), ImageVerifier.Rejection.chip),
        (TestImage.image(magic: 0xE8, segments: []), .magic),
        (TestImage.image(minimumRevision: 302, segments: []), .revision),
        (TestImage.image(maximumRevision: 299, segments: []), .revision),
        (TestImage.image(segments: Array(repeating: (0x3FFB_0000, []), count: 17)), .segmentCount),
        (TestImage.image(segments: [(0x3FFB_0000, [1, 2, 3])]), .segmentLength),
        (TestImage.image(segments: [(0x3F40_0000, [1, 2, 3, 4])]), .alignment),
        (longer(by: 1700 << 10), .size),
        (longer(by: 16 << 20), .segmentLength),
        ([UInt8](repeating: 0xFF, count: 100), .magic),
    ])
    func `each cause of a refusal`(file: [UInt8], rejection: ImageVerifier.Rejection) {
        #expect(throws: rejection) { try Self.verdict(file) }
    }

    /// An image whose only segment says that it is longer than it is, by so many bytes.
    private static func longer(by count: UInt32) -> [UInt8] {
        var file = TestImage.image(segments: [(0x3FFB_0000, data)])
        file.set(littleEndian: UInt32(data.count) + count, at: 28)
        return file
    }

    @Test func `a changed byte of the data fails the checksum, one of the hash the hash`() {
        let sound = TestImage.image(segments: [(0x3FFB_0000, Self.data)])
        var changed = sound
        changed[40] ^= 0x10
        #expect(throws: ImageVerifier.Rejection.checksum) { try Self.verdict(changed) }
        changed = sound
        changed[sound.count - 1] ^= 1
        #expect(throws: ImageVerifier.Rejection.hash) { try Self.verdict(changed) }
        changed = sound
        changed[3] ^= 1
        #expect(throws: ImageVerifier.Rejection.hash) { try Self.verdict(changed) }
    }

    @Test(arguments: 0..<64)
    func `damaged images never trap`(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var file = TestImage.ears("1.0.0", length: 1024)
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            file[Int.random(in: 0..<64, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let slot = PartitionTable.Partition(type: 0, subtype: 0x10, offset: 0, size: 1100, label: "ota_0")
        var flash = Flash(size: 4096)
        flash.write(file, at: 0)
        let image = try? ImageVerifier(chip: .esp32).verify(flash, in: slot)
        #expect(image.map { $0.length <= 1100 } ?? true)
    }
}
