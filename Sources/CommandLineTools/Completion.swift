/// What can stand in a place of a command line, for a shell that completes it.
public indirect enum Completion: Hashable, Sendable {
    case nothing
    case words([String])
    case files
    case folders
    /// Asked of the program's own memory; the files and the network stay as they are.
    case remembered(Subject)
    /// One of these words, and behind it what it takes, which is told the word too.
    case verbs([String], then: Completion)

    /// What a program can remember.
    public enum Subject: Hashable, Sendable {
        case settings
        /// Settings and values by turns.
        case settingsWithValues
        /// An effect, and its parameters behind it.
        case effect
        /// What a verb of the palettes takes; the verb is the first operand.
        case paletteWords
    }

    /// By what stands for the value in the help: `FILE`, `DIR`, or both of something.
    init(ofValueShownAs text: String) {
        let words = text.split { !$0.isLetter }
        self = words.contains("FILE") ? .files : words.contains("DIR") ? .folders : .nothing
    }
}

/// A word that would fit, and what it is.
public struct CompletionCandidate: Hashable, Sendable {
    public var word: String
    public var help: String

    public init(_ word: String, _ help: String = "") {
        self.word = word
        self.help = help
    }

    /// Characters of a word at most.
    static let longestWord = 64

    /// Whether a shell may be given the word, to be quoted as it needs it. Names come from the ears too, and what a shell
    /// completes becomes a command line: what could begin an expansion in any shell's double quotes is left out however
    /// well it would be quoted, and so is what a terminal would take for more than text.
    var isOfferable: Bool {
        guard !word.isEmpty, word.count <= Self.longestWord, !word.hasPrefix("-") else { return false }
        return word == word.printable && !word.contains { #"$`\"#.contains($0) }
    }
}

/// What a shell is answered.
enum CompletionAnswer: Hashable {
    case candidates([CompletionCandidate])
    case files
    case folders

    /// Candidates at most.
    static let longestList = 256

    /// The kind, then a word a line, and behind a tab what it is.
    var lines: [String] {
        switch self {
        case .files: ["files"]
        case .folders: ["folders"]
        case .candidates(let candidates):
            ["words"]
                + candidates.prefix(Self.longestList).map { candidate in
                    candidate.help.isEmpty ? candidate.word : "\(candidate.word)\t\(candidate.help.printable)"
                }
        }
    }
}

extension Program {
    /// What fits the last of the words after the program's name; those before it are as they were typed.
    func completion(of words: [String], environment: [String: String]) -> CompletionAnswer {
        guard let current = words.last else { return .candidates([]) }
        guard words.count > 1 else { return .candidates(verbCandidates + programOptions) }
        if words[0] == "help" { return .candidates(words.count == 2 ? verbCandidates : []) }
        guard let verb = verbs.first(where: { $0.usage.name == words[0] }) else { return .candidates([]) }
        let place = usage(of: verb).place(of: current, after: Array(words.dropFirst().dropLast()))
        switch place {
        case .optionName(let options): return .candidates(options.map { CompletionCandidate($0.name, $0.help) })
        case .value(let completion, let prefix): return answer(completion, after: [], prefix, environment)
        case .operand(let completion, let operands): return answer(completion, after: operands, "", environment)
        }
    }

    private var verbCandidates: [CompletionCandidate] {
        verbs.map { CompletionCandidate($0.usage.name, $0.usage.summary) }
    }

    private var programOptions: [CompletionCandidate] {
        [CompletionCandidate("--help", Option.help.help), CompletionCandidate("--version", "show the version")]
    }

    private func answer(
        _ completion: Completion, after operands: [String], _ prefix: String, _ environment: [String: String]
    ) -> CompletionAnswer {
        switch completion {
        case .nothing: return .candidates([])
        case .files: return .files
        case .folders: return .folders
        case .words(let words): return .candidates(words.map { CompletionCandidate(prefix + $0) })
        case .remembered(let subject):
            return .candidates(memory(subject, operands, environment).filter(\.isOfferable))
        case .verbs(let words, let then):
            guard let verb = operands.first else { return .candidates(words.map { CompletionCandidate(prefix + $0) }) }
            return words.contains(verb) ? answer(then, after: operands, prefix, environment) : .candidates([])
        }
    }
}

/// What is being typed.
private enum CompletionPlace {
    /// The name of one of these options.
    case optionName([Option])
    /// An option's value; the prefix is `--name=` where it is typed in one word.
    case value(Completion, prefix: String)
    case operand(Completion, before: [String])
}

extension Usage {
    /// Reads the words as ``parse(_:)`` does, but takes them for unfinished: nothing is wrong yet.
    fileprivate func place(of current: String, after words: [String]) -> CompletionPlace {
        var (operandsBefore, given): ([String], Set<String>) = ([], [])
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                return .operand(completionOfOperands(operandsBefore + rest), before: operandsBefore + rest)
            }
            guard word.hasPrefix("-"), word != "-", !word.isNegativeNumber else {
                operandsBefore.append(word)
                continue
            }
            guard let option = option(written: word) else { continue }
            given.insert(option.name)
            guard option.value != nil, !word.contains("=") else { continue }
            guard !rest.isEmpty else { return .value(option.completes, prefix: "") }
            rest.removeFirst()
        }
        if current.hasPrefix("--"), let option = option(written: current), current.contains("=") {
            return .value(option.completes, prefix: "\(option.name)=")
        }
        guard current.hasPrefix("-"), !current.isNegativeNumber else {
            return .operand(completionOfOperands(operandsBefore), before: operandsBefore)
        }
        return .optionName(options.filter { $0.isRepeatable || !given.contains($0.name) })
    }

    private func completionOfOperands(_ before: [String]) -> Completion {
        before.count < operands.count.upperBound ? operands.completes : .nothing
    }
}
