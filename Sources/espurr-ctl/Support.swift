import CommandLineTools
import DurableFiles
import EarsCommandLine
import FirmwareCommandLine
import FoundationEssentials

/// `support`: one file for a report, seen before it is written.
struct Support: Verb {
    private static let output = Option(
        "--output", value: "FILE", "the file; espurr-support-TIME.json in the current folder where it is not given")

    static let usage = Usage(
        "support", "write a file for a report about a fault", options: EarsOptions.options + [output, .yes],
        details: [
            "The file says what tools, system, Bluetooth and ears there are, and how attempts to update ended: versions, "
                + "states and codes. It is shown whole, and asked about, before it is written; nothing is sent anywhere.",
            "It holds no addresses, no names of ears, machine or person, no text that a person wrote, no secrets and no "
                + "sound. Without ears, and without Bluetooth, it says that they are not there; --timeout says how long to "
                + "look for them: 10s where it is not given.",
        ])

    static let defaultTimeout = Duration.seconds(10)

    let options: EarsOptions
    let path: String?
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        var options = try EarsOptions(arguments)
        if !EarsOptions.isTimeoutGiven(arguments) { options.timeout = Self.defaultTimeout }
        self.options = options
        path = arguments.value(of: Self.output)
        isConfirmed = arguments.has(.yes)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let time = Date()
        let document = try await SupportCollector(invocation, options).document(at: time)
        let stamp = time.ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
        let file = path ?? "espurr-support-\(stamp).json"
        if !invocation.wantsJSON { invocation.console.print(document.indentedText) }
        try await invocation.ask(
            "Write this to \(file.printable)?", isAnswered: isConfirmed, by: "--yes")
        do throws(DurableFileError) {
            try DurableFile.replace(file, with: Array((document.indentedText + "\n").utf8), permissions: 0o600)
        } catch {
            throw CommandFailure(writing: error)
        }
        if invocation.wantsJSON {
            let members: [(String, JSON)] = [("file", .string(file)), ("report", document)]
            invocation.console.print(JSON.document(invocation.schema, members))
        } else {
            invocation.console.note("wrote \(file.printable)")
        }
        return .done
    }
}
