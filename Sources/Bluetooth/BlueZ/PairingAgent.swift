import DBus

/// What BlueZ asks of an agent (org.bluez.Agent(5)).
enum AgentRequest: Hashable, Sendable {
    case confirmation(device: String, Passkey)
    /// Another way of pairing, or another service: the member's name. None of them is ours to grant.
    case other(member: String, device: String?)
    case cancel
    case release

    init(_ call: IncomingCall) {
        let device: String? = if case .objectPath(let path)? = call.arguments.first { path } else { nil }
        switch call.member {
        case "Cancel": self = .cancel
        case "Release": self = .release
        case "RequestConfirmation":
            guard let device, call.arguments.count == 2, case .uint32(let number) = call.arguments[1],
                let passkey = Passkey(number)
            else { fallthrough }
            self = .confirmation(device: device, passkey)
        default: self = .other(member: call.member, device: device)
        }
    }
}

/// An `org.bluez.Agent1` for one pairing of one device. It can confirm compared digits, and nothing else.
actor PairingAgent {
    /// What happened to the agent.
    struct Record: Hashable, Sendable {
        /// Since the pairing began.
        var askedAt: Duration?
        var confirmed = false
        /// The digits were refused.
        var refused = false
        /// Something else than comparing digits was asked for, and refused.
        var otherRequest: String?
        var cancelled = false
    }

    /// DisplayYesNo on both sides of LE Secure Connections is numeric comparison (Core specification, Vol 3 Part H
    /// 2.3.5.1).
    static let capability = "DisplayYesNo"

    nonisolated let path: String
    private let device: String
    private let daemon: String
    private let deadline: Deadline
    private let confirm: @Sendable (Passkey) async -> Bool

    private(set) var record = Record()
    private var question: Task<Bool, Never>?

    /// - Parameters:
    ///   - device: the object path of the only device it speaks for.
    ///   - daemon: the unique name of the only caller it answers.
    init(device: String, daemon: String, deadline: Deadline, confirm: @escaping @Sendable (Passkey) async -> Bool) {
        path = "/agent/" + String(UInt64.random(in: .min ... .max), radix: 16)
        self.device = device
        self.daemon = daemon
        self.deadline = deadline
        self.confirm = confirm
    }

    func answer(_ call: IncomingCall) async -> MethodAnswer {
        guard call.sender == daemon, call.path == path, call.interface == BlueZName.agent else {
            return .error(name: BlueZErrorName.accessDenied, message: "")
        }
        switch AgentRequest(call) {
        case .confirmation(device, let passkey) where question == nil && !record.cancelled: return await ask(passkey)
        case .confirmation: return Self.rejected
        case .other(let member, let device):
            if device == self.device { record.otherRequest = member }
            return Self.rejected
        case .cancel:
            cancel()
            return .values([])
        case .release: return .values([])
        }
    }

    /// Takes the question back; an answer that comes all the same does not count.
    func cancel() {
        record.cancelled = true
        question?.cancel()
    }

    private func ask(_ passkey: Passkey) async -> MethodAnswer {
        record.askedAt = deadline.elapsed
        let question = Task { [confirm] in await confirm(passkey) }
        self.question = question
        let isConfirmed = await question.value
        self.question = nil
        guard !record.cancelled else { return .error(name: BlueZErrorName.canceled, message: "") }
        record.confirmed = isConfirmed
        record.refused = !isConfirmed
        return isConfirmed ? .values([]) : Self.rejected
    }

    private static let rejected = MethodAnswer.error(name: BlueZErrorName.rejected, message: "")
}
