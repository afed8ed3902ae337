import Foundation
import Glibc
import Testing
import TestSupport

/// `audio` beside simulated ears: its files, and how it ends otherwise.
@Suite struct AudioTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func capture(_ options: String...) -> [String] {
        ["espurr-ctl", "audio", "capture", "--length", "400ms", "--output", folder.path] + options
    }

    private func sidecar(_ output: BuiltProgram.Output) throws -> JSONDocument {
        let path = try #require(output.document["files"]["json"].text)
        return try #require(JSONDocument(parsing: String(contentsOfFile: path, encoding: .utf8)))
    }

    // MARK: Files

    @Test func `a capture is a WAV, a sidecar and a plot, and says so`() async throws {
        let plot = folder.path + "/plot.svg"
        let said = try await SimulatedRun()(capture("--plot", plot))[0]
        #expect(said.status == 0)
        #expect(names.count == 3)
        let lines = said.output.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("wav          \(folder.path)/espurr-1A01-20"))
        #expect(lines[1].hasPrefix("json         \(folder.path)/espurr-1A01-20"))
        #expect(lines[2] == "plot         \(plot)")
        #expect(Array(lines[3...]) == Self.assessment)
        #expect(said.messageLines[0] == "capturing: the ears listen for 0.4 s, from now on")
        #expect(try String(contentsOfFile: plot, encoding: .utf8).contains("<title>espurr-1A01 · capture · 20"))
    }

    private static let assessment = [
        "sound        0.4 s, 16000 Hz, 16 bits, mono", "peak         -15.5 dBFS", "RMS          -21.7 dBFS",
        "noise floor  -64.8 dBFS", "DC offset    -0.01 % of full scale", "clipped      none", "dropped      none",
        "ears say     gain 24.0 dB, peak -15.5 dBFS, RMS -21.7 dBFS, 0 samples clipped",
        "verdict      nothing wrong with it",
    ]

    @Test func `a recording is five seconds, and --json is one document that the sidecar agrees with`() async throws {
        let said = try await SimulatedRun()(
            ["espurr-ctl", "audio", "record", "--json", "--output", folder.path + "/"])[0]
        #expect(said.status == 0)
        #expect(said.documents.count == 1)
        #expect(said.document["schema"] == "espurr.audio/1")
        #expect(said.document["mode"] == "recording")
        #expect(said.document["format"]["frames"] == 80_000)
        let sidecar = try sidecar(said)
        #expect(sidecar["schema"] == "espurr.sound/1")
        for member in ["mode", "began_at", "ears", "tool", "format", "reported", "missing", "measured", "findings"] {
            #expect(sidecar[member] == said.document[member], "\(member)")
            #expect(sidecar[member] != nil, "\(member)")
        }
        #expect(sidecar["ears"]["firmware_version"] == "1.4.0")
        #expect(names.count == 2)
    }

    /// sox reads the file, and finds what the sidecar says: what was dropped is zeros in it, so that sox measures less.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sox"), "sox (Debian) is not installed"),
        arguments: [[], ["microphone=loud"], ["microphone=offset"], ["drop-audio-blocks=9"]])
    func `sox agrees with the sidecar`(faults: [String]) async throws {
        let said = try await SimulatedRun(faults.flatMap { ["--fault", $0] })(capture("--json"))[0]
        #expect(said.status == 0)
        let sidecar = try sidecar(said)
        let wav = try #require(said.document["files"]["wav"].text)
        let measured = sidecar["measured"][0]
        let sox = try await BuiltProgram(path: "/usr/bin/sox").run([wav, "-n", "stats"])
        func value(_ name: String) throws -> Double {
            let line = try #require(sox.messages.split(separator: "\n").first { $0.hasPrefix(name) })
            return try #require(line.split(separator: " ").last.flatMap { Double($0) })
        }
        #expect(try abs(value("Pk lev dB") - #require(measured["peak_dbfs"].double)) < 0.011)
        let frames = try #require(measured["frames"].double)
        let all = try #require(sidecar["format"]["frames"].double)
        let share = 10 * log10(frames / all)
        #expect(try abs(value("RMS lev dB") - (#require(measured["rms_dbfs"].double) + share)) < 0.011)
        let offset = try #require(measured["dc_offset"].double) / 32_768 * frames / all
        #expect(try abs(value("DC offset") - offset) < 0.000_01)
        #expect(try value("Length s") == all / 16_000)
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe"), "ffprobe is not installed"))
    func `ffprobe agrees with the sidecar, and so does the hash`() async throws {
        let said = try await SimulatedRun()(capture("--json"), ["sh", "-c", "sha256sum \(folder.path)/*.wav"])
        let sidecar = try sidecar(said[0])
        let wav = try #require(said[0].document["files"]["wav"].text)
        let probe = try await BuiltProgram(path: "/usr/bin/ffprobe").run([
            "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channels,bits_per_sample,duration_ts",
            "-of", "csv=p=0", wav,
        ])
        let format = sidecar["format"]
        let expected = ["sample_rate", "channels", "bits_per_sample", "frames"].map { "\(format[$0].integer ?? -1)" }
        #expect(probe.output == "pcm_s16le,\(expected.joined(separator: ","))\n")
        #expect(sidecar["wav"]["sha256"].text.map { said[1].output.hasPrefix($0 + " ") } == true)
    }

    @Test func `dropped blocks are counted, placed, silent in the file, and marked`() async throws {
        let said = try await SimulatedRun("--fault", "drop-audio-blocks=7")(capture("--json"))[0]
        #expect(said.status == 0)
        let sidecar = try sidecar(said)
        #expect(sidecar["missing"]["blocks"] == 7)
        #expect(sidecar["missing"]["frames"] == .integer(7 * 128))
        #expect(sidecar["reported"]["dropped_blocks"] == 7)
        #expect(sidecar["findings"][0]["code"] == "dropped")
        let wav = try Data(contentsOf: URL(fileURLWithPath: #require(said.document["files"]["wav"].text)))
        let ranges = sidecar["missing"]["ranges"].elements
        #expect(ranges.reduce(0) { $0 + ($1["blocks"].integer ?? 0) } == 7)
        for range in ranges {
            let start = 44 + 2 * (try #require(range["first_frame"].integer))
            let bytes = wav[start..<start + 2 * (try #require(range["frames"].integer))]
            #expect(bytes.allSatisfy { $0 == 0 })
        }
        // What was there is measured as the ears measured it.
        #expect(sidecar["findings"].elements.count == 1)
    }

    @Test(arguments: [("loud", "clipped"), ("dead", "silent"), ("offset", "dc_offset")])
    func `what is wrong with the microphone is found`(fault: String, finding: String) async throws {
        let said = try await SimulatedRun("--fault", "microphone=\(fault)")(capture("--json"))[0]
        #expect(said.status == 0)
        #expect(said.document["findings"].elements.map { $0["code"] } == [.string(finding)])
    }

    @Test func `nothing that is there is overwritten`() async throws {
        let plot = try folder.write("mine", to: "plot.svg")
        let said = try await SimulatedRun()(capture("--plot", plot), ["sh", "-c", "cat \(plot); echo"])
        #expect(said[0].status == 16)
        #expect(said[0].isCauseAndRemedy)
        #expect(said[1].output == "mine\n")
        #expect(names == ["plot.svg"])
    }

    // MARK: Otherwise

    struct Failing: Sendable, CustomTestStringConvertible {
        var fault: String
        var status: Int32
        var code: String
        var words = "capture"

        var testDescription: String { fault }
    }

    @Test(arguments: [
        Failing(fault: "without=audio-capture", status: 25, code: "capability_missing"),
        Failing(fault: "without=audio-recording", status: 25, code: "capability_missing", words: "record"),
        Failing(fault: "refuse-audio=busy", status: 31, code: "refused"),
        Failing(fault: "refuse-audio=memory", status: 31, code: "refused", words: "record"),
        Failing(fault: "refuse-audio=microphone", status: 31, code: "refused"),
        Failing(fault: "fail-audio-at=50%", status: 31, code: "refused"),
        Failing(fault: "drop-at=0", status: 11, code: "link_lost"),
        Failing(fault: "drop-at=70%", status: 11, code: "link_lost"),
        Failing(fault: "drop-at=100%", status: 11, code: "link_lost"),
        Failing(fault: "silent-at=50%", status: 11, code: "no_answer"),
        Failing(fault: "stall-audio-at=50%", status: 31, code: "audio_stalled"),
    ])
    func `leaves no file behind, and the ears free`(failing: Failing) async throws {
        let command = ["espurr-ctl", "audio", failing.words, "--output", folder.path]
        let plain = failing.words == "capture" ? command + ["--length", "300ms"] : command
        let said = try await SimulatedRun("--fault", failing.fault)(
            plain + ["--json"], ["espurr-ctl", "info", "--json"])
        #expect(said[0].status == failing.status)
        #expect(said[0].document["error"]["code"] == .string(failing.code))
        #expect(said[0].document["error"]["status"] == .integer(Int(failing.status)))
        #expect(names == [])
        #expect(said[1].status == 0)
    }

    @Test func `recovery mode has no audio: 25`() async throws {
        let said = try await SimulatedRun("--recovery")(capture())[0]
        #expect(said.status == 25)
        #expect(
            said.messageLines == [
                "espurr-ctl: there is no audio in recovery mode",
                "  → espurr-ota recover shows what can be done; espurr-ota install updates them",
            ])
    }

    @Test func `a length out of range is refused: 2`() async throws {
        let said = try await SimulatedRun()(
            ["espurr-ctl", "audio", "capture", "--length", "60s", "--output", folder.path])[0]
        #expect(said.status == 2)
        #expect(
            said.messageLines == [
                "espurr-ctl: these ears capture at most 10 s; nothing was begun", "  → --length 10000ms is the longest",
            ])
        #expect(names == [])
    }

    @Test(arguments: ["/no/such/folder", "/proc"])
    func `a folder that cannot be written to: 16, and the ears are not even looked for`(path: String) async throws {
        // Where no ears are, looking for them would end with 11.
        let said = try await SimulatedRun("--fault", "absent", "--unpaired")(
            ["espurr-ctl", "audio", "record", "--output", path])[0]
        #expect(said.status == 16)
        #expect(said.isCauseAndRemedy)
    }

    @Test func `a disk that is full: 16, and no file`() async throws {
        // 8 blocks of 512 bytes: less than the WAV takes. The signal of a file too large is ignored, so it is an error.
        let limited = "trap '' XFSZ; ulimit -f 8; exec \"$@\""
        let said = try await SimulatedRun()(["sh", "-c", limited, "sh"] + capture("--json"))[0]
        #expect(said.status == 16)
        #expect(said.document["error"]["code"] == "output_not_writable")
        #expect(names == [])
    }

    // MARK: Signals

    /// Takes more than ten seconds over a link as slow as a real one: on a busy machine too, a signal that answers the
    /// first piece comes before the last.
    private var long: [String] {
        ["espurr-ctl", "audio", "capture", "--length", "10s", "--output", folder.path]
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGHUP, Int32(129))])
    func `a signal ends it on the ears and leaves no file`(signal: Int32, status: Int32) async throws {
        let toOutput = ["sh", "-c", "exec \"$@\" 2>&1", "sh"]
        let said = try await SimulatedRun("--fault", "slow-link").interrupting(
            toOutput + long,
            // The ears are free again, and hold no sound that somebody would have to let go.
            toOutput + capture(), when: { $0.hasPrefix("reading") }
        ) { command in kill(command, signal) }
        #expect(said[0].status == status)
        #expect(said[0].output.contains("\nended on the ears; no file was written\n"))
        #expect(said[1].status == 0)
        #expect(!said[1].output.contains("nobody came back for"))
        #expect(names.count == 2)
    }

    @Test func `killed in the middle: the next one lets the old sound go, and takes its own`() async throws {
        let toOutput = ["sh", "-c", "exec \"$@\" 2>&1", "sh"]
        let said = try await SimulatedRun("--fault", "slow-link").interrupting(
            toOutput + long, toOutput + capture(),
            when: { $0.hasPrefix("reading") }
        ) { command in kill(command, SIGKILL) }
        #expect(said[0].status == 137)
        #expect(said[1].status == 0)
        #expect(said[1].output.contains("the ears held a sound that nobody came back for; it was let go\n"))
        #expect(names.count == 2)
    }
}
