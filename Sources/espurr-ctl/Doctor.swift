import CommandLineTools
import EarsCommandLine
import FirmwareCommandLine

/// `doctor`: what is wrong with this machine, and how to mend it.
struct Doctor: Verb {
    static let usage = Usage(
        "doctor", "say what is wrong with this machine, and how to mend it", options: [EarsOptions.adapterOption],
        details: [
            "Looks at the message bus, bluetoothd, the adapters and their switches, the ears that are paired, the root that "
                + "firmware is verified from, and libcurl; it uses no radio, changes nothing and takes under a second. "
                + "What is in the way of commands comes first, each with the status that they would end with; what is only "
                + "good to know follows.",
            "It ends with the status of the first thing in the way, and with 0 where there is none. Without the radio nobody "
                + "knows whether ears answer, or forgot this machine (a stale bond, which espurr-ctl info shows), and "
                + "without a request whether the catalogue can be reached (espurr-ota list): the last line says so.",
        ])

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        var diagnosis = try await MachineExamination(invocation)(options.adapter)
        diagnosis.findings += try CatalogueDiagnosis(invocation).findings
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, diagnosis.members))
        } else {
            for line in diagnosis.lines { invocation.console.show(line) }
        }
        return diagnosis.status
    }
}
