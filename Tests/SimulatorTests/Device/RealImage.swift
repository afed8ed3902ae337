import Foundation
import Testing

/// Firmware files of other makers: in the folder that `ESPURR_IMAGES` names, else in `../shared/images` beside the
/// package. Where there is neither the tests that need one are skipped.
enum RealImage {
    static let folder: String? = {
        if let named = ProcessInfo.processInfo.environment["ESPURR_IMAGES"] { return named }
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        let beside = package.deletingLastPathComponent().appendingPathComponent("shared/images").path
        return FileManager.default.fileExists(atPath: beside) ? beside : nil
    }()

    static func bytes(_ name: String) -> [UInt8]? {
        folder.flatMap { FileManager.default.contents(atPath: $0 + "/" + name) }.map(Array.init)
    }
}

extension Trait where Self == ConditionTrait {
    static var realImages: ConditionTrait {
        .enabled(if: RealImage.folder != nil, "no folder of real images: name one with ESPURR_IMAGES")
    }
}
