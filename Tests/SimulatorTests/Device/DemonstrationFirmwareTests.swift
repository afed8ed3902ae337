import Crypto
import Foundation
import Testing

@testable import Simulator

@Suite struct DemonstrationFirmwareTests {
    @Test(arguments: BoardFamily.allCases)
    func `an image passes the ears' own check and says what it is`(family: BoardFamily) throws {
        let file = DemonstrationFirmware.image(family: family, version: "1.5.0")
        let flash = TestImage.flash(file, family: family)
        let slot = PartitionTable.standard(for: family).slots[0]
        let image = try ImageVerifier(chip: family.chip).verify(flash, in: slot)
        #expect(image.length == file.count)
        let descriptor = ApplicationDescriptor(in: flash, imageAt: slot.offset)
        #expect(descriptor?.version == "1.5.0")
        #expect(descriptor?.family == family.rawValue)
    }

    /// The signed list of targets that the package's catalogue script wrote.
    private struct Targets: Decodable {
        struct Signed: Decodable { let targets: [String: Target] }
        struct Target: Decodable {
            struct Custom: Decodable {
                let family: BoardFamily
                let version: String
            }
            let length: Int
            let hashes: [String: String]
            let custom: Custom
        }
        let signed: Signed
    }

    @Test func `every image of the catalogue has the length and the SHA-256 that were signed`() throws {
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        let file = package.appendingPathComponent("Sources/Simulator/DemonstrationRepository/targets.1.json")
        let targets = try JSONDecoder().decode(Targets.self, from: Data(contentsOf: file)).signed.targets
        #expect(targets.count == 12)
        for target in targets.values {
            let image = DemonstrationFirmware.image(family: target.custom.family, version: target.custom.version)
            #expect(image.count == target.length)
            let sha256 = HashAlgorithm.sha256.hash(of: image).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            #expect(sha256.joined() == target.hashes["sha256"])
        }
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
