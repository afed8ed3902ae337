import Testing
import TestSupport

/// Command lines that are refused: 2, before anything is touched. The environment has neither bus nor configuration.
@Suite struct UsageTests {
    @Test(arguments: Commands.all) func `an option that there is not`(verb: Commands.Verb) async throws {
        let said = try await Commands.run(verb.command, verb.name, "--nonsense")
        #expect(said.status == 2)
        #expect(said.output == "")
        let cause = "\(verb.command): no option “--nonsense” for “\(verb.name)”"
        #expect(said.messages.split(separator: "\n").first.map(String.init) == cause)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var words: [String]
        /// The cause, or the remedy.
        var line: String

        init(_ words: String, _ line: String) {
            self.words = words.split(separator: " ").map(String.init)
            self.line = line
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Refused("espurr-ota", "what to do is missing"),
        Refused("espurr-ota instal", "no verb “instal”"),
        Refused("espurr-ota check surplus", "“check” takes no argument “surplus”"),
        Refused("espurr-ota check --timeout", "“--timeout” needs a value: --timeout TIME"),
        Refused("espurr-ota check --timeout soon", "“soon” is no time limit"),
        Refused("espurr-ota check --adapter usb0", "“usb0” is no adapter's name"),
        Refused("espurr-ota check --running 1.0.0", "--running goes with --family"),
        Refused("espurr-ota check --family s3 --device A", "--family and --device exclude each other"),
        Refused("espurr-ota check --family s3 --family s3", "“--family” is given twice"),
        Refused("espurr-ota check --exit-code=1", "“--exit-code” takes no value"),
        Refused("espurr-ota list surplus", "“list” takes no argument “surplus”"),
        Refused("espurr-ota list --channel nightly", "no channel “nightly”"),
        Refused("espurr-ota download", "“download” needs VERSION"),
        Refused("espurr-ota download 1.0", "“1.0” is no semantic version"),
        Refused("espurr-ota download 1.0.0 2.0.0", "“download” takes VERSION and no more"),
        Refused("espurr-ota inspect", "“inspect” needs FILE"),
        Refused("espurr-ota install 1.0.0 2.0.0", "“install” takes [VERSION|FILE] and no more"),
        Refused("espurr-ota install nonsense", "“nonsense” is neither a semantic version nor a file"),
        Refused("espurr-ota install --all --device A", "--all and --device exclude each other"),
        Refused("espurr-ota install --all --retry-failed", "--all and --retry-failed exclude each other"),
        Refused("espurr-ota install --retry-failed --device A", "--retry-failed and --device exclude each other"),
        Refused(
            "espurr-ota install --retry-failed 1.5.0",
            "--retry-failed takes what the last run was to install, and no VERSION or FILE"),
        Refused(
            "espurr-ota install --adapter hci0 --adapter hci1", "several adapters are for several pairs of ears"),
        Refused("espurr-ota install --all --adapter hci0 --adapter usb0", "“usb0” is no adapter's name"),
        Refused("espurr-ota install --all", "nobody is at the terminal to confirm"),
        Refused("espurr-ota check --device A --device B", "“--device” is given twice"),
        Refused("espurr-ota status surplus", "“status” takes no argument “surplus”"),
        Refused("espurr-ota recover surplus", "“recover” has no “surplus”"),
        Refused(
            "espurr-ota recover status surplus",
            "“recover” takes [status|wifi-password|repair-storage|restart] and no more"),
        Refused("espurr-ota recover --password-from 0", "--password-from goes with “recover wifi-password”"),
        Refused("espurr-ota recover wifi-password --password-from 987", "there is no descriptor 987"),
        Refused("espurr-ota recover repair-storage", "nobody is at the terminal to confirm"),
        Refused("espurr-ota history surplus", "“history” takes no argument “surplus”"),
        Refused("espurr-ota trust --fingerprint 00", "--fingerprint goes with a FILE"),
        Refused("espurr-ctl scan surplus", "“scan” takes no argument “surplus”"),
        Refused("espurr-ctl devices surplus", "“devices” takes no argument “surplus”"),
        Refused("espurr-ctl pair surplus", "“pair” takes no argument “surplus”"),
        Refused("espurr-ctl forget surplus", "“forget” takes no argument “surplus”"),
        Refused("espurr-ctl repair-bond surplus", "“repair-bond” takes no argument “surplus”"),
        Refused("espurr-ctl info surplus", "“info” takes no argument “surplus”"),
        Refused("espurr-ctl get --device", "“--device” needs a value: --device NAME|ADDRESS"),
        Refused("espurr-ctl set brightness", "“set” needs NAME VALUE [NAME VALUE…]"),
        Refused("espurr-ctl set brightness 1 power", "“power” has no value"),
        Refused("espurr-ctl effects surplus", "“effects” takes no argument “surplus”"),
        Refused("espurr-ctl effect", "“effect” needs NAME [PARAMETER=VALUE…]"),
        Refused("espurr-ctl palette", "“palette” needs list|show|set|save|rename|delete|restore [WORD…]"),
        Refused("espurr-ctl palette lst", "“palette” has no “lst”"),
        Refused("espurr-ctl palette list surplus", "“palette list” takes nothing and no more"),
        Refused("espurr-ctl palette rename A", "“palette rename” takes NAME and NEW and no more"),
        Refused("espurr-ctl palette save", "“palette save” needs NAME"),
        Refused("espurr-ctl motion surplus", "“motion” takes no argument “surplus”"),
        Refused("espurr-ctl calibrate surplus", "“calibrate” takes no argument “surplus”"),
        Refused("espurr-ctl recenter surplus", "“recenter” takes no argument “surplus”"),
        Refused("espurr-ctl wifi", "“wifi” needs password"),
        Refused("espurr-ctl wifi password hunter22", "“wifi” takes password and no more"),
        Refused("espurr-ctl wifi passwort", "“wifi” sets the password alone"),
        Refused("espurr-ctl status surplus", "“status” takes no argument “surplus”"),
        Refused("espurr-ctl export surplus", "“export” takes no argument “surplus”"),
        Refused("espurr-ctl apply", "“apply” needs FILE"),
        Refused("espurr-ctl audio", "“audio” needs capture|record"),
        Refused("espurr-ctl audio capture record", "“audio” takes capture|record and no more"),
        Refused("espurr-ctl audio play", "“play” is nothing that audio does"),
        Refused("espurr-ctl audio capture --length long", "“long” is no length"),
        Refused("espurr-ctl audio record --length 2s", "a recording has its own length"),
        Refused("espurr-ctl audio capture --plot p.png", "the plot is an SVG"),
        Refused(
            "espurr-ctl audio record --output take.wav",
            "“take.wav” is no folder: the WAV's name is made of the ears' name and the time"),
        Refused("espurr-ctl audio record --plot=", "“--plot” needs a name"),
        Refused("espurr-ctl audio record --output=", "“--output” needs a name"),
        Refused("espurr-sim run", "“run” needs -- COMMAND…"),
        Refused("espurr-sim run --ears 0 -- true", "“--ears” cannot be “0”"),
        Refused("espurr-sim run --family s9 -- true", "no board family “s9”"),
        Refused("espurr-sim run --fault nonsense -- true", "no fault “nonsense”"),
        Refused("espurr-sim run --fault drop-at -- true", "fault “drop-at” needs a value: drop-at=PERCENT"),
        Refused("espurr-sim run --fault no-bus=1 -- true", "fault “no-bus” takes no value"),
        Refused("espurr-sim demo surplus", "“demo” takes no argument “surplus”"),
        Refused("espurr-sim shell surplus", "“shell” takes no argument “surplus”"),
        Refused("espurr-sim catalogue", "“catalogue” needs DIR"),
    ])
    func `a command line that is refused`(refused: Refused) async throws {
        let said = try await BuiltProgram(refused.words[0]).run(Array(refused.words.dropFirst()))
        #expect(said.status == 2)
        #expect(said.output == "")
        let lines = said.messages.split(separator: "\n").map(String.init)
        #expect(lines.first == "\(refused.words[0]): \(refused.line)")
        #expect(lines.count <= 2)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  → ") })
    }

