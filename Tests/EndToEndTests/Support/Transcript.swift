import Foundation
import TestSupport
import Testing

/// A stored session: options of `espurr-sim run`, command lines, and what each of them printed and ended with.
///
/// The file says what is run, and what came of it the last time; `ESPURR_UPDATE_SNAPSHOTS=1` writes the latter anew.
/// ```
/// # --fault save-fails
/// $ espurr-ctl set brightness 40
/// brightness  40 %
/// ! espurr-ctl: applied, but the ears could not save it
/// [24]
/// ```
/// A line of standard error begins with `! `.
struct Transcript: Sendable, CustomTestStringConvertible {
    let name: String
    private let text: String

    static let folder = BuiltProgram.packageFolder + "/Tests/EndToEndTests/Transcripts"

    static func all() throws -> [Transcript] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".txt") }.sorted().map {
            Transcript(name: $0, text: try String(contentsOfFile: folder + "/" + $0, encoding: .utf8))
        }
    }

    var testDescription: String { name }

    private var path: String { Self.folder + "/" + name }
    private var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    private var options: [String] {
        let line = lines.first.map { $0.drop { $0 == "#" } } ?? ""
        return line.split(separator: " ").map(String.init)
    }

    private var commands: [String] { lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) } }

    /// Runs the commands, one after the other beside the same ears, and holds what they print to what is stored.
    func check() async throws {
        try #require(!commands.isEmpty)
        let run = SimulatedRun(options)
        let outputs = try await run(commands.map { ["bash", "-o", "pipefail", "-c", $0] })
        var now = "#" + options.map { " " + $0 }.joined() + "\n"
        for (command, output) in zip(commands, outputs) {
            now += "$ \(command)\n\(output.output)"
            now += output.messages.split(separator: "\n").map { "! \($0)\n" }.joined() + "[\(output.status)]\n\n"
        }
        if ProcessInfo.processInfo.environment["ESPURR_UPDATE_SNAPSHOTS"] == "1" {
            return try Data(now.utf8).write(to: URL(fileURLWithPath: path))
        }
        #expect(now == text)
    }
}
