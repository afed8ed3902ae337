import Foundation
import Testing

@testable import Firmware

/// Writes images and this module's verdicts for the judges in `Tests/ImageJudges`, which know nothing of this module.
@Suite(.disabled(if: JudgeExport.folder == nil, "$ESPURR_JUDGE_DIR names no folder to write images for the judges to"))
struct JudgeExportTests {
    @Test func `images and verdicts are written for the judges`() throws {
        let folder = try #require(JudgeExport.folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var table = "file\tverdict\treason\n"
        for (name, bytes) in JudgeExport.images {
            try Data(bytes).write(to: folder.appending(path: name))
            table += "\(name)\t\(JudgeExport.columns(for: bytes))\n"
        }
        try Data(table.utf8).write(to: folder.appending(path: "verdicts.tsv"))
        #expect(JudgeExport.images.count > 1500)
    }
}

enum JudgeExport {
    static let folder = ProcessInfo.processInfo.environment["ESPURR_JUDGE_DIR"].map { URL(filePath: $0) }

    static let images: [(name: String, bytes: [UInt8])] = {
        let sound: [(String, [UInt8])] = [
            ("sound-esp32", ImageBuilder.esp32().bytes), ("sound-s3", ImageBuilder.esp32s3().bytes),
            ("sound-code", ImageBuilder.esp32WithCode().bytes),
            ("sound-signed-v1", ImageBuilder.esp32().bytes + SignedImages.secureBootV1Trailer()),
            ("sound-signed-v2", SignedImages.secureBootV2(ImageBuilder.esp32s3().bytes, blocks: 3)),
        ]
        let refused = RefusedImages.all.enumerated().map { number, refused in
            ("refused-\(number)-\(RefusalReason(refused.refusal).rawValue)", refused.bytes)
        }
        return (sound + refused + MutatedImages.make(count: 1500, seed: 0x1D9E)).map { ($0.0 + ".bin", $0.1) }
    }()

    static func columns(for bytes: [UInt8]) -> String {
        switch ImageInspection(of: bytes).verdict {
        case .success(let image): "accept\t\(hexadecimal(image.imageDigest))"
        case .failure(let refusal): "refuse\t\(RefusalReason(refusal).rawValue)"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
