public import ControlProtocol

/// How far a stream upload was allowed to go, gone with the link.
struct StreamFlow: Hashable, Sendable {
    /// The session that the rest is about.
    var session: UInt32 = 0
    /// Bytes from the start of the file; it never goes back.
    var creditEnd: UInt32 = 0
    /// The offset that something was missing at when that was last told: told once, however much comes after the gap.
    var gap: UInt32?
}

/// The stream characteristic: chunks without a response, credit by notification.
extension SimulatedEars {
    /// The peer wants the notifications of the stream characteristic, or none any more.
    public mutating func subscribe(_ isSubscribed: Bool, at now: Duration) {
        pass(to: now)
        guard hasStream, (try? checkAccess()) != nil else { return }
        link?.stream = isSubscribed ? StreamFlow() : nil
        tellCredit()
    }

    /// A write without response: nothing says what became of it but a notification.
    public mutating func command(_ value: [UInt8], to endpoint: EndpointName, at now: Duration) {
        pass(to: now)
        guard hasStream, endpoint.isStream, (try? checkAccess()) != nil, case .running(var firmware) = activity,
            let chunk = try? StreamChunk(decoding: value)
        else { return }
        let request = UpdateRequest.chunk(
            session: firmware.update.sessionID, offset: chunk.offset, data: chunk.data)
        // The link is down then, or silent.
        let strike = strike(at: request, of: firmware)
        guard (try? suffer(before: strike)) != nil, (try? interrupt(request, in: &firmware)) != nil else { return }
        let reply = firmware.update.answer(request, newSession: 0, at: time, flash: &flash)
        activity = .running(firmware)
        noticePowerLoss()
        guard strike != .replyLost, (try? suffer(after: strike)) != nil else { return }
        tell(about: reply)
        if strike == .replyTwice { tellCredit() }
    }

    private var hasStream: Bool {
        !configuration.faults.contains(.securityTwo) && configuration.capabilities.contains(.updateStream)
    }

    /// Where chunks are wanted and the peer listens.
    mutating func tellCredit() {
        guard link?.stream != nil, case .running(let firmware) = activity,
            case .open(let session) = firmware.update.phase, session.stage == .receiving
        else { return }
        var flow = flow(of: session.id)
        flow.creditEnd = max(flow.creditEnd, creditEnd(after: UInt32(session.received), of: session))
        notify(
            StreamCredit(
                session: session.id, state: .receiving, nextOffset: UInt32(session.received),
                creditEnd: flow.creditEnd), flow)
    }

    /// Once the slot is erased, the first credit comes by itself.
    mutating func tellFirstCredit() {
        guard let flow = link?.stream, case .running(let firmware) = activity,
            case .open(let session) = firmware.update.phase, session.stage == .receiving, flow.session != session.id
        else { return }
        tellCredit()
    }

    private mutating func tell(about reply: UpdateReply) {
        guard link?.stream != nil else { return }
        var flow = flow(of: reply.session)
        if reply.refusal == .wrongOffset {
            guard flow.gap != reply.nextOffset else { return }
            flow.gap = reply.nextOffset
            return notify(credit(reply, end: flow.creditEnd), flow)
        }
        guard reply.refusal == nil, case .running(let firmware) = activity,
            case .open(let session) = firmware.update.phase
        else { return notify(credit(reply, end: flow.creditEnd), flow) }
        flow.gap = nil
        let left = flow.creditEnd - min(flow.creditEnd, reply.nextOffset)
        guard left <= configuration.streamWindow / 2 || Int(reply.nextOffset) == session.size else {
            link?.stream = flow
            return
        }
        flow.creditEnd = max(flow.creditEnd, creditEnd(after: reply.nextOffset, of: session))
        notify(credit(reply, end: flow.creditEnd), flow)
    }

    private func flow(of session: UInt32) -> StreamFlow {
        guard let flow = link?.stream, flow.session == session else { return StreamFlow(session: session) }
        return flow
    }

    private func creditEnd(after offset: UInt32, of session: UpdateSession) -> UInt32 {
        min(UInt32(session.size), offset + configuration.streamWindow)
    }

    private func credit(_ reply: UpdateReply, end: UInt32) -> StreamCredit {
        StreamCredit(
            session: reply.session, state: reply.state, nextOffset: reply.nextOffset, creditEnd: end,
            refusal: reply.refusal, deviceError: reply.deviceError)
    }

    private mutating func notify(_ credit: StreamCredit, _ flow: StreamFlow) {
        link?.stream = flow
        effects.append(.notification(.updateStream, credit.encoded()))
    }
}
