public import FoundationEssentials

/// The last installation on several pairs of ears, as it is kept on this machine.
public struct BenchRun: Codable, Hashable, Sendable {
    /// What was to be installed.
    public enum Wanted: Codable, Hashable, Sendable {
        case newest
        case version(number: String)
        /// The path is absolute; the digest is that of the whole file.
        case file(path: String, sha256: [UInt8])
    }

    /// One pair of ears in it.
    public struct Pair: Codable, Hashable, Sendable {
        /// The identity address; what was asked for where no bond was known.
        public let device: String
        /// For people.
        public let label: String
        /// In snake case, as `--json` tells it; nil until it ended: not begun, under way, or the command died.
        public var verdict: String?
        /// Nil as long as ``verdict`` is.
        public var status: Int32?

        public init(device: String, label: String) {
            self.device = device
            self.label = label
        }

        /// Whether another run has to take it again.
        public var isToBeRetried: Bool { status != 0 }
    }

    public let startedAt: Date
    public let wanted: Wanted
    public var pairs: [Pair]

    public init(startedAt: Date, wanted: Wanted, pairs: [Pair]) {
        self.startedAt = startedAt
        self.wanted = wanted
        self.pairs = pairs
    }

    public var failures: [Pair] { pairs.filter(\.isToBeRetried) }
}
