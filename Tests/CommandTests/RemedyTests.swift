import Foundation
import Testing
import TestSupport

/// What the words for people tell them to type exists.
@Suite struct RemedyTests {
    /// The string literals of the modules that make words.
    private static let sources: [(file: String, text: String)] = {
        let folders = ["CommandLineTools", "EarsCommandLine", "FirmwareCommandLine"] + Commands.names
        return folders.flatMap { folder -> [(String, String)] in
            let path = BuiltProgram.packageFolder + "/Sources/" + folder
            let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return files.filter { $0.hasSuffix(".swift") }.compactMap { file in
                (try? String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)).map { (file, literals(in: $0)) }
            }
        }
    }()

    /// Lines without their comments, and of them what stands between quotation marks.
    private static func literals(in text: String) -> String {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .flatMap { $0.split(separator: "\"", omittingEmptySubsequences: false).enumerated() }
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(separator: "\n")
    }

    private static func help(_ command: String, _ verb: String) async throws -> String {
        try await Commands.run(command, verb, "--help").output
    }

    @Test func `every command that is named has the verb, and the verb the options`() async throws {
        var count = 0
        for (file, text) in Self.sources {
            for match in text.matches(of: /(espurr-(?:ota|ctl|sim)) ([a-z][a-z-]*)((?: --[a-z][a-z-]*)*)/) {
                let (command, verb) = (String(match.1), String(match.2))
                // “PATH finds espurr-ota and …”: a sentence, not a command line.
                if ["and", "first", "uses"].contains(verb) { continue }
                guard let verbs = Commands.verbs[command], verbs.contains(verb) else {
                    Issue.record("\(file): no verb in “\(match.0)”")
                    continue
                }
                count += 1
                let options = match.3.split(separator: " ").map(String.init)
                let help = options.isEmpty ? "" : try await Self.help(command, verb)
                for option in options where option != "--help" {
                    #expect(help.contains(" \(option)"), "\(file): \(match.0)")
                }
            }
        }
        #expect(count >= 10)
    }

    @Test func `every option that is named exists`() async throws {
        var known: Set<String> = ["--version", "--manual", "--complete"]
        for verb in Commands.all {
            for match in try await Self.help(verb.command, verb.name).matches(of: /--[a-z][a-z-]*/) {
                known.insert(String(match.0))
            }
        }
        // Of others' commands: systemctl enable --now.
        known.insert("--now")
        for (file, text) in Self.sources {
            for match in text.matches(of: /--[a-z][a-z-]*/) where !known.contains(String(match.0)) {
                Issue.record("\(file): no option \(match.0)")
            }
        }
    }
}
