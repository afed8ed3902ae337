public import CommandLineTools

/// Who compares the six digits of a pairing.
public enum DigitComparison: Hashable, Sendable {
    case person
    /// `--passkey-from`: a descriptor's number, or a path.
    case source(String)
    /// `--accept-any-passkey`: nobody. It gives up the protection against a man in the middle.
    case nobody

    private static let passkeyFrom = Option(
        "--passkey-from", value: "FD|FILE", "compare with the digits on the ears' serial console, read from here")
    private static let acceptAny = Option(
        "--accept-any-passkey", "compare nothing: gives up the protection against a man in the middle")

    public static let options = [passkeyFrom, acceptAny]

    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        switch (arguments.value(of: Self.passkeyFrom), arguments.has(Self.acceptAny)) {
        case (.some, true): throw .usage("--passkey-from and --accept-any-passkey exclude each other")
        case (let source?, false): self = .source(source)
        case (nil, true): self = .nobody
        case (nil, false): self = .person
        }
    }

    /// For scripts.
    var code: String {
        switch self {
        case .person: "person"
        case .source: "source"
        case .nobody: "nobody"
        }
    }
}
