/// One option of a verb.
public struct Option: Hashable, Sendable {
    /// Long form, with its dashes: `--family`.
    public var name: String
    /// Short form, with its dash: `-y`.
    public var short: String?
    /// Nil for a flag; else what stands for the value in the help.
    public var value: String?
    public var isRepeatable: Bool
    public var help: String
    /// What a shell completes the value to.
    public var completes: Completion

    /// - Parameter completes: what it says where the value is a file or a folder by its name, else nothing.
    public init(
        _ name: String, short: String? = nil, value: String? = nil, repeatable: Bool = false,
        completes: Completion? = nil, _ help: String
    ) {
        self.completes = completes ?? Completion(ofValueShownAs: value ?? "")
        self.name = name
        self.short = short
        self.value = value
        self.isRepeatable = repeatable
        self.help = help
    }

    public static let json = Option("--json", "one JSON document on standard output; JSON Lines where it streams")
    public static let quiet = Option("--quiet", short: "-q", "no progress and no messages but errors")
    public static let verbose = Option("--verbose", short: "-v", "say what is being done; write-only values are masked")
    public static let help = Option("--help", short: "-h", "show this help")
    public static let yes = Option("--yes", short: "-y", "do not ask")
}

/// What a verb takes besides options.
public struct Operands: Hashable, Sendable {
    /// As the synopsis shows them: `[VERSION|FILE]`.
    public var synopsis: String
    public var count: ClosedRange<Int>

    /// What a shell completes one to.
    public var completes: Completion

    public init(_ synopsis: String, _ count: ClosedRange<Int>, completes: Completion? = nil) {
        self.completes = completes ?? Completion(ofValueShownAs: synopsis)
        self.synopsis = synopsis
        self.count = count
    }

    public static let none = Operands("", 0...0)
}

/// How a verb is called: the parser, the help and the man pages are all made from it.
public struct Usage: Sendable {
    public var name: String
    /// One line, lower case, no full stop.
    public var summary: String
    public var operands: Operands
    public var options: [Option]
    /// Options of other verbs that are tried here, and what does here what they do there.
    public var instead: [String: String]
    /// Paragraphs below the options.
    public var details: [String]

    public init(
        _ name: String, _ summary: String, operands: Operands = .none, options: [Option] = [],
        instead: [String: String] = [:], details: [String] = []
    ) {
        self.instead = instead
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.details = details
    }
}

/// The words of one call, checked against its ``Usage``.
public struct ParsedArguments: Hashable, Sendable {
    fileprivate var flags: Set<String> = []
    fileprivate var values: [String: [String]] = [:]
    public fileprivate(set) var operands: [String] = []

    public func has(_ option: Option) -> Bool { flags.contains(option.name) }
    public func value(of option: Option) -> String? { values[option.name]?.last }
    public func values(of option: Option) -> [String] { values[option.name] ?? [] }
}

extension Usage {
    /// Reads the words after the verb, as GNU's tools do: `--name value`, `--name=value`, `-n`, `--` ends the options.
    ///
    /// Options may stand after operands; names are never abbreviated.
    ///
    /// - Parameter program: the command, for remedies.
    public func parse(_ words: [String], program: String) throws(CommandFailure) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-", !word.isNegativeNumber else {
                parsed.operands.append(word)
                continue
            }
            try read(option: word, &rest, into: &parsed, of: program)
        }
        guard operands.count.contains(parsed.operands.count) || parsed.has(.help) else {
            throw .usage(operandProblem(parsed.operands), remedy: "see “\(program) \(name) --help”")
        }
        return parsed
    }

    private func read(
        option word: String, _ rest: inout ArraySlice<String>, into parsed: inout ParsedArguments, of program: String
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(parts[0])
        guard let option = option(written: word) else {
            throw .usage(
                "no option “\(written)” for “\(name)”",
                remedy: instead[written] ?? suggestion(for: written, among: options.map(\.name))
                    ?? "see “\(program) \(name) --help”")
        }
        guard option.value != nil else {
            guard parts.count == 1 else { throw .usage("“\(written)” takes no value") }
            parsed.flags.insert(option.name)
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw .usage("“\(written)” needs a value: \(written) \(option.value ?? "")")
        }
        guard option.isRepeatable || parsed.values[option.name] == nil else {
            throw .usage("“\(written)” is given twice")
        }
        parsed.values[option.name, default: []].append(value)
    }

    /// The option of a word: `--name`, `--name=value` or `-n`.
    func option(written word: String) -> Option? {
        let name = word.prefix { $0 != "=" }
        return options.first { $0.name == name || $0.short.map { $0 == name } ?? false }
    }

    private func operandProblem(_ given: [String]) -> String {
        if operands.count.upperBound == 0 { return "“\(name)” takes no argument “\(given.first ?? "")”" }
        if given.count < operands.count.lowerBound { return "“\(name)” needs \(operands.synopsis)" }
        return "“\(name)” takes \(operands.synopsis) and no more"
    }
}

extension String {
    /// `-5` is a value, not an option.
    var isNegativeNumber: Bool { count > 1 && dropFirst().allSatisfy(\.isNumber) }
}
