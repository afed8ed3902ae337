import CommandLineTools
import Foundation
import Testing

@Suite struct OutputTests {
    @Test func `JSON keeps the order of its members and escapes what steers a terminal`() {
        let document = JSON.document(
            "espurr.x/1",
            [("b", .integer(-1)), ("a", .array([.null, .boolean(true), .string("é\"\\\n\u{1B}[31m\u{9B}")]))])
        #expect(document.text == #"{"schema":"espurr.x/1","b":-1,"a":[null,true,"é\"\\\n\u001b[31m\u009b"]}"#)
    }

    @Test func `another reader reads what was written`() throws {
        let text = JSON.object([("s", .string("\u{0}\t\r\u{7F}ü😺")), ("n", .number(0.5)), ("i", .integer(.max))]).text
        let read = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(read["s"] as? String == "\u{0}\t\r\u{7F}ü😺")
        #expect(read["n"] as? Double == 0.5)
        #expect(read["i"] as? Int64 == .max)
    }

    @Test func `text from outside cannot steer the terminal`() {
        #expect("ears\u{1B}]0;x\u{7}\u{202E}".printable == "ears\\u{1b}]0;x\\u{7}\\u{202e}")
    }

    @Test func `a progress line is replaced on a terminal and stands elsewhere`() {
        let terminal = RecordingConsole(isTerminal: true)
        terminal.console.progress("10 %")
        #expect(terminal.messages == "\r\u{1B}[K10 %")
        let pipe = RecordingConsole()
        pipe.console.progress("10 %")
        #expect(pipe.messages == "10 %\n")
    }

    @Test func `lines of progress are replaced together, and taken off together`() {
        let terminal = RecordingConsole(isTerminal: true)
        let console = terminal.console
        console.progress(["a 1", "b 1"])
        console.progress(["a 2"])
        console.note("done")
        #expect(
            terminal.messages
                == "\r\u{1B}[Ka 1\nb 1" + "\r\u{1B}[K\u{1B}[A\u{1B}[Ka 2" + "\r\u{1B}[Kdone\n")
        let pipe = RecordingConsole()
        pipe.console.progress(["a", "b"])
        #expect(pipe.messages == "a\nb\n")
    }

    @Test func `data after a progress line starts on a clean line`() {
        let recorder = RecordingConsole(isTerminal: true)
        let console = recorder.console
        console.progress("10 %")
        console.print("done")
        #expect(recorder.messages == "\r\u{1B}[K10 %\r\u{1B}[K")
        #expect(recorder.output == "done\n")
    }

    @Test func `what people read is wrapped on a terminal alone, what scripts read nowhere`() {
        let line = "what    " + String(repeating: "word ", count: 20) + "end"
        let terminal = RecordingConsole(isTerminal: true)
        terminal.console.show(line)
        terminal.console.note(line)
        terminal.console.complain(line)
        let wrapped =
            "what    " + Array(repeating: "word", count: 14).joined(separator: " ") + "\n        "
            + String(repeating: "word ", count: 6) + "end\n"
        #expect(terminal.output == wrapped)
        #expect(terminal.messages == wrapped + wrapped)
        terminal.console.print(line)
        #expect(terminal.output == wrapped + line + "\n")
        let pipe = RecordingConsole()
        pipe.console.show(line)
        pipe.console.complain(line)
        #expect(pipe.output == line + "\n")
        #expect(pipe.messages == line + "\n")
    }

    @Test func `quiet leaves out notes and progress but not errors`() {
        let recorder = RecordingConsole()
        let console = recorder.console
        console.set(quiet: true, verbose: true)
        console.note("a")
        console.progress("b")
        console.detail("c")
        console.complain("d")
        #expect(recorder.messages == "d\n")
    }

    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("60m", .seconds(3600)),
    ])
    func `a length of time is read`(text: String, duration: Duration) {
        #expect(Timespan(text)?.duration == duration)
    }

    @Test(arguments: ["", "30", "s", "0s", "-1s", "1.5s", "61m", "9999999999s", "30 s", "1h", "３s", "+5s"])
    func `what is no length of time is refused`(text: String) {
        #expect(Timespan(text) == nil)
    }

    @Test func `progress tells bytes, rate and time left`() {
        var progress = TransferProgress(phase: "upload", total: 1_061_000, started: .seconds(5))
        progress.advance(to: 524_288, at: .seconds(11))
        #expect(progress.line == "upload  512 of 1037 KiB  49 %  85 KiB/s  6.1 s left")
    }

    @Test func `progress of nothing is whole at once`() {
        let progress = TransferProgress(phase: "upload", total: 0, started: .zero)
        #expect(progress.percent == 100)
        #expect(progress.rate == nil)
    }

    @Test func `away from a terminal a line comes each tenth and as a heartbeat`() {
        var throttle = ProgressThrottle(isTerminal: false)
        let shown = [(0, 0), (1, 1), (9, 2), (10, 3), (11, 4), (12, 14), (13, 15)].map { percent, second in
            throttle.shouldShow(phase: "upload", percent: percent, at: .seconds(second))
        }
        #expect(shown == [true, false, false, true, false, true, false])
    }

    @Test func `a length of time is shown as people say it`() {
        #expect(Duration.milliseconds(4240).inWords == "4.2 s")
        #expect(Duration.seconds(30).inWords == "30 s")
        #expect(Duration.seconds(65).inWords == "1:05 min")
    }
}
