import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `export`: every setting as a file.
struct Export: Verb {
    private static let output = Option("--output", value: "FILE", "write a file instead of standard output")
    private static let withName = Option("--with-name", "with the name of the ears, which is left out otherwise")

    static let usage = Usage(
        "export", "write every setting as JSON", options: [output, withName] + EarsOptions.options,
        details: [
            "For “espurr-ctl apply”: settings, the parameters of every effect, and the saved palettes. Left out are "
                + "secrets, temporary settings (flashlight), what these ears lack, and what tells them apart: their "
                + "address, and their name, which holds a part of it. --with-name adds the name.",
            "The file appears whole or not at all.",
        ])

    let options: EarsOptions
    let path: String?
    let withName: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        path = arguments.value(of: Self.output)
        withName = arguments.has(Self.withName)
    }

    var isForItsOutput: Bool { path == nil }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let (status, device) = try await EarsFinder(invocation).withSettings(options) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in
                (try await owned.session.status(), try await owned.session.deviceInformation())
            }
        }
        let document = JSON.document(
            ExportDocument.schema,
            ExportDocument.members(
                of: status, family: device.family, firmwareVersion: device.firmwareVersion, withName: withName))
        let text = invocation.wantsJSON ? document.text : document.indented
        if let path {
            try WholeFile.write(text + "\n", to: path)
            invocation.console.note("written to \(path.printable)")
        } else {
            invocation.console.print(text)
        }
        return .done
    }
}