    @Test(arguments: [
        Refused("espurr-ota trust root.json --yes", "--fingerprint HEX answers: the root's, as its maker gave it"),
        Refused("espurr-ota trust root.json -y", "--fingerprint HEX answers: the root's, as its maker gave it"),
        Refused("espurr-ota trust --fingerprint 00", "espurr-ota trust FILE --fingerprint HEX"),
        Refused("espurr-ota check --running 1.4.0", "--family F; without both the ears say what runs"),
        Refused("espurr-ota check --family s3 --device A", "--family asks without ears, --device asks those"),
        Refused(
            "espurr-ota install --all --device A",
            "one of them: --all takes every pair, --device the one that it names, --retry-failed those that failed in "
                + "the last run"),
        Refused(
            "espurr-ota install --retry-failed 1.5.0", "leave it out; --all, or a --device for each pair, takes one"),
        Refused(
            "espurr-ota recover --password-from 0", "espurr-ota recover wifi-password --password-from FD|FILE"),
        Refused(
            "espurr-ota recover wifi-password --password-from 987",
            "have the shell open it: --password-from 3 3< FILE"),
        Refused("espurr-sim run --ears 99 -- true", "a number from 1 to 16"),
    ])
    func `what is to be typed in its place is named`(refused: Refused) async throws {
        let said = try await BuiltProgram(refused.words[0]).run(Array(refused.words.dropFirst()))
        #expect(said.status == 2)
        #expect(said.messages.hasSuffix("\n  → \(refused.line)\n"))
    }

