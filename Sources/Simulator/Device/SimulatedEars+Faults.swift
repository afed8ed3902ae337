import ControlProtocol

/// The faults that strike in the middle of an upload, each once.
extension SimulatedEars {
    /// What is to go wrong at this request goes wrong, or is prepared to.
    mutating func interrupt(_ request: UpdateRequest, in firmware: inout Firmware) throws(GATTFailure) {
        guard case .chunk(_, let offset, let data) = request, case .open(let session) = firmware.update.phase else {
            return
        }
        let end = Int(offset) + data.count
        for fault in configuration.faults where fault.strikes(at: end, of: session.size) {
            guard spentFaults.insert(fault).inserted else { continue }
            switch fault {
            case .dropAt:
                dropLink()
                throw .linkLost
            case .silentAt:
                link?.isSilent = true
                throw .noAnswer
            case .powerLossAt: flash.operationsUntilPowerLoss = 1
            case .flashErrorAt: firmware.update.failsNextChunk = true
            default: break
            }
        }
    }

    /// A link that goes down, or ears that fall silent, in the middle of a sound that is read.
    mutating func interrupt(
        _ request: AudioRequest, _ reply: AudioReply, of session: AudioSession?
    ) throws(GATTFailure) {
        guard case .read = request, let session, let data = reply.data, reply.refusal == nil else { return }
        let end = Int(data.offset) + data.data.count
        for fault in configuration.faults
        where fault.strikes(at: end, of: session.totalBlocks * AudioSession.blockBytes) {
            guard fault.isOfLink, spentFaults.insert(fault).inserted else { continue }
            guard case .silentAt = fault else {
                dropLink()
                throw .linkLost
            }
            link?.isSilent = true
            throw .noAnswer
        }
    }

    /// The request was carried out; its reply may be lost all the same.
    mutating func loseReply(to request: UpdateRequest, _ reply: UpdateReply) {
        let isLast = reply.state == .selected && spendFault(.loseLastReply)
        if isLast || spendFault(.loseReply(request.kind)) { link?.dropsOnRead = true }
    }

    mutating func losePowerWhenSelected() {
        let time: Duration? = configuration.faults.firstValue {
            if case .powerLossWhenSelected(let time) = $0 { time } else { nil }
        }
        if let time, spendFault(.powerLossWhenSelected(for: time)) { pullBattery(for: time) }
    }

    /// True once, where the ears have the fault.
    mutating func spendFault(_ fault: Fault) -> Bool {
        configuration.faults.contains(fault) && spentFaults.insert(fault).inserted
    }
}

extension Fault {
    fileprivate var isOfLink: Bool {
        switch self {
        case .dropAt, .silentAt: true
        default: false
        }
    }

    /// Whether a chunk that ends there passes the fault's share; every chunk passes 0 %, the last one 100 %.
    fileprivate func strikes(at end: Int, of size: Int) -> Bool {
        switch self {
        case .dropAt(let percent), .silentAt(let percent), .powerLossAt(let percent), .flashErrorAt(let percent):
            end * 100 > percent * size || end == size
        default: false
        }
    }
}

extension UpdateRequest {
    var kind: UpdateRequestKind {
        switch self {
        case .status: .status
        case .begin: .begin
        case .chunk: .chunk
        case .finish: .finish
        case .abort: .abort
        case .restart: .restart
        }
    }
}
