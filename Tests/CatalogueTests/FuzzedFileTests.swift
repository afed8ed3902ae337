import Foundation
import Testing

/// What the fuzzers start from and what they once found (`Tests/Fuzzing`).
@Suite struct FuzzedFileTests {
    private static func files(_ harness: String) -> [(path: String, bytes: [UInt8])] {
        let fuzzing = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Fuzzing")
        return ["Seeds", "Crashes"].flatMap { kind -> [(path: String, bytes: [UInt8])] in
            let folder = fuzzing.appendingPathComponent("\(kind)/\(harness)")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().compactMap { name in
                (try? Data(contentsOf: folder.appendingPathComponent(name))).map { ("\(kind)/\(name)", Array($0)) }
            }
        }
    }

    @Test(
        arguments: [
            ("JSONReader", Invariants.holdForJSON), ("MetadataReader", Invariants.holdForMetadata),
            ("PathPattern", Invariants.holdForPathPattern),
        ] as [(String, @Sendable ([UInt8]) -> Bool)])
    func `what holds for any bytes holds for these`(harness: String, holds: @Sendable ([UInt8]) -> Bool) {
        let files = Self.files(harness)
        #expect(files.count >= 4)
        for file in files { #expect(holds(file.bytes), "\(file.path)") }
    }
}
