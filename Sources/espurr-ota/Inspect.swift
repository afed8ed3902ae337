import CommandLineTools
import Firmware
import FirmwareCommandLine

/// `inspect`: everything about a file.
struct Inspect: Verb {
    static let usage = Usage(
        "inspect", "show everything about an image, and for which family it is", operands: Operands("FILE", 1...1),
        details: [
            "Ends with 21 where the file is not a sound application image for a chip that some family uses.",
            "Where the catalogue that was read last lists a release with these very bytes it says which one; no request is "
                + "made for it. Such a file still counts as not authenticated where it is installed by its name.",
        ])

    let path: String

    init(_ arguments: ParsedArguments) throws(CommandFailure) { path = arguments.operands[0] }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let inspection: ImageInspection
        do { inspection = try ImageInspection(of: ImageFile(path)) } catch { throw CommandFailure(error, of: path) }
        // What is said of the catalogue is said beside the rest: nothing that is wrong with it is in the way here.
        let directories = try? UserDirectories(environment: invocation.environment)
        let catalogue = directories.flatMap { KeptCatalogue(directories: $0) }
        let report = InspectionReport(inspection, of: path, listed: await catalogue?.release(of: inspection))
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, report.members))
        } else {
            for (label, text) in report.rows { invocation.console.show(label.padded(to: 15) + text) }
        }
        guard let refusal = report.refusal else { return .done }
        let failure = CommandFailure(refusal, of: path)
        invocation.console.complain("espurr-ota: \(failure.cause)")
        if let remedy = failure.remedy { invocation.console.complain("  → \(remedy)") }
        return failure.status
    }
}
