import Crypto
import Foundation
import Testing

@testable import Simulator

@Suite struct DemonstrationFirmwareTests {
    private static let sizes: [BoardFamily: Int] = [
        .esp32: 0x2_0000 + 0x3000 + 0x1_0000 + 0x7_A000, .s3: 0x2_0000 + 0x3000 + 0x1_0000 + 0xA_8000,
        .v2With8MB: 0x2_0000 + 0x3000 + 0x1_0000 + 0xD_0000, .v2With16MB: 0x2_0000 + 0x3000 + 0x1_0000 + 0x12_0000,
    ]

    @Test(arguments: BoardFamily.allCases)
    func `an image passes the ears' own check and says what it is`(family: BoardFamily) throws {
        let file = DemonstrationFirmware.image(family: family, version: "1.5.0")
        #expect(file.count / 16 * 16 == file.count)
        #expect(file.count - (Self.sizes[family] ?? 0) <= 24 + 4 * 8 + 16 + 32)
        let flash = TestImage.flash(file, family: family)
        let slot = PartitionTable.standard(for: family).slots[0]
        let image = try ImageVerifier(chip: family.chip).verify(flash, in: slot)
        #expect(image.length == file.count)
        let descriptor = ApplicationDescriptor(in: flash, imageAt: slot.offset)
        #expect(descriptor?.version == "1.5.0")
        #expect(descriptor?.family == family.rawValue)
    }

    @Test func `each version and family has bytes of its own`() {
        let images = [("1.4.0", BoardFamily.s3), ("1.5.0", .s3), ("1.5.0", .v2With8MB)].map {
            HashAlgorithm.sha256.hash(of: DemonstrationFirmware.image(family: $0.1, version: $0.0))
        }
        #expect(Set(images).count == 3)
    }

    @Test(arguments: BoardFamily.allCases)
    func `fresh ears boot it and advertise`(family: BoardFamily) {
        let configuration = EarsConfiguration(family: family, address: "C0:FF:EE:00:12:34", seed: 1)
        var ears = SimulatedEars(configuration: configuration)
        ears.powerOn(at: .zero)
        let effects = ears.advance(to: .seconds(2))
        #expect(effects.contains(.serialLine("boot: ota_0, espurr-\(family.rawValue) 1.4.0")))
        #expect(ears.advertisement?.name == "espurr-1234")
    }
}
