public import Catalogue
public import CommandLineTools
public import EarsCommandLine
public import FirmwareUpdate

/// What `install` was asked for.
public struct InstallationRequest: Hashable, Sendable {
    private static let unauthenticated = Option(
        "--unauthenticated",
        "allow a FILE, which the catalogue does not authenticate, without asking; --yes answers the question after it")
    /// In words of its own: a local file has a question more.
    private static let yes = Option(
        "--yes", short: "-y",
        "do not ask whether to install it on these ears; whether to allow a FILE is --unauthenticated's question")
    private static let allowOlder = Option("--allow-older", "an older version, or one that cannot be compared")
    private static let allowReinstall = Option("--allow-reinstall", "the version that runs already")

    public static let options =
        [yes, unauthenticated, allowOlder, allowReinstall] + CatalogueOptions.options + BenchSelection.options
        + EarsOptions.repeatableOptions

    public enum Wanted: Hashable, Sendable {
        case newest
        case version(SemanticVersion)
        case file(String)
    }

    public var wanted: Wanted
    public let earsOptions: EarsOptions
    /// Nil: one pair of ears, that of ``earsOptions``.
    public let bench: BenchSelection?
    public let catalogueOptions: CatalogueOptions
    public let policy: OfferPolicy
    public let isConfirmed: Bool
    public let acceptsUnauthenticated: Bool

    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        earsOptions = try EarsOptions(arguments)
        bench = try BenchSelection(arguments)
        catalogueOptions = CatalogueOptions(arguments)
        policy = OfferPolicy(
            allowsOlder: arguments.has(Self.allowOlder), allowsReinstall: arguments.has(Self.allowReinstall),
            includesCandidates: catalogueOptions.includesCandidates)
        isConfirmed = arguments.has(.yes)
        acceptsUnauthenticated = arguments.has(Self.unauthenticated)
        wanted = try Self.wanted(arguments.operands.first)
    }

    private static func wanted(_ operand: String?) throws(CommandFailure) -> Wanted {
        guard let operand else { return .newest }
        if operand.contains("/") || operand.hasSuffix(".bin") { return .file(operand) }
        guard let version = SemanticVersion(operand) else {
            let folder = LocalFirmware.isFolder(operand) ? "; a folder's catalogue with --catalogue \(operand)" : ""
            throw .usage(
                "“\(operand.printable)” is neither a semantic version nor a file",
                remedy: "a version as in 1.5.0; a file with a / or ending in .bin" + folder)
        }
        return .version(version)
    }

    /// No terminal and no flag is told before anything is done; but nobody is told to allow a file that cannot be had, and
    /// of one that the catalogue has too, its own way comes first.
    public func checkThatSomebodyAnswers(_ invocation: Invocation) async throws(CommandFailure) {
        guard !invocation.console.input.isTerminal else { return }
        if case .file(let path) = wanted, !acceptsUnauthenticated || !isConfirmed {
            let inspection = try LocalFirmware.read(path).inspection
            guard acceptsUnauthenticated else {
                let directories = try? UserDirectories(environment: invocation.environment)
                let kept = directories.flatMap { KeptCatalogue(directories: $0) }
                throw nobodyAllows(await kept?.release(of: inspection))
            }
        }
        guard isConfirmed else {
            // Whether the last run was of a file is not read yet.
            let file = bench?.which == .failedOfLastRun && !acceptsUnauthenticated
            throw .usage(
                "nobody is at the terminal to confirm",
                remedy: "--yes confirms" + (file ? ", and --unauthenticated allows a file, where it was one" : ""))
        }
    }

    /// Every flag that is missing at once.
    private func nobodyAllows(_ listed: CataloguedFile?) -> CommandFailure {
        let cause =
            "nobody is at the terminal to allow a file that the catalogue does not authenticate"
            + (isConfirmed ? "" : ", and to confirm")
            + (listed.map { "; it lists these bytes as \($0.inWords)" } ?? "")
        let authenticated = listed?.commandInWords(confirmed: true).map { $0 + "; " } ?? ""
        return .usage(
            cause,
            remedy: authenticated + "--unauthenticated allows \(authenticated.isEmpty ? "it" : "the file")"
                + (isConfirmed ? "" : ", and --yes confirms"))
    }
}
