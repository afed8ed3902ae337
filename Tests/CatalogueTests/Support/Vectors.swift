import Foundation
import Testing

@testable import Catalogue

/// Verification vectors that do not come with the package: `$ESPURR_VECTORS`, else `../shared/vectors` beside it.
enum Vectors {
    static let tuf: JSONObject? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder =
            ProcessInfo.processInfo.environment["ESPURR_VECTORS"].map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("tuf/vectors.json")) else { return nil }
        return try? JSONReader.read(Array(data)).objectValue
    }()

    static func list(_ name: UTF8Text) -> [Vector] {
        (tuf?[name]?.arrayValue ?? []).compactMap { $0.objectValue.map(Vector.init) }
    }
}

struct Vector: Sendable, CustomTestStringConvertible {
    let object: JSONObject

    func text(_ name: UTF8Text) -> String { object[name]?.textValue?.string ?? "" }
    func bytes(_ name: UTF8Text) -> [UInt8] { Hexadecimal.decode(Array(text(name).utf8)) ?? [] }
    var testDescription: String { text("name") }

    /// Whether a verdict is one that the vector allows.
    func allows(acceptance: Bool) -> Bool {
        switch text("expect") {
        case "accept": acceptance
        case "reject": !acceptance
        default: text("expect") == "either"
        }
    }
}
