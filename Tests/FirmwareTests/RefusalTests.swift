import ImageInvariants
import Testing

@testable import Firmware

@Suite struct RefusalTests {
    @Test(arguments: RefusedImages.all) func `a fault is refused with its reason and its data`(
        refused: RefusedImages.Case
    ) {
        let inspection = ImageInspection(of: refused.bytes)
        #expect(inspection.verdict == .failure(refused.refusal))
        #expect(inspection.kind == refused.kind)
    }

    @Test func `every reason has a file that is refused for it`() {
        let met = Set(RefusedImages.all.map { RefusalReason($0.refusal) })
        #expect(met == Set(RefusalReason.allCases))
    }

    @Test func `a refused image is still read`() {
        var builder = ImageBuilder.esp32()
        builder.chip = 5
        let inspection = ImageInspection(of: builder.bytes)
        #expect(inspection.descriptor?.projectName == "espurr-esp32")
        #expect(inspection.checksum?.matches == true)
        #expect(inspection.hash?.matches == true)
        #expect(inspection.tail == .nothing)
    }

    @Test func `a merged image from 0 names the chip of the image in it`() {
        let image = [UInt8](repeating: 0xFF, count: 0x2000) + ImageBuilder.esp32s3().bytes
        #expect(ImageInspection(of: image).chip == .esp32s3)
    }

    @Test func `a text that cannot be read is nil beside those that can`() {
        let bytes = RefusedImages.sound.changed { $0[32 + 80] = 0x07 }.resealed()
        let inspection = ImageInspection(of: bytes)
        #expect(inspection.descriptor?.compileTime == nil)
        #expect(inspection.descriptor?.compileDate == "Nov 30 2026")
    }
}
