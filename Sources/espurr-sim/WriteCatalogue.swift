import CommandLineTools
import Simulator

/// `catalogue`: the demonstration repository as files.
struct WriteCatalogue: Verb {
    static let usage = Usage(
        "catalogue", "write the demonstration catalogue into a folder", operands: Operands("DIR", 1...1),
        details: [
            "metadata/ and targets/ as a web server serves them, and root.json for “espurr-ota trust”. "
                + "“python3 -m http.server --directory DIR” is such a server."
        ])

    let folder: String

    init(_ arguments: ParsedArguments) { folder = arguments.operands[0] }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        do throws(SimulationError) {
            let repository = try DemonstrationRepository()
            try repository.write(to: folder)
            invocation.console.print("\(repository.paths.count) files in \(folder.printable)")
        } catch {
            throw CommandFailure(error)
        }
        return .done
    }
}
