import ControlProtocol
import Ears
import Foundation
import TestSupport
import Testing

/// What real shells complete, with the scripts that the commands print. Nothing of Bluetooth is there to be asked.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish

        static let installed = allCases.filter { shell in
            ["/bin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + shell.rawValue) }
        }
    }

    private static let driver = BuiltProgram.packageFolder + "/Tests/Completion/drive.py"
    private static let canDrive = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test(.enabled(if: canDrive, "there is no python3"), arguments: Shell.installed)
    func `complete what the command knows and what ears once said`(shell: Shell) async throws {
        let machine = try Machine()
        for (typed, completed) in [
            ("espurr-ctl forg", "espurr-ctl forget"),
            ("espurr-ctl get --adap", "espurr-ctl get --adapter"),
            ("espurr-ctl help inf", "espurr-ctl help info"),
            ("espurr-ctl get --json bright", "espurr-ctl get --json brightness"),
            ("espurr-ctl set effect aur", "espurr-ctl set effect aurora"),
            ("espurr-ctl set effect aurora brigh", "espurr-ctl set effect aurora brightness"),
            ("espurr-ctl set brightness 4", "espurr-ctl set brightness 4"),
            ("espurr-ctl effect com", "espurr-ctl effect comet"),
            ("espurr-ctl effect comet sp", "espurr-ctl effect comet speed="),
            ("espurr-ctl effect comet speed=3 shape=l", "espurr-ctl effect comet speed=3 shape=long"),
            ("espurr-ctl palette ren", "espurr-ctl palette rename"),
            ("espurr-ctl set wiring ", "espurr-ctl set wiring left"),
            ("espurr-ctl palette set cycling=of", "espurr-ctl palette set cycling=off"),
            ("espurr-ctl palette set bands gl", "espurr-ctl palette set bands glow="),
            ("espurr-ctl palette show Ab", "espurr-ctl palette show Abend"),
            ("espurr-ctl wifi pass", "espurr-ctl wifi password"),
            ("espurr-ctl audio rec", "espurr-ctl audio record"),
            ("espurr-ota check --family v2-1", "espurr-ota check --family v2-16m"),
            ("espurr-ota check --family=v2-1", "espurr-ota check --family=v2-16m"),
            ("espurr-ota recover rep", "espurr-ota recover repair-storage"),
            ("espurr-ota inspect firm", "espurr-ota inspect firmware 1.bin"),
            ("espurr-ota download --output fold", "espurr-ota download --output folder"),
        ] {
            // zsh takes a folder's slash back when the line ends.
            let line = try await machine.complete(typed, in: shell)
            #expect((line.hasSuffix("/") ? String(line.dropLast()) : line) == completed)
        }
    }

    /// The shell is made to print the words of the line: two spaces within one stay, those between two would not.
    @Test(.enabled(if: canDrive, "there is no python3"), arguments: Shell.installed)
    func `quote what needs it, and go on in the quotes that were begun`(shell: Shell) async throws {
        let machine = try Machine()
        for (typed, completed) in [
            ("espurr-ctl palette show Wa", "Warm  glow"), ("espurr-ctl palette show Warm\\ ", "Warm  glow"),
            ("espurr-ctl palette show 'Warm ", "Warm  glow"), ("espurr-ctl palette show \"Warm ", "Warm  glow"),
            ("espurr-ctl palette show To", "Tom's  best"), ("espurr-ctl palette show \"To", "Tom's  best"),
            ("espurr-ctl palette show 'To", "Tom's  best"),
            ("espurr-ctl palette show the", #"the "old"  one"#), ("espurr-ctl palette show 'the", #"the "old"  one"#),
            ("espurr-ctl palette show \"the", #"the "old"  one"#),
            // Of two that differ by what needs quoting, what they have in common: no backslash that quotes what comes next.
            ("espurr-ctl palette show ki", "kit"), ("espurr-ctl palette show kit\\ ", "kit  one"),
            ("espurr-ctl palette show Wo", "Wow!  yes"), ("espurr-ctl palette show 'Wo", "Wow!  yes"),
            ("espurr-ctl palette show Öl", "Öl  & Gas"), ("espurr-ctl palette show \\#", "#1  (red)"),
            ("espurr-ctl palette show la", "late  = early; touch p"),
            ("espurr-ctl effect comet shape=wi", "shape=wide  & long"),
            ("espurr-ctl set effect moo", "moon  light"), ("espurr-ctl get the", "then;touch owned"),
            ("espurr-ctl get int", "into>owned"), ("espurr-ctl get an", "any*"),
        ] {
            let line = try await machine.complete(typed, in: shell)
            #expect(line.hasSuffix(completed), "\(shell): \(typed) → \(line)")
        }
        #expect(machine.files == Machine.ownFiles)
    }

    @Test(.enabled(if: canDrive, "there is no python3"), arguments: Shell.installed)
    func `never make a shell's code of what ears said`(shell: Shell) async throws {
        let machine = try Machine()
        for typed in [
            "espurr-ctl palette show host", "espurr-ctl effect comet host", "espurr-ctl get host",
            "espurr-ctl set effect host",
            "espurr-ctl set wir", "espurr-ctl get --",
        ] {
            let completed = try await machine.complete(typed, in: shell)
            #expect(completed == (typed == "espurr-ctl set wir" ? "espurr-ctl set wiring" : typed))
        }
        #expect(machine.files == Machine.ownFiles)
    }

    @Test(arguments: Shell.allCases) func `is a script that its shell can parse`(shell: Shell) async throws {
        for command in ["espurr-ctl", "espurr-ota"] {
            let said = try await Commands.run(command, "completion", shell.rawValue)
            #expect(said.status == 0 && said.output.contains("\(command) --complete") == false)
            guard Shell.installed.contains(shell) else { continue }
            let folder = try TemporaryFolder()
            let script = try folder.write(said.output, to: "script")
            let parsed = try await BuiltProgram(path: "/usr/bin/env").run([shell.rawValue, "-n", script])
            #expect(parsed.status == 0 && parsed.messages == "", "\(parsed.messages)")
        }
    }

    @Test func `is not there for another shell: 2`() async throws {
        let said = try await Commands.run("espurr-ctl", "completion", "tcsh")
        #expect(said.status == 2)
        #expect(said.messages.hasPrefix("espurr-ctl: no completion for “tcsh”"))
    }

    @Test func `answers with words, files or folders, and nothing for what is no verb`() async throws {
        func answer(_ command: String, _ words: String...) async throws -> [String] {
            try await BuiltProgram(command).run(["--complete", "--"] + words).output
                .split(separator: "\n").map(String.init)
        }
        #expect(try await answer("espurr-ota", "").contains("install\tput firmware on the ears"))
        #expect(try await answer("espurr-ota", "inspect", "") == ["files"])
        #expect(try await answer("espurr-ota", "download", "--output", "") == ["folders"])
        #expect(try await answer("espurr-ota", "list", "--channel", "") == ["words", "stable", "candidate", "all"])
        #expect(try await answer("espurr-ota", "nonsense", "") == ["words"])
        #expect(try await answer("espurr-ota", "inspect", "a", "") == ["words"])
        #expect(try await answer("espurr-ota") == ["words"])
        let options = try await answer("espurr-ctl", "get", "--json", "--")
        #expect(options.contains { $0.hasPrefix("--device\t") } && !options.contains { $0.hasPrefix("--json") })
        // Nothing was ever read of any ears here.
        #expect(try await answer("espurr-ctl", "get", "") == ["words"])
    }

    /// A folder to type in, and the memory of ears that a hostile firmware wrote.
    private struct Machine {
        static let ownFiles = ["cache", "firmware 1.bin", "folder", "scripts"]

        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try folder.write("", to: "firmware 1.bin")
            for name in ["folder", "scripts", "cache/espurr/properties"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
            }
            let file = "\(folder.path)/cache/espurr/properties/\(PropertyTableHash(of: Self.table))"
            try Data(Self.table.encoded()).write(to: URL(fileURLWithPath: file))
            let palettes = [
                "Abend", "host$(touch p)", "host`touch p`", #"host\n"#, "Warm  glow", "Tom's  best", #"the "old"  one"#,
                "Öl  & Gas", "#1  (red)", "late  = early; touch p", "kit  one", "kit&two", "Wow!  yes",
            ]
            try folder.write(palettes.map { "saved \($0)\n" }.joined(), to: "cache/espurr/palettes")
        }

        var files: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        }

        func complete(_ line: String, in shell: Shell) async throws -> String {
            let command = String(line.prefix { $0 != " " })
            let script = "\(folder.path)/scripts/\(command).\(shell.rawValue)"
            if !FileManager.default.fileExists(atPath: script) {
                let said = try await Commands.run(command, "completion", shell.rawValue)
                try Data(said.output.utf8).write(to: URL(fileURLWithPath: script))
            }
            let environment = [
                "PATH": "\(BuiltProgram.folder):/usr/bin:/bin", "HOME": folder.path, "HISTFILE": "/dev/null",
                "LANG": "C.UTF-8",
                "XDG_CACHE_HOME": "\(folder.path)/cache", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                "XDG_CONFIG_HOME": "\(folder.path)/scripts", "XDG_DATA_HOME": "\(folder.path)/scripts",
            ]
            let words = ["-C", folder.path, "/usr/bin/python3", CompletionTests.driver, shell.rawValue, script, line]
            let output = try await BuiltProgram(path: "/usr/bin/env").run(words, environment: environment)
            #expect(output.status == 0, "\(output.messages)")
            return output.output.trimmingCharacters(in: .newlines)
        }

        /// Of names and values, those that could begin an expansion in quotes are never offered.
        private static let table = PropertyTable(
            [
                setting("brightness", "Brightness", .integer(minimum: 0, maximum: 100, step: 1)),
                setting("wiring", "\u{1B}]0;x\u{07}$(touch title)`touch title`", .enumeration(choices: ["left"])),
                setting(
                    "effect", "Effect", .enumeration(choices: ["aurora", "comet", "moon  light", "host$(touch v)"])),
                setting(
                    "effect.comet", "Comet",
                    .effect(parameters: [
                        EffectParameter(
                            name: "speed", title: "Speed", kind: .integer(minimum: 1, maximum: 10, step: 1)),
                        EffectParameter(
                            name: "shape", title: "Shape",
                            kind: .enumeration(choices: ["long", "wide  & long", "host$(touch e)"])),
                        EffectParameter(name: "host$(touch e)", title: "$(touch t)", kind: .boolean),
                    ])),
                setting("host$(touch owned)"), setting("host`touch owned`"), setting("host\ntouch owned"),
                setting("then;touch owned"), setting("into>owned"), setting("any*"), setting("--hostile"),
            ].flatMap { $0 })

        private static func setting(_ name: String, _ title: String = "", _ kind: SettingKind = .boolean)
            -> [PropertyInfo]
        {
            let descriptor = SettingDescriptor(setting: name, title: title, kind: kind)
            return [
                PropertyInfo(name: name, type: .string, value: []),
                PropertyInfo(name: name + ".descriptor", type: .message, flags: .readOnly, value: descriptor.encoded()),
            ]
        }
    }
}
