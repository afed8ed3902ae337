import CDBus

struct Subscription {
    let rules: [MatchRule]
    let continuation: AsyncStream<Signal>.Continuation
    /// What the bus was asked to match. It counts equal rules, so that only what was added may be removed.
    var addedRules: [String] = []
    var trackedNames: [String] = []
}

/// A well-known name that a rule names as the sender, and who owns it now.
struct TrackedName {
    enum Owner { case unknown, nobody, connection(String) }

    var owner = Owner.unknown
    /// The rules that name it.
    var uses = 0
}

extension BusConnection {
    /// The signals that a rule asks for, from the moment this returns, in the order of arrival.
    ///
    /// A rule whose sender is a well-known name gives only what came from the name's owner of that moment. The stream
    /// finishes when the connection ends, and also when ``DBusLimits/bufferedSignals`` wait unread in it: a signal
    /// is never left out of the middle. Dropping the stream takes the rule back.
    ///
    /// - Throws: what ``call(_:deadline:)`` throws.
    public func signals(_ rule: MatchRule, deadline: Duration) async throws(DBusError) -> AsyncStream<Signal> {
        try await signals([rule], deadline: deadline)
    }

    /// The signals that any of several rules asks for, each once, in one stream; otherwise as
    /// ``signals(_:deadline:)-(MatchRule,_)``. What arrives before this returns may be in it for some of the rules.
    public func signals(_ rules: [MatchRule], deadline: Duration) async throws(DBusError) -> AsyncStream<Signal> {
        let expiry = expiry(deadline)
        let id = newID()
        var texts: [String] = []
        for rule in rules { texts.append(try rule.text()) }
        guard isOpen else { throw .disconnected }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Signal.self, bufferingPolicy: .bufferingOldest(DBusLimits.bufferedSignals))
        subscriptions[id] = Subscription(rules: rules, continuation: continuation)
        continuation.onTermination = { [weak self] _ in self?.enqueue { $0.dropSubscription(id) } }
        do {
            for rule in rules { if let name = rule.trackedSender { try await track(name, for: id, expiry) } }
            for text in texts { try await addMatch(text, for: id, expiry) }
        } catch {
            continuation.finish()
            throw error
        }
        return stream
    }

    private func track(_ name: String, for id: UInt64, _ expiry: Expiry) async throws(DBusError) {
        trackedNames[name, default: TrackedName()].uses += 1
        subscriptions[id]?.trackedNames.append(name)
        try await addMatch(try MatchRule.nameOwnerChanges(of: name).text(), for: id, expiry)
        let owner = try await owner(of: name, expiry)
        // A change that came meanwhile is as new as the answer, or newer.
        guard case .unknown? = trackedNames[name]?.owner else { return }
        trackedNames[name]?.owner = owner.map(TrackedName.Owner.connection) ?? .nobody
    }

    private func addMatch(_ rule: String, for id: UInt64, _ expiry: Expiry) async throws(DBusError) {
        // The stream may have ended already.
        guard subscriptions[id] != nil else { return }
        let serial = try begin(MessageBus.call("AddMatch", [.string(rule)]))
        subscriptions[id]?.addedRules.append(rule)
        do throws(DBusError) { _ = try await reply(to: serial, expiry) } catch {
            if case .remote = error { subscriptions[id]?.addedRules.removeAll { $0 == rule } }
            throw error
        }
    }

    private func dropSubscription(_ id: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        for rule in subscription.addedRules { removeMatch(rule) }
        for name in subscription.trackedNames {
            trackedNames[name]?.uses -= 1
            if trackedNames[name]?.uses == 0 { trackedNames[name] = nil }
        }
    }

    private func removeMatch(_ rule: String) {
        do throws(DBusError) {
            try send(try RawMessage.call(MessageBus.call("RemoveMatch", [.string(rule)]), expectsReply: false))
        } catch {
            // On a connection that has ended there is nothing to take back.
        }
    }

    func finishSubscriptions() {
        let finished = subscriptions.values
        subscriptions = [:]
        trackedNames = [:]
        for subscription in finished { subscription.continuation.finish() }
    }

    /// Sends a signal to whoever has a rule for it.
    ///
    /// - Throws: `invalidMessage`, `disconnected`, `outOfMemory`.
    public func emit(_ signal: Signal) throws(DBusError) { try send(try RawMessage.signal(signal)) }

    // MARK: Delivery

    func deliverSignal(_ message: ReceivedMessage) {
        guard let arguments = try? message.arguments() else { return breakOff() }
        let signal = Signal(
            message.member, of: message.interface, at: message.path, arguments, sender: message.sender)
        noteOwner(signal)
        for subscription in subscriptions.values where subscription.rules.contains(where: { isWanted(signal, $0) }) {
            if case .dropped = subscription.continuation.yield(signal) { subscription.continuation.finish() }
        }
    }

    /// A signal that cannot be read might have been for any stream.
    private func breakOff() {
        for subscription in subscriptions.values { subscription.continuation.finish() }
    }

    private func isWanted(_ signal: Signal, _ rule: MatchRule) -> Bool {
        guard rule.matches(signal) else { return false }
        guard let name = rule.trackedSender else { return rule.sender.map { $0 == signal.sender } ?? true }
        guard case .connection(let owner)? = trackedNames[name]?.owner else { return false }
        return owner == signal.sender
    }

    private func noteOwner(_ signal: Signal) {
        guard signal.sender == MessageBus.name, signal.member == MatchRule.nameOwnerChanged,
            signal.interface == MessageBus.interface,
            case .string(let name)? = signal.arguments.first, case .string(let new)? = signal.arguments.last,
            trackedNames[name] != nil
        else { return }
        trackedNames[name]?.owner = new.isEmpty ? .nobody : .connection(new)
    }
}
