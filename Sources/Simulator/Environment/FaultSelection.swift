/// The faults of a run: those of the ears, and those of this machine's side.
public struct FaultSelection: Hashable, Sendable {
    /// Of every pair.
    public var ears: [Fault] = []
    /// Of one pair alone, by its number; the first is 1.
    public var ofPair: [Int: [Fault]] = [:]
    public var machine: Set<DaemonFault> = []

    public enum Problem: Error, Hashable, Sendable {
        case ears(FaultSyntaxError)
        case valueUnexpected(DaemonFault)
        /// A fault of this machine's side strikes no pair alone.
        case notOfPair(DaemonFault)
    }

    /// One entry of the list of all faults.
    public struct Entry: Hashable, Sendable {
        public let name: String
        /// Nil where the fault takes no value.
        public let valueSyntax: String?
        public let explanation: String
    }

    public init() {}

    /// - Parameter text: `NAME` or `NAME=VALUE`, with `N:` before it for the pair N alone.
    public mutating func add(_ text: String) throws(Problem) {
        let (pair, text) = Self.split(text)
        let name = text.prefix { $0 != "=" }
        if let fault = DaemonFault(rawValue: String(name)) {
            guard pair == nil else { throw .notOfPair(fault) }
            guard name.endIndex == text.endIndex else { throw .valueUnexpected(fault) }
            machine.insert(fault)
            return
        }
        let fault: Fault
        do throws(FaultSyntaxError) { fault = try Fault(parsing: text) } catch { throw .ears(error) }
        if let pair { ofPair[pair, default: []].append(fault) } else { ears.append(fault) }
    }

    /// What goes wrong with one pair; its own faults come first, so that their values count.
    func faults(ofPair number: Int) -> [Fault] { (ofPair[number] ?? []) + ears }

    private static func split(_ text: String) -> (pair: Int?, fault: String) {
        let digits = text.prefix { "0123456789".contains($0) }
        guard let number = Int(digits), text[digits.endIndex...].hasPrefix(":") else { return (nil, text) }
        return (number, String(text[digits.endIndex...].dropFirst()))
    }

    /// Every fault by name: this machine's first, then the ears'.
    public static let all: [Entry] =
        DaemonFault.allCases.map { Entry(name: $0.rawValue, valueSyntax: nil, explanation: $0.summary) }
        + FaultName.allCases.map {
            Entry(name: $0.rawValue, valueSyntax: $0.valueSyntax, explanation: $0.explanation)
        }
}
