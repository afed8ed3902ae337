import ControlProtocol

/// From a request's bytes to its reply's.
extension SimulatedEars {
    /// Nil where the reply before is the one that stays readable.
    mutating func answer(_ request: [UInt8], at endpoint: EndpointName) throws(GATTFailure) -> [UInt8]? {
        guard case .running(let firmware) = activity else { throw .notConnected }
        if endpoint == .version { return versionDocument(of: firmware).encoded() }
        // Such firmware wants its own handshake first, which is not ours to simulate.
        guard !configuration.faults.contains(.securityTwo) else { throw .attribute(.handlerFailed) }
        do {
            switch endpoint {
            case .version: return versionDocument(of: firmware).encoded()
            case .session: return try session(SecurityZeroMessage(decoding: request)).encoded()
            case .control: return try control(LocalControlRequest(decoding: request), firmware).encoded()
            case .updateStream: throw GATTFailure.attribute(.writeNotPermitted)
            case .update: return try update(UpdateRequest(decoding: request), firmware)?.encoded()
            case .audio: return try audio(AudioRequest(decoding: request), firmware).encoded()
            }
        } catch let failure as GATTFailure {
            throw failure
        } catch {
            throw .attribute(.handlerFailed)
        }
    }

    private func versionDocument(of firmware: Firmware) -> VersionDocument {
        VersionDocument(firmware.ears.configuration, firmware.control.properties(at: time))
    }

    /// Security 0 encrypts nothing, and nothing asks for it first.
    private func session(_ message: SecurityZeroMessage) throws(GATTFailure) -> SecurityZeroMessage {
        guard message == .command else { throw .attribute(.handlerFailed) }
        return .response(status: .success)
    }

    private mutating func control(
        _ request: LocalControlRequest, _ firmware: Firmware
    ) throws(GATTFailure) -> LocalControlResponse {
        if case .setPropertyValues = request {
            if spendFault(.dropAtChange) {
                dropLink()
                throw .linkLost
            }
            if spendFault(.loseChangeReply) { link?.dropsOnRead = true }
        }
        var firmware = firmware
        let response = firmware.control.answer(request, at: time)
        activity = .running(firmware)
        return response
    }

    /// Not 0, and not the one before.
    private mutating func newSession(after last: UInt32) -> UInt32 {
        let session = UInt32.random(in: 1..<UInt32.max, using: &generator)
        return session == last ? session + 1 : session
    }

    private mutating func update(_ request: UpdateRequest, _ firmware: Firmware) throws(GATTFailure) -> UpdateReply? {
        var firmware = firmware
        let strike = strike(at: request, of: firmware)
        try suffer(before: strike)
        try interrupt(request, in: &firmware)
        let reply = firmware.update.answer(
            request, newSession: newSession(after: firmware.update.lastSession), at: time, flash: &flash)
        if request == .restart, reply.refusal == nil, !configuration.faults.contains(.restartIgnored) {
            firmware.restartsAt = time + configuration.timing.restartDelay
        }
        if firmware.update.isOpen { firmware.audio.end() }
        activity = .running(firmware)
        noticePowerLoss()
        if reply.state == .selected { losePowerWhenSelected() }
        guard link != nil else { throw .linkLost }
        if request == .status { tellCredit() }
        loseReply(to: request, reply)
        return try suffer(after: strike) ? reply : nil
    }

    private mutating func audio(_ request: AudioRequest, _ firmware: Firmware) throws(GATTFailure) -> AudioReply {
        var firmware = firmware
        let reply = firmware.audio.answer(request, isBusy: firmware.update.isOpen, at: time)
        activity = .running(firmware)
        try interrupt(request, reply, of: firmware.audio.session)
        return reply
    }
}
