import TestSupport

/// Command lines that several suites use.
enum Command {
    static func install(_ path: String, _ options: String...) -> [String] {
        ["espurr-ota", "install", "--json", "--yes", "--unauthenticated", path] + options
    }

    static let status = ["espurr-ota", "status", "--json"]
}

extension BuiltProgram.Output {
    /// The record that ends `install --json`.
    var verdict: JSONDocument { documents.last { $0["event"] == "verdict" } ?? .null }

    func has(event: String) -> Bool { documents.contains { $0["event"] == .string(event) } }
}

/// One slot of a reading: what `status --json` and the verdict hold.
struct SlotOfReading: Hashable {
    var version: String
    var state: String
    var runs: Bool
    var isSelected: Bool

    /// - Parameter reading: of two slots.
    static func both(of reading: JSONDocument) -> [SlotOfReading] {
        reading["slots"].elements.map { slot in
            SlotOfReading(
                version: slot["version"].text ?? "?", state: slot["state"].text ?? "?", runs: slot["running"] == true,
                isSelected: slot["selected"] == true)
        }
    }

    /// The first slot of fresh ears, running and to be booted again.
    static let factory = SlotOfReading(version: "1.4.0", state: "valid", runs: true, isSelected: true)
    static let empty = SlotOfReading(version: "", state: "undefined", runs: false, isSelected: false)

    static func confirmed(_ version: String) -> SlotOfReading {
        SlotOfReading(version: version, state: "valid", runs: true, isSelected: true)
    }

    static func resting(_ version: String, state: String) -> SlotOfReading {
        SlotOfReading(version: version, state: state, runs: false, isSelected: false)
    }
}
