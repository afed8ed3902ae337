import Catalogue
import CommandLineTools
import DurableFiles
import FirmwareCommandLine

/// `trust`: the root that everything is verified from.
struct Trust: Verb {
    private static let fingerprint = Option(
        "--fingerprint", value: "HEX", "answers in scripts: the root's fingerprint, the SHA-256 of its file")
    private static let address = Option("--address", value: "URL|DIR", "configure the catalogue's address")

    private static let fingerprintAnswers = "--fingerprint HEX answers: the root's, as its maker gave it"

    static let usage = Usage(
        "trust", "show the trusted root, or trust another", operands: Operands("[FILE]", 0...1),
        options: [fingerprint, address],
        instead: [Option.yes.name: fingerprintAnswers, "-y": fingerprintAnswers],
        details: [
            "--address without a FILE leaves the root as it is: whatever the new address serves is verified from it.",
            "Shows the root's fingerprint and its keys, and asks. \(TrustedRoot.comparison): everything that is installed "
                + "later is trusted because of it. The keys' own fingerprints are for knowing a key by.",
            "Without a FILE: the root in force, and the one that was given where the catalogue has led on from it.",
        ])

    let path: String?
    let fingerprint: String?
    let address: String?

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        path = arguments.operands.first
        fingerprint = arguments.value(of: Self.fingerprint)?.lowercased()
        if path == nil, fingerprint != nil {
            throw .usage("--fingerprint goes with a FILE", remedy: "espurr-ota trust FILE --fingerprint HEX")
        }
        address = try arguments.value(of: Self.address).map(CatalogueAccess.configurable)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        if let absence = address.flatMap(CatalogueAccess.absence) { invocation.console.note(absence) }
        let directories = try UserDirectories(environment: invocation.environment)
        var configuration = try Configuration(directories)
        guard let path else {
            let inForce = try RootInForce(given: try TrustedRoot(configuredBy: configuration), in: directories)
            if let address {
                configuration.catalogueAddress = address
                try configuration.save(directories)
            }
            show(inForce, configuration, invocation)
            return .done
        }
        let root = try TrustedRoot(file: path)
        // What is asked about is shown first, beside the document where that is what is printed.
        for line in root.lines + (fingerprint == nil ? [TrustedRoot.comparison] : []) {
            if invocation.wantsJSON { invocation.console.note(line) } else { invocation.console.show(line) }
        }
        try await confirm(root, invocation)
        try directories.make(directories.configuration)
        let own = directories.configuration + "/root.json"
        do { try DurableFile.replace(own, with: root.bytes) } catch { throw CommandFailure(writing: error) }
        configuration.catalogueRoot = own
        configuration.catalogueAddress = address ?? configuration.catalogueAddress
        try configuration.save(directories)
        if invocation.wantsJSON {
            show(try RootInForce(given: root, in: directories), configuration, invocation)
        } else {
            invocation.console.note(
                "trusted from now on" + (configuration.catalogueAddress == nil ? "; no address is configured yet" : ""))
        }
        return .done
    }

    private func confirm(_ root: TrustedRoot, _ invocation: Invocation) async throws(CommandFailure) {
        if let fingerprint, fingerprint != root.fingerprint {
            throw CommandFailure(
                .untrusted, code: "fingerprint",
                cause: "the root's fingerprint is \(root.fingerprint), not the one given",
                remedy: "get the root and its fingerprint from the catalogue's maker again")
        }
        try await invocation.ask(
            "Trust these keys for everything that is installed?", isAnswered: fingerprint != nil, by: "--fingerprint")
    }

    private func show(
        _ root: RootInForce, _ configuration: Configuration, _ invocation: Invocation
    ) {
        let console = invocation.console
        guard invocation.wantsJSON else {
            for line in root.lines { console.show(line) }
            console.show("catalogue \((configuration.catalogueAddress ?? "(no address)").printable)")
            return
        }
        let members: [(String, JSON)] =
            [("trusted", .boolean(true))] + root.members + [("address", .optional(configuration.catalogueAddress))]
        console.print(JSON.document(invocation.schema, members))
    }
}
