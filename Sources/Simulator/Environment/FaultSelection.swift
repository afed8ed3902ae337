/// The faults of a run: those of the ears, and those of this machine's side.
public struct FaultSelection: Hashable, Sendable {
    public var ears: [Fault] = []
    public var machine: Set<DaemonFault> = []

    public enum Problem: Error, Hashable, Sendable {
        case ears(FaultSyntaxError)
        case valueUnexpected(DaemonFault)
    }

    /// One entry of the list of all faults.
    public struct Entry: Hashable, Sendable {
        public let name: String
        /// Nil where the fault takes no value.
        public let valueSyntax: String?
        public let explanation: String
    }

    public init() {}

    /// - Parameter text: `NAME` or `NAME=VALUE`.
    public mutating func add(_ text: String) throws(Problem) {
        let name = text.prefix { $0 != "=" }
        if let fault = DaemonFault(rawValue: String(name)) {
            guard name.endIndex == text.endIndex else { throw .valueUnexpected(fault) }
            machine.insert(fault)
            return
        }
        do throws(FaultSyntaxError) { ears.append(try Fault(parsing: text)) } catch { throw .ears(error) }
    }

    /// Every fault by name: this machine's first, then the ears'.
    public static let all: [Entry] =
        DaemonFault.allCases.map { Entry(name: $0.rawValue, valueSyntax: nil, explanation: $0.summary) }
        + FaultName.allCases.map {
            Entry(name: $0.rawValue, valueSyntax: $0.valueSyntax, explanation: $0.explanation)
        }
}
