import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `audio`: what the ears' microphone hears, as files.
struct Audio: Verb {
    private static let length = Option(
        "--length", value: "TIME", "how long to capture: 500ms, 2s (the default); a recording has its own length")
    private static let output = Option(
        "--output", value: "DIR", "the folder, which has to be there; the current one where it is not given")
    private static let plot = Option("--plot", value: "FILE.svg", "draw wave and spectrogram into this file too")

    static let usage = Usage(
        "audio", "capture or record what the ears' microphone hears",
        operands: Operands("capture|record", 1...1, completes: .words(["capture", "record"])),
        options: EarsOptions.options + [length, output, plot],
        details: [
            "“capture” is a short diagnostic capture, “record” the ears' recording of five seconds; not all ears have "
                + "both. The ears listen at once and say nothing: be ready. This machine's microphone is never used.",
            "Writes EARS-TIME.wav, which plays anywhere, and EARS-TIME.json beside it: what the ears reported (gain, "
                + "levels, clipping, dropped blocks), what was measured here, and the WAV's SHA-256; TIME is UTC. Both "
                + "appear, or neither; nothing that is there is overwritten. Blocks that the ears dropped are silence in "
                + "the WAV, are marked in the sidecar and in the plot, and are not measured.",
            "Ctrl-C ends it on the ears too, and leaves no file.",
        ])

    let options: EarsOptions
    let order: AudioOrder
    let destination: SoundDestination

    private static let defaultLength = Duration.seconds(2)

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        order = try Self.order(arguments)
        for option in [Self.output, Self.plot] where arguments.value(of: option) == "" {
            throw .usage("“\(option.name)” needs a name")
        }
        destination = SoundDestination(
            folder: arguments.value(of: Self.output) ?? ".", plot: arguments.value(of: Self.plot))
    }

    private static func order(_ arguments: ParsedArguments) throws(CommandFailure) -> AudioOrder {
        let given = arguments.value(of: length)
        switch arguments.operands[0] {
        case "capture":
            guard let given else { return .capture(defaultLength) }
            guard let timespan = Timespan(given) else {
                throw .usage("“\(given.printable)” is no length", remedy: "a whole number with ms or s: --length 2s")
            }
            return .capture(timespan.duration)
        case "record":
            guard given == nil else {
                throw .usage("a recording has its own length", remedy: "--length goes with “audio capture”")
            }
            return .recording
        default:
            throw .usage(
                "“\(arguments.operands[0].printable)” is nothing that audio does",
                remedy: "audio capture, or audio record")
        }
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try destination.check()
        let clock = ContinuousClock()
        let start = clock.now
        let reporter = AudioReporter(order, console: invocation.console) { clock.now - start }
        let owned = try await EarsFinder(invocation).open(options)
        let result: Result<(AudioTake, DeviceInformation), CommandFailure> = await take(from: owned, reporter)
        await owned.close()
        invocation.console.endProgress()
        let (take, device) = try result.get()
        let report = try SoundReport(take, device: device, began: reporter.began)
        show(report, in: try destination.publish(report), invocation)
        return .done
    }

    private func take(
        from owned: OwnedSession, _ reporter: AudioReporter
    ) async -> Result<(AudioTake, DeviceInformation), CommandFailure> {
        do throws(EarsError) {
            let device = try await owned.session.deviceInformation()
            do throws(AudioError) {
                return .success((try await owned.session.takeAudio(order, tell: reporter.tell), device))
            } catch {
                return .failure(CommandFailure(error))
            }
        } catch {
            return .failure(CommandFailure(error))
        }
    }

    private func show(_ report: SoundReport, in files: SoundDestination.Files, _ invocation: Invocation) {
        let console = invocation.console
        guard !invocation.wantsJSON else {
            let names = JSON.object([
                ("wav", .string(files.wav)), ("json", .string(files.json)), ("plot", .optional(files.plot)),
            ])
            return console.print(JSON.document(invocation.schema, [("files", names)] + report.members))
        }
        var rows = [("wav", files.wav), ("json", files.json)]
        if let plot = files.plot { rows.append(("plot", plot)) }
        for (label, text) in rows + report.rows { console.show(label.padded(to: 13) + text.printable) }
    }
}
