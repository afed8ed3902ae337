import ControlProtocol

/// The update endpoint of application protocol 2 (`Protocol/espurr_update.proto`), on a slot of real flash.
///
/// The slot that is written to is never the one that runs, nor one that otadata selects: if it is selected, that is
/// undone first. So whatever interrupts an upload, the boot loader takes the firmware that runs now.
struct UpdateEndpoint: Sendable {
    enum Phase: Hashable, Sendable {
        case idle
        case open(UpdateSession)
        /// The session's last word, until the next one or the link's end.
        case failed(session: UInt32, received: Int, UpdateRefusal, deviceError: UInt32)
        case selected(session: UInt32, received: Int)
    }

    let ears: RunningEars
    private(set) var phase = Phase.idle
    /// 0: there was none since the boot.
    private(set) var lastSession: UInt32 = 0
    /// Makes the next programming of flash fail.
    var failsNextChunk = false
    var readings = SlotReadings()

    init(ears: RunningEars) { self.ears = ears }

    var nextDeadline: Duration? {
        guard case .open(let session) = phase else { return nil }
        return min(session.nextDeadline ?? silenceEnd(of: session), silenceEnd(of: session))
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }

    private func silenceEnd(of session: UpdateSession) -> Duration {
        session.lastRequest + ears.configuration.timing.silenceLimit
    }

    /// A session dies with its link.
    mutating func linkEnded() {
        if case .selected(_, let received) = phase {
            phase = .selected(session: 0, received: received)
        } else {
            phase = .idle
        }
    }

    // MARK: Time

    mutating func advance(to now: Duration, flash: inout Flash) {
        guard case .open(var session) = phase else { return }
        switch session.stage {
        case .erasing(let erase): session.stage = erased(erase, at: now, flash: &flash)
        case .receiving: break
        case .verifying(let until):
            if let until, until <= now { return judge(session, at: now, flash: flash) }
        case .accepted(let until):
            if until <= now { return select(session, flash: &flash) }
        }
        phase = silenceEnd(of: session) <= now ? .idle : .open(session)
    }

    private mutating func erased(
        _ erase: UpdateSession.Erase, at now: Duration, flash: inout Flash
    ) -> UpdateSession.Stage {
        var erase = erase
        while erase.done < erase.due(at: now) {
            flash.eraseSector(at: ears.target.offset + erase.done * Flash.sectorSize)
            erase.done += 1
        }
        readings.forget(slot: ears.targetSlot)
        return erase.done == erase.sectors ? .receiving : .erasing(erase)
    }

    private mutating func judge(_ session: UpdateSession, at now: Duration, flash: Flash) {
        let start = ears.target.offset
        guard flash.sha256(of: start..<start + session.size) == session.sha256 else {
            return fail(session, .hashMismatch, deviceError: 0)
        }
        if let code = ears.configuration.imageRefusalCode { return fail(session, .imageInvalid, deviceError: code) }
        guard (try? ears.verifier.verify(flash, in: ears.target)) != nil else {
            return fail(session, .imageInvalid, deviceError: DeviceError.validationFailed)
        }
        var session = session
        session.stage = .accepted(until: now + ears.configuration.timing.select)
        phase = .open(session)
    }

    private mutating func select(_ session: UpdateSession, flash: inout Flash) {
        var otaData = ears.otaData(in: flash)
        let state = ears.configuration.hasRollback ? OTAData.State.new : OTAData.State.undefined
        otaData.select(slot: ears.targetSlot, of: ears.slots.count, state: state, in: &flash)
        phase = .selected(session: session.id, received: session.received)
    }

    private mutating func fail(_ session: UpdateSession, _ refusal: UpdateRefusal, deviceError: UInt32) {
        phase = .failed(session: session.id, received: session.received, refusal, deviceError: deviceError)
    }

    // MARK: Requests

    /// - Parameter newSession: the id for the session that `begin` would open; not 0.
    mutating func answer(
        _ request: UpdateRequest, newSession: UInt32, at now: Duration, flash: inout Flash
    ) -> UpdateReply {
        advance(to: now, flash: &flash)
        if case .open(var session) = phase {
            session.lastRequest = now
            phase = .open(session)
        }
        let refused =
            switch request {
            case .status: standingRefusal
            case .begin(let size, let sha256, let family, let version):
                begin(size, sha256, family, version, id: newSession, at: now, flash: &flash)
            case .chunk(let id, let offset, let data): chunk(id, Int(offset), data, flash: &flash)
            case .finish(let id): finish(id, at: now)
            case .abort(let id): abort(id)
            case .restart: restart(flash)
            }
        return reply(refused, with: request == .status ? status(flash) : nil, flash)
    }

    /// Why the session failed stays readable.
    private var standingRefusal: Refused? {
        guard case .failed(_, _, let refusal, let deviceError) = phase else { return nil }
        return Refused(refusal, deviceError: deviceError)
    }