    @Test(arguments: Commands.all.filter { $0.command != "espurr-sim" })
    func `with --json the failure is a document too`(verb: Commands.Verb) async throws {
        let said = try await Commands.run(verb.command, verb.name, "--json", "--nonsense")
        #expect(said.status == 2)
        let document = try #require(said.documents.first)
        #expect(said.documents.count == 1)
        #expect(document["schema"] == .string("espurr.\(verb.name)/1"))
        #expect(document["error"]["status"] == 2)
        #expect(document["error"]["code"] == "usage")
        #expect(said.messages.contains(document["error"]["cause"].text ?? "(no cause)"))
        #expect(said.messages.contains(document["error"]["remedy"].text ?? "(no remedy)"))
    }

    @Test(arguments: [
        (["--nonsense"], "verdict"), (["nonsense"], "verdict"), (["--device", "A"], "verdict"),
        (["--all", "--retry-failed"], "summary"), (["--all", "--nonsense"], "summary"), (["--all"], "summary"),
        (["--retry-failed", "1.5.0"], "summary"), (["--device", "A", "--device=B", "nonsense"], "summary"),
    ])
    func `the last record of an installation that never began has the form that it always has`(
        words: [String], event: String
    ) async throws {
        let said = try await BuiltProgram("espurr-ota").run(["install", "--json"] + words)
        #expect(said.status == 2)
        #expect(said.documents.count == 1)
        let document = try #require(said.documents.first)
        #expect(document["schema"] == "espurr.install/1")
        #expect(document["sequence"] == 1)
        #expect(document["event"] == .string(event))
        #expect(document["status"] == 2)
        #expect(document["error"]["code"] == "usage")
        if event == "summary" {
            #expect(document["ears"] == 0 && document["failed"] == 0)
            #expect(document["verdicts"] == .object([:]))
        } else {
            #expect(document["verdict"] == "refused")
        }
    }

    @Test func `a mistyped verb or option is answered with the nearest`() async throws {
        #expect(try await Commands.run("espurr-ota", "instal").messages.contains("did you mean “install”?"))
        #expect(try await Commands.run("espurr-ota", "list", "--chanel", "all").messages.contains("“--channel”?"))
        #expect(try await Commands.run("espurr-ota", "INSTALL").messages.contains("did you mean “install”?"))
    }

    @Test(arguments: [
        ("espurr-ota", "update", "install"), ("espurr-ota", "upgrade", "install"),
        ("espurr-ctl", "rename", "set name"), ("espurr-ctl", "record", "audio record"),
    ])
    func `a verb that others call so is answered with ours`(command: String, word: String, ours: String) async throws {
        let said = try await Commands.run(command, word, "x")
        #expect(said.status == 2)
        #expect(said.messages == "\(command): no verb “\(word)”\n  → did you mean “\(ours)”?\n")
        let help = try await Commands.run(command, String(ours.prefix { $0 != " " }), "--help")
        #expect(help.status == 0)
    }

    @Test func `what has to be asked is not done where nobody can be asked`() async throws {
        let folder = try TemporaryFolder()
        let said = try await BuiltProgram("espurr-ota").run(
            ["trust", BuiltProgram.packageFolder + "/catalogue-keys/demonstration.root.json"],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
        #expect(said.status == 2)
        #expect(said.messages.hasPrefix("espurr-ota: nobody is at the terminal"))
        #expect(!folder.contains(".config"))
    }
}
