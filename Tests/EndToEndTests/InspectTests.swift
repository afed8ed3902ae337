import Foundation
import Glibc
import Testing
import TestSupport

@Suite struct InspectTests {
    private let folder: TemporaryFolder
    private let ota = BuiltProgram("espurr-ota")

    init() throws { folder = try TemporaryFolder() }

    /// What is said of a file that is none of ours: one line of cause, 21, and a document where one was asked for.
    ///
    /// - Parameter isMended: by what a second line says.
    private func expectRefusal(
        of path: String, code: JSONDocument, isMended: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let said = try await ota.run(["inspect", "--json", path])
        #expect(said.status == 21, sourceLocation: sourceLocation)
        #expect(said.messageLines.count == (isMended ? 2 : 1), "\(said.messages)", sourceLocation: sourceLocation)
        #expect(said.isCauseAndRemedy == isMended, sourceLocation: sourceLocation)
        let told = said.document["error"]["code"] == nil ? said.document["code"] : said.document["error"]["code"]
        #expect(told == code, sourceLocation: sourceLocation)
    }

    @Test func `an empty file`() async throws {
        try await expectRefusal(of: folder.write("", to: "empty.bin"), code: "empty")
    }

    @Test func `a folder`() async throws {
        try await expectRefusal(of: folder.path, code: "folder", isMended: true)
    }

    @Test func `a file that is not there`() async throws {
        try await expectRefusal(of: folder.path + "/missing.bin", code: "missing", isMended: true)
    }

    @Test func `a sparse file of 4 GiB`() async throws {
        let path = try folder.write("", to: "sparse.bin")
        #expect(truncate(path, 4 << 30) == 0)
        try await expectRefusal(of: path, code: "too_large")
    }

    @Test func `a sound image of ours`() async throws {
        let file = FirmwareFile("1.4.1")
        let said = try await ota.run(["inspect", "--json", file.write(to: folder)])
        #expect(said.status == 0)
        #expect(said.messages == "")
        #expect(said.document["verdict"] == "sound")
        #expect(said.document["family"] == "v2-8m")
        #expect(said.document["chip"] == "ESP32-S3")
        #expect(said.document["hash"]["stored"] == .string(hexadecimal(Array(file.bytes.suffix(32)))))
    }

    @Test(
        .enabled(if: RealImages.folder != nil, "neither $ESPURR_IMAGES nor ../shared/images is there"),
        arguments: RealImages.expectations)
    func `a real file: kind, chip and status as the table has them`(expected: RealImages.Expectation) async throws {
        let path = try #require(RealImages.folder) + "/" + expected.file
        let said = try await ota.run(["inspect", "--json", path])
        #expect(said.status == (expected.isAccepted ? 0 : 21))
        #expect(said.document["kind"] == .string(try #require(expected.kindCode)))
        #expect(said.document["chip"] == (expected.chip == "-" ? .null : .string(expected.chip)))
        #expect(said.document["verdict"] == (expected.isAccepted ? "sound" : "refused"))
    }
}

/// Firmware files made by others, with what they are: `expected.tsv` beside them.
enum RealImages {
    struct Expectation: Sendable, CustomTestStringConvertible {
        let file: String, chip: String, kind: String, isAccepted: Bool

        var testDescription: String { file }

        /// As `inspect --json` names the kind.
        var kindCode: String? {
            let codes = [
                ("application of another family", "esp8266_application"), ("application", "application"),
                ("simple-boot", "simple_boot_image"), ("RAM application", "ram_application"),
                ("header stub", "header_stub"), ("bootloader", "bootloader"), ("merged", "merged_image"),
                ("otadata", "otadata"), ("partition table", "partition_table"), ("unknown", "unknown"),
                ("damaged", "damaged_image"), ("gzip", "gzip"),
            ]
            return codes.first { kind.hasPrefix($0.0) }?.1
        }
    }

    static let folder: String? = {
        let beside = URL(fileURLWithPath: BuiltProgram.packageFolder + "/../shared/images").standardizedFileURL.path
        let folder = ProcessInfo.processInfo.environment["ESPURR_IMAGES"] ?? beside
        return FileManager.default.fileExists(atPath: folder + "/expected.tsv") ? folder : nil
    }()

    static let expectations: [Expectation] = {
        guard let folder, let text = try? String(contentsOfFile: folder + "/expected.tsv", encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Expectation(
                file: columns[0], chip: columns[1], kind: columns[2], isAccepted: columns[3].hasPrefix("accept"))
        }
    }()
}
