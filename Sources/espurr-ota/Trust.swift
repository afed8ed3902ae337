import Catalogue
import CommandLineTools
import DurableFiles
import FirmwareCommandLine

/// `trust`: the root that everything is verified from.
struct Trust: Verb {
    private static let fingerprint = Option(
        "--fingerprint", value: "HEX", "answers in scripts: the root file's SHA-256")
    private static let address = Option("--address", value: "URL|DIR", "configure the catalogue's address")

    static let usage = Usage(
        "trust", "show the trusted root, or trust another", operands: Operands("[FILE]", 0...1),
        options: [fingerprint, address],
        details: [
            "--address without a FILE leaves the root as it is: whatever the new address serves is verified from it.",
            "Shows the keys of the root and their fingerprints, and asks. Compare them with what the catalogue's maker "
                + "published elsewhere: everything that is installed later is trusted because of them.",
        ])

    let path: String?
    let fingerprint: String?
    let address: String?

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        path = arguments.operands.first
        fingerprint = arguments.value(of: Self.fingerprint)?.lowercased()
        if path == nil, fingerprint != nil { throw .usage("--fingerprint goes with a FILE") }
        address = try arguments.value(of: Self.address).map(CatalogueAccess.configurable)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        if let absence = address.flatMap(CatalogueAccess.absence) { invocation.console.note(absence) }
        let directories = try UserDirectories(environment: invocation.environment)
        var configuration = try Configuration(directories)
        guard let path else {
            let current = try TrustedRoot(configuredBy: configuration)
            if let address {
                configuration.catalogueAddress = address
                try configuration.save(directories)
            }
            show(current, configuration, invocation, isTrusted: true)
            return .done
        }
        let root = try TrustedRoot(file: path)
        // What is asked about is shown first, beside the document where that is what is printed.
        for line in keyLines(of: root) {
            if invocation.wantsJSON { invocation.console.note(line) } else { invocation.console.print(line) }
        }
        try await confirm(root, invocation)
        try directories.make(directories.configuration)
        let own = directories.configuration + "/root.json"
        do { try DurableFile.replace(own, with: root.bytes) } catch { throw CommandFailure(writing: error) }
        configuration.catalogueRoot = own
        configuration.catalogueAddress = address ?? configuration.catalogueAddress
        try configuration.save(directories)
        if invocation.wantsJSON {
            show(root, configuration, invocation, isTrusted: true)
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

    private func keyLines(of root: TrustedRoot) -> [String] {
        let head = [
            "root version \(root.root.version), expires \(root.root.expires)", "fingerprint \(root.fingerprint)",
        ]
        return head
            + Role.allCases.flatMap { role in
                let keys = root.keys.filter { $0.role == role }
                return ["\(role.rawValue): \(root.threshold(of: role)) of \(keys.count)"]
                    + keys.map { key in
                        "  \((key.scheme?.string ?? "unknown").printable)  \(key.fingerprint ?? "(unusable)")"
                    }
            }
    }

    private func show(
        _ root: TrustedRoot, _ configuration: Configuration, _ invocation: Invocation, isTrusted: Bool
    ) {
        let console = invocation.console
        if invocation.wantsJSON {
            let keys = root.keys.map { key in
                JSON.object([
                    ("role", .string(key.role.rawValue)), ("key_id", .string(key.keyID.string)),
                    ("scheme", .optional(key.scheme?.string)), ("fingerprint", .optional(key.fingerprint)),
                    ("threshold", .integer(Int64(root.threshold(of: key.role)))),
                ])
            }
            console.print(
                JSON.document(
                    invocation.schema,
                    [
                        ("trusted", .boolean(isTrusted)), ("fingerprint", .string(root.fingerprint)),
                        ("version", .integer(root.root.version)), ("expires", .string(root.root.expires.description)),
                        ("address", .optional(configuration.catalogueAddress)), ("keys", .array(keys)),
                    ]))
            return
        }
        for line in keyLines(of: root) { console.print(line) }
        if isTrusted { console.print("catalogue \((configuration.catalogueAddress ?? "(no address)").printable)") }
    }
}
