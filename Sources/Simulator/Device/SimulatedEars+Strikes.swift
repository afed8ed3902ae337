import ControlProtocol

/// Faults that strike one request of an update.
extension SimulatedEars {
    /// What strikes this request, if anything does; each strikes once.
    mutating func strike(at request: UpdateRequest, of firmware: Firmware) -> Strike.Kind? {
        guard let stage = stage(of: request, firmware) else { return nil }
        for case .strike(let strike) in configuration.faults where strike.stage == stage {
            if spendFault(.strike(strike)) { return strike.kind }
        }
        return nil
    }

    /// What keeps a request from its effect.
    mutating func suffer(before kind: Strike.Kind?) throws(GATTFailure) {
        switch kind {
        case .requestLost:
            link?.isSilent = true
            throw .noAnswer
        case .linkDropped:
            dropLink()
            throw .linkLost
        case .powerLostBefore:
            pullBattery()
            throw .linkLost
        case .replyLost, .replyTwice, .powerLostAfter, .stall, nil: return
        }
    }

    /// What becomes of a reply that is ready; false: it is not there to be read.
    mutating func suffer(after kind: Strike.Kind?) throws(GATTFailure) -> Bool {
        switch kind {
        case .replyLost: link?.dropsOnRead = true
        case .replyTwice: return false
        case .stall: link?.isSilent = true
        case .powerLostAfter:
            pullBattery()
            throw .linkLost
        case .requestLost, .linkDropped, .powerLostBefore, nil: break
        }
        return true
    }

    private mutating func stage(of request: UpdateRequest, _ firmware: Firmware) -> Strike.Stage? {
        switch request {
        case .begin: return .erasing
        case .chunk(_, let offset, let data):
            guard case .open(let session) = firmware.update.phase else { return nil }
            return 2 * (Int(offset) + data.count) > session.size ? .sending : nil
        case .finish: return .verifying
        case .restart: return .restarting
        case .abort: return nil
        case .status: return stageOfStatus()
        }
    }

    private mutating func stageOfStatus() -> Strike.Stage? {
        guard let statuses = statusesSinceRestart else { return .opening }
        statusesSinceRestart = statuses + 1
        return statuses == 0 ? .reconnecting : statuses == 1 ? .watching : nil
    }
}
