import Foundation
import TestSupport
import Testing

@testable import Firmware

/// Firmware files made by others, and what they are: `expected.tsv` beside them.
@Suite(
    .disabled(
        if: RealFiles.folder == nil, "no folder of real images: neither $ESPURR_IMAGES nor ../shared/images is there"))
struct RealFilesTests {
    @Test(arguments: RealFiles.expectations) func `a real file is named and judged as the table says`(
        expected: RealFiles.Expectation
    ) throws {
        let inspection = try ImageInspection(of: RealFiles.file(expected.file))
        #expect(inspection.kind == (try #require(RealFiles.kind(named: expected.kind))))
        #expect(inspection.chipName == (expected.chip == "-" ? nil : expected.chip))
        switch inspection.verdict {
        case .success(let image):
            #expect(expected.check.hasPrefix("accept"))
            #expect(image.family == .notEspurr(projectName: image.descriptor.projectName ?? ""))
        case .failure(let refusal):
            #expect(expected.check == "refuse")
            #expect(RefusalReason(refusal) == RealFiles.reason(named: expected.reason))
        }
    }

    @Test func `the signatures behind images are found`() throws {
        let trailer = ImageInspection(of: try RealFiles.bytes("esptool-hello-signed.bin"))
        #expect(trailer.tail == .signatureTrailer(offset: 0x2FFB0))
        let sector = ImageInspection(of: try RealFiles.bytes("esptool-bootloader-signed-v2-rsa.bin"))
        guard case .signatureSector(let found) = sector.tail else {
            Issue.record("no signature sector: \(String(describing: sector.tail))")
            return
        }
        #expect((found.offset, found.blockCount) == (0x8000, 1))
    }

    /// Every byte of these counts: what stands behind them is nothing, or a signature that is not verified.
    @Test(arguments: RealFiles.expectations.filter { $0.check == "accept" })
    func `a real image with a changed byte is refused`(expected: RealFiles.Expectation) throws {
        let bytes = try RealFiles.bytes(expected.file)
        var generator = SeededRandom(seed: 71)
        for _ in 0..<8 {
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            let verdict = ImageInspection(of: bytes.changed { $0[offset] ^= 0x10 }).verdict
            #expect(throws: ImageRefusal.self, "byte \(offset)") { try verdict.get() }
        }
    }
}

enum RealFiles {
    struct Expectation: Sendable, CustomTestStringConvertible {
        let file: String, chip: String, kind: String, check: String, reason: String

        var testDescription: String { file }
    }

    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let named = ProcessInfo.processInfo.environment["ESPURR_IMAGES"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/images").standardized
        return FileManager.default.fileExists(atPath: folder.appending(path: "expected.tsv").path) ? folder : nil
    }()

    static let expectations: [Expectation] = {
        guard let table = folder?.appending(path: "expected.tsv"),
            let text = try? String(contentsOf: table, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Expectation(
                file: columns[0], chip: columns[1], kind: columns[2], check: columns[3], reason: columns[4])
        }
    }()

    static func bytes(_ file: String) throws -> [UInt8] {
        let file = try Self.file(file)
        return try file.bytes(in: 0..<file.size)
    }

    static func file(_ name: String) throws -> ImageFile {
        let folder = try #require(folder)
        return try ImageFile(folder.appending(path: name).path)
    }

    static func kind(named words: String) -> FileKind? {
        let kinds: [(String, FileKind)] = [
            ("application of another family", .esp8266Application), ("application", .application),
            ("simple-boot", .simpleBootImage), ("RAM application", .ramApplication), ("header stub", .headerStub),
            ("bootloader", .bootloader), ("merged", .mergedImage), ("otadata", .otadata),
            ("partition table", .partitionTable), ("unknown", .unknown), ("damaged", .damagedImage),
            ("gzip", .compressed(.gzip)),
        ]
        return kinds.first { words.hasPrefix($0.0) }?.1
    }

    static func reason(named words: String) -> RefusalReason? {
        let reasons: [(String, RefusalReason)] = [
            ("no board family", .unsupportedChip), ("no appended", .noAppendedHash),
            ("no application descriptor", .noApplicationDescriptor), ("bootloader", .bootloader),
            ("merged", .mergedImage), ("otadata", .otadata), ("partition table", .partitionTable),
            ("not an ESP image", .notAnImage), ("ESP8266", .esp8266Image), ("compressed", .compressed),
            // Said of a file of 53 bytes, in which the one segment has 20: it is the file that is not whole words.
            ("segment length not a multiple of 4", .sizeNotMultipleOfFour),
        ]
        return reasons.first { words.hasPrefix($0.0) }?.1
    }
}
