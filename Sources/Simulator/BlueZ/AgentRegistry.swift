/// A client's pairing agent.
struct Agent: Hashable, Sendable {
    enum Capability: String, Hashable, Sendable {
        case displayOnly = "DisplayOnly"
        case displayYesNo = "DisplayYesNo"
        case keyboardOnly = "KeyboardOnly"
        case noInputNoOutput = "NoInputNoOutput"
        case keyboardDisplay = "KeyboardDisplay"

        /// - Parameter text: empty is `KeyboardDisplay`.
        init?(text: String) {
            guard let capability = text.isEmpty ? .keyboardDisplay : Capability(rawValue: text) else { return nil }
            self = capability
        }

        /// Against a peripheral that can show digits and take a yes or no (Vol 3 Part H 2.3.5.1).
        var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
    }

    /// The client's unique name.
    let owner: String
    let path: String
    let capability: Capability
}

struct AgentRequestID: Hashable, Sendable {
    let number: UInt64
}

/// The agents of all clients: one each, and those that asked to be the default one, the last first.
struct AgentRegistry: Sendable {
    private var agents: [String: Agent] = [:]
    private var defaults: [String] = []

    mutating func register(_ agent: Agent) throws(ErrorReply) {
        guard agents[agent.owner] == nil else { throw .alreadyExists }
        agents[agent.owner] = agent
    }

    mutating func unregister(path: String, of owner: String) throws(ErrorReply) {
        guard agents[owner]?.path == path else { throw .doesNotExist }
        remove(owner)
    }

    mutating func makeDefault(path: String, of owner: String) throws(ErrorReply) {
        guard agents[owner]?.path == path else { throw .doesNotExist }
        defaults.removeAll { $0 == owner }
        defaults.insert(owner, at: 0)
    }

    mutating func remove(_ owner: String) {
        agents[owner] = nil
        defaults.removeAll { $0 == owner }
    }

    /// The client's own agent, else the default one.
    func agent(for client: String?) -> Agent? {
        client.flatMap { agents[$0] } ?? defaults.first.flatMap { agents[$0] }
    }

    var all: [Agent] { agents.values.sorted { $0.owner < $1.owner } }
}
