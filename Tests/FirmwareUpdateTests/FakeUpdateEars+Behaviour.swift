import ControlProtocol
import Firmware

extension FakeUpdateEars.State {
    // MARK: Time

    mutating func advance(to now: Duration, _ image: SoundImage) {
        let age = now - since
        switch update {
        case .erasing where age >= FakeUpdateEars.eraseTime && !faults.contains(.eraseNeverEnds): update = .receiving
        case .verifying where age >= FakeUpdateEars.verifyTime && !faults.contains(.verifyNeverEnds):
            judge(image, at: now)
        case .accepted where age >= FakeUpdateEars.verifyTime: select()
        default: break
        }
        if running == 1 { advanceTrial(age, to: now) }
    }

    private mutating func advanceTrial(_ age: Duration, to now: Duration) {
        if faults.contains(.crashesOnTrial) { return rollBack() }
        if slots[1].otaState == .pendingVerify, age >= FakeUpdateEars.trialTime, !faults.contains(.neverConfirms) {
            slots[1].otaState = .valid
        } else if slots[1].otaState == .valid, restlessLeft > 0 {
            restlessLeft -= 1
            bootCount += 1
        }
    }

    private mutating func judge(_ image: SoundImage, at now: Duration) {
        since = now
        let isWhole = (try? image.bytes(in: 0..<image.size)) == received
        guard isWhole, !faults.contains(.imageRefused) else {
            update = .failed
            refusal = isWhole ? .imageInvalid : .hashMismatch
            deviceError = 0x1503
            return
        }
        slots[1].imageDigest = image.imageDigest
        slots[1].version = image.version
        slots[1].project = "espurr-s3"
        update = .accepted
    }

    private mutating func select() {
        update = .selected
        if faults.contains(.selectsNothing) { return }
        selected = 1
        slots[1].otaState = faults.contains(.noRollback) ? .undefined : .new
    }

    /// A session dies with its link.
    mutating func linkEnded() {
        session = 0
        received = []
        refusal = nil
        update = selected == running ? .idle : .selected
    }

    mutating func boot(at now: Duration, _ image: SoundImage) {
        linkEnded()
        bootCount += 1
        isGone = faults.contains(.neverComesBack)
        isInRecovery = faults.contains(.recoversAgain)
        update = .idle
        guard selected == 1 else { return }
        if faults.contains(.bootFails) { return rollBack() }
        running = 1
        since = now
        if !faults.contains(.noRollback) { slots[1].otaState = .pendingVerify }
    }

    private mutating func rollBack() {
        running = 0
        selected = 0
        bootCount += 1
        slots[1].otaState = .aborted
    }

    mutating func linkDrops(on request: UpdateRequest, _ image: SoundImage) -> Bool {
        if running == 1, mayDropOnTrial {
            mayDropOnTrial = false
            return true
        }
        guard case .chunk(_, let offset, let data) = request else { return false }
        for case .linkDrops(let percent) in faults where Int(offset) + data.count > image.size * percent / 100 {
            faults.remove(.linkDrops(atPercent: percent))
            return true
        }
        return false
    }

    // MARK: Requests

    mutating func answer(_ request: UpdateRequest, at now: Duration) -> UpdateReply {
        for case .refuses(let kind, let reason, let code) in faults where kind.matches(request) {
            return reply(to: request, refusing: reason, code)
        }
        switch request {
        case .status: return reply(to: request, refusing: refusal, deviceError)
        case .begin(let size, let sha256, let family, let version):
            begins.append((family, version))
            guard session == 0 || update == .selected else { return reply(to: request, refusing: .sessionOpen) }
            begin(size, sha256, at: now)
        case .chunk(let id, let offset, let data):
            if faults.contains(.sessionForgotten), offset > 0 { linkEnded() }
            guard id == session, id != 0 else { return reply(to: request, refusing: .wrongSession) }
            guard busyLeft == 0 else {
                busyLeft -= 1
                return reply(to: request, refusing: .busy)
            }
            if Int(offset) < received.count { break }
            guard offset == received.count else { return reply(to: request, refusing: .wrongOffset) }
            received += data
            if faults.contains(.asksAhead) { received += [0] }
            if faults.contains(.goesBack), offset > 0 { received.removeLast(min(received.count, 2 * data.count)) }
            for case .busy(let times) in faults { busyLeft = times }
        case .finish(let id):
            guard id == session else { return reply(to: request, refusing: .wrongSession) }
            if update == .receiving {
                update = .verifying
                since = now
            }
        case .abort(let id):
            guard session != 0 else { break }
            guard id == session else { return reply(to: request, refusing: .wrongSession) }
            guard update != .selected else { return reply(to: request, refusing: .wrongState) }
            linkEnded()
        case .restart: break
        }
        return reply(to: request, refusing: nil)
    }

    private mutating func begin(_ size: UInt32, _ sha256: [UInt8], at now: Duration) {
        lastSession += 1
        session = lastSession
        (self.size, self.sha256, received) = (size, sha256, [])
        selected = running
        slots[1].imageDigest = []
        slots[1].otaState = .undefined
        update = .erasing
        since = now
        for case .busy(let times) in faults { busyLeft = times }
    }

    private func reply(
        to request: UpdateRequest, refusing refusal: UpdateRefusal?, _ code: UInt32 = 0
    ) -> UpdateReply {
        UpdateReply(
            session: session, state: update, nextOffset: UInt32(received.count), refusal: refusal, deviceError: code,
            silenceLimit: 30_000, status: request == .status ? status : nil)
    }

    private var status: UpdateStatus {
        UpdateStatus(
            runningSlot: running, selectedSlot: selected, slots: slots, bootCount: bootCount, resetReason: .software,
            batteryPercent: nil, batteryPercentNeeded: 0, sessionSize: session == 0 ? 0 : size,
            sessionSHA256: session == 0 ? [] : sha256, hasRollback: !faults.contains(.noRollback))
    }
}

extension RequestKind {
    fileprivate func matches(_ request: UpdateRequest) -> Bool {
        switch (self, request) {
        case (.status, .status), (.begin, .begin), (.chunk, .chunk), (.finish, .finish), (.abort, .abort),
            (.restart, .restart):
            true
        default: false
        }
    }
}