    private mutating func begin(
        _ size: UInt32, _ sha256: [UInt8], _ family: String, _ version: String, id: UInt32, at now: Duration,
        flash: inout Flash
    ) -> Refused? {
        guard size > 0, sha256.count == 32, (1...31).contains(version.utf8.count) else { return Refused(.malformed) }
        if case .open = phase { return Refused(.sessionOpen, deviceError: DeviceError.alreadyInProgress) }
        if !ears.isInRecovery, ears.otaState(ofSlot: ears.runningSlot, in: flash) == .pendingVerify {
            return Refused(.trialPending, deviceError: DeviceError.runningImagePending)
        }
        guard family == ears.family else { return Refused(.wrongFamily) }
        guard size <= ears.target.size else { return Refused(.tooLarge) }
        if let battery = ears.configuration.battery, battery.percent < battery.percentNeededForUpdate {
            return Refused(.batteryLow)
        }
        deselect(in: &flash)
        let sectors = (Int(size) + Flash.sectorSize - 1) / Flash.sectorSize
        let erase = UpdateSession.Erase(
            began: now, sectors: sectors, sectorTime: ears.configuration.sectorEraseTime(sectors: sectors))
        lastSession = id
        phase = .open(
            UpdateSession(id: id, size: Int(size), sha256: sha256, stage: .erasing(erase), lastRequest: now))
        return nil
    }

    /// Whatever becomes of the target slot, otadata does not mean it.
    private func deselect(in flash: inout Flash) {
        var otaData = ears.otaData(in: flash)
        guard let active = otaData.active else { return }
        guard otaData.entries[active]?.slot(of: ears.slots.count) == ears.targetSlot else { return }
        otaData.write(nil, at: active, to: &flash)
    }

    private mutating func chunk(_ id: UInt32, _ offset: Int, _ data: [UInt8], flash: inout Flash) -> Refused? {
        guard id == sessionID, id != 0 else { return Refused(.wrongSession) }
        guard case .open(var session) = phase else { return Refused(.wrongState) }
        guard session.stage == .receiving else { return Refused(.busy) }
        guard !data.isEmpty else { return Refused(.malformed) }
        guard offset + data.count <= session.size else { return Refused(.tooLarge) }
        let start = ears.target.offset + offset
        if offset + data.count <= session.received {
            let isRepeat = flash.read(start..<start + data.count) == data
            return isRepeat ? nil : Refused(.wrongOffset)
        }
        guard offset == session.received else { return Refused(.wrongOffset) }
        if offset == 0, data[0] != ImageVerifier.magic {
            return failing(session, .imageInvalid, DeviceError.validationFailed)
        }
        if failsNextChunk { return failing(session, .flashError, DeviceError.flashOperationFailed) }
        flash.program(data, at: start)
        readings.forget(slot: ears.targetSlot)
        session.received += data.count
        phase = .open(session)
        return nil
    }

    private mutating func failing(
        _ session: UpdateSession, _ refusal: UpdateRefusal, _ deviceError: UInt32
    ) -> Refused? {
        failsNextChunk = false
        fail(session, refusal, deviceError: deviceError)
        return Refused(refusal, deviceError: deviceError)
    }

    private mutating func finish(_ id: UInt32, at now: Duration) -> Refused? {
        guard id == sessionID, id != 0 else { return Refused(.wrongSession) }
        switch phase {
        case .open(var session):
            switch session.stage {
            case .erasing: return Refused(.busy)
            case .receiving: break
            case .verifying, .accepted: return nil
            }
            guard session.received == session.size else { return Refused(.incomplete) }
            let hangs = ears.configuration.faults.contains(.verifyHangs)
            session.stage = .verifying(until: hangs ? nil : now + ears.configuration.timing.verify)
            phase = .open(session)
            return nil
        case .failed: return standingRefusal
        case .selected: return nil
        case .idle: return Refused(.wrongState)
        }
    }

    /// Idempotent: a session that is gone stays gone. What is selected stays selected.
    private mutating func abort(_ id: UInt32) -> Refused? {
        switch phase {
        case .open(let session):
            guard session.id == id else { return Refused(.wrongSession) }
            phase = .idle
        case .failed(let session, _, _, _) where session == id: phase = .idle
        case .selected(let session, _) where session == id && id != 0: return Refused(.wrongState)
        case .idle, .failed, .selected: break
        }
        return nil
    }

    private func restart(_ flash: Flash) -> Refused? {
        guard case .open(let session) = phase else {
            let leadsNowhere = ears.isInRecovery && !ears.isBootable(flash)
            return leadsNowhere ? Refused(.wrongState, deviceError: DeviceError.validationFailed) : nil
        }
        return Refused(session.stage == .receiving ? .wrongState : .busy)
    }
}
