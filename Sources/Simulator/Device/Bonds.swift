/// The bonds that the ears keep: three at most, the oldest makes room (NimBLE's defaults).
public struct Bonds: Hashable, Sendable, Codable {
    static let limit = 3

    public struct Bond: Hashable, Sendable, Codable {
        /// The peer's identity address.
        public let peer: String
        public let key: BondKey
    }

    /// Oldest first.
    public private(set) var all: [Bond] = []

    func key(of peer: String) -> BondKey? { all.first { $0.peer == peer }?.key }

    mutating func add(_ key: BondKey, of peer: String) {
        all.removeAll { $0.peer == peer }
        all.append(Bond(peer: peer, key: key))
        all.removeFirst(max(0, all.count - Self.limit))
    }

    mutating func removeAll() { all = [] }
}
