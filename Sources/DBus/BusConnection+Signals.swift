import CDBus

struct Subscription {
    let rule: MatchRule
    let continuation: AsyncStream<Signal>.Continuation
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
        let expiry = expiry(deadline)
        let id = newID()
        let text = try rule.text()
        let (stream, continuation) = AsyncStream.makeStream(
            of: Signal.self, bufferingPolicy: .bufferingOldest(DBusLimits.bufferedSignals))
        guard isOpen else { throw .disconnected }
        subscriptions[id] = Subscription(rule: rule, continuation: continuation)
        continuation.onTermination = { [weak self] _ in self?.enqueue { $0.dropSubscription(id) } }
        if let name = rule.trackedSender { trackedNames[name, default: TrackedName()].uses += 1 }
        do {
            if let name = rule.trackedSender { try await track(name, expiry) }
            _ = try await call(MessageBus.call("AddMatch", [.string(text)]), expiry)
        } catch {
            continuation.finish()
            throw error
        }
        return stream
    }

    private func track(_ name: String, _ expiry: Expiry) async throws(DBusError) {
        let rule = try MatchRule.nameOwnerChanges(of: name).text()
        _ = try await call(MessageBus.call("AddMatch", [.string(rule)]), expiry)
        let owner = try await owner(of: name, expiry)
        // A change that came meanwhile is as new as the answer, or newer.
        guard case .unknown? = trackedNames[name]?.owner else { return }
        trackedNames[name]?.owner = owner.map(TrackedName.Owner.connection) ?? .nobody
    }

    /// Also after a failure half-way: the bus ignores the removal of a rule that it does not have.
    private func dropSubscription(_ id: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        removeMatch(subscription.rule)
        guard let name = subscription.rule.trackedSender else { return }
        removeMatch(.nameOwnerChanges(of: name))
        trackedNames[name]?.uses -= 1
        if trackedNames[name]?.uses == 0 { trackedNames[name] = nil }
    }

    /// Nobody waits for the answer; on a connection that has ended there is nothing to take back.
    private func removeMatch(_ rule: MatchRule) {
        do {
            let call = MessageBus.call("RemoveMatch", [.string(try rule.text())])
            try send(try RawMessage.call(call, expectsReply: false))
        } catch {}
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
        for subscription in subscriptions.values where isWanted(signal, subscription.rule) {
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
