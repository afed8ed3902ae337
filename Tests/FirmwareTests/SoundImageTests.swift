import Crypto
import Testing

@testable import Firmware

@Suite struct SoundImageTests {
    @Test(arguments: BoardFamily.allCases) func `an image of each family is sound and of that family`(
        family: BoardFamily
    ) throws {
        let builder =
            family == .esp32
            ? ImageBuilder.esp32(project: family.projectName) : .esp32s3(project: family.projectName)
        let image = try ImageInspection(of: builder.bytes).verdict.get()
        #expect(image.family == .family(family))
        #expect(image.chip == family.chip)
        #expect(image.version == "1.2.0")
        #expect(try image.bytes(in: 0..<image.size) == builder.bytes)
        #expect(image.size == builder.bytes.count)
    }

    @Test func `the digest is the appended hash, not the file's`() throws {
        var builder = ImageBuilder.esp32()
        builder.tail = [0xFF, 0xFF]
        let bytes = builder.bytes
        let image = try ImageInspection(of: bytes).verdict.get()
        #expect(image.imageDigest == Array(bytes[(bytes.count - 34)..<(bytes.count - 2)]))
        #expect(image.sha256 == HashAlgorithm.sha256.hash(of: bytes))
    }

    @Test(arguments: ["hello_world", "espurr", "espurr-", "espurr-S3", "espurr-v3", ""])
    func `an image of another project is sound and not ours`(project: String) throws {
        let image = try ImageInspection(of: ImageBuilder.esp32s3(project: project).bytes).verdict.get()
        #expect(image.family == .notEspurr(projectName: project))
    }

    @Test(arguments: ["", "1.2.0-rc.1", "v6.0-dev-5018-gebc68a19107-dirt", "naïve ✓"])
    func `a version is whatever printable text it holds`(version: String) throws {
        #expect(
            try ImageInspection(of: ImageBuilder.esp32(version: version).bytes).verdict.get().version == version)
    }

    @Test func `padding lets code stand where the MMU can map it`() throws {
        let inspection = ImageInspection(of: ImageBuilder.esp32WithCode().bytes)
        #expect(inspection.segments.map(\.placement) == [.mapped, .loaded, .loaded, .padding, .mapped])
        #expect(inspection.segments.last?.offset == 0x1_0018)
        _ = try inspection.verdict.get()
    }

    @Test func `a segment may be empty`() throws {
        var builder = ImageBuilder.esp32()
        builder.segments.append(.init(address: 0x3FFB_0000, data: []))
        _ = try ImageInspection(of: builder.bytes).verdict.get()
    }

    @Test func `sixteen segments are allowed`() throws {
        var builder = ImageBuilder.esp32()
        builder.segments += (0..<13).map { .init(address: 0x3FFC_0000 + $0 * 16, data: [1, 2, 3, 4]) }
        #expect(try ImageInspection(of: builder.bytes).verdict.get().header.segmentCount == 16)
    }

    /// The checksum takes the last byte of a line of 16, with at least itself as padding.
    @Test(arguments: 0..<8) func `the checksum is found at every alignment of the last segment`(words: Int) throws {
        var builder = ImageBuilder.esp32()
        builder.segments[2].data += [UInt8](repeating: 0x5A, count: words * 4)
        let inspection = ImageInspection(of: builder.bytes)
        #expect(inspection.checksum?.matches == true)
        _ = try inspection.verdict.get()
    }

    @Test func `an image is read whole`() throws {
        var builder = ImageBuilder.esp32()
        builder.minimumRevision = 300
        builder.maximumRevision = 399
        let inspection = ImageInspection(of: builder.bytes)
        let header = try #require(inspection.header)
        #expect(header.entry == 0x4008_0000)
        #expect(header.spiMode == .dio)
        #expect(header.flashSize == 4 << 20)
        #expect((header.minimumRevision.major, header.minimumRevision.minor) == (3, 0))
        #expect(header.maximumRevision == ChipRevision(rawValue: 399))
        #expect(inspection.segments.map(\.loadAddress) == [0x3F40_0020, 0x3FFB_0000, 0x4008_0000])
        #expect(inspection.segments.map(\.length) == [352, 64, 148])
        #expect(inspection.segments.map(\.offset) == [32, 392, 464])
        let descriptor = try #require(inspection.descriptor)
        #expect(descriptor.secureVersion == 3)
        #expect(descriptor.compileTime == "12:34:56")
        #expect(descriptor.compileDate == "Nov 30 2026")
        #expect(descriptor.idfVersion == "v6.1")
        #expect(descriptor.elfSHA256 == ImageBuilder.noise(32, seed: 8))
        #expect(descriptor.maximumBlockRevision == 199)
        #expect(descriptor.mmuPageSize == 65536)
        #expect(descriptor.spiModeField == 2)
    }

    @Test(arguments: [0, 65535] as [UInt16]) func `an unset maximum revision is none`(stored: UInt16) throws {
        var builder = ImageBuilder.esp32()
        builder.minimumRevision = 300
        builder.maximumRevision = stored
        #expect(try ImageInspection(of: builder.bytes).verdict.get().header.maximumRevision == nil)
    }
}
