import ControlProtocol
import Testing

@testable import Simulator

@Suite struct FaultTests {
    private static let new = TestImage.ears(TestImage.newVersion)

    // MARK: How they are asked for

    @Test(arguments: [
        ("drop-at=70%", Fault.dropAt(percent: 70)), ("drop-at=0", .dropAt(percent: 0)),
        ("silent-at=99%", .silentAt(percent: 99)), ("power-loss-at=100%", .powerLossAt(percent: 100)),
        ("power-loss-when-selected=40s", .powerLossWhenSelected(for: .seconds(40))),
        ("lose-reply=finish", .loseReply(.finish)), ("lose-last-reply", .loseLastReply),
        ("refuse-image", .refuseImage(deviceError: 0x1503)), ("refuse-image=0x1508", .refuseImage(deviceError: 0x1508)),
        ("flash-error-at=50%", .flashErrorAt(percent: 50)), ("slow-erase=30s", .slowErase(.seconds(30))),
        ("erase-hangs", .eraseHangs), ("verify-hangs", .verifyHangs), ("restart-ignored", .restartIgnored),
        ("boot-fails", .bootFails(after: .zero)), ("boot-fails=300ms", .bootFails(after: .milliseconds(300))),
        ("never-confirms", .neverConfirms), ("slow-confirm=20s", .slowConfirm(.seconds(20))),
        ("no-rollback", .noRollback), ("save-fails", .saveFails), ("slow-save=2s", .slowSave(.seconds(2))),
        ("stale-bond", .staleBond), ("keeps-bond", .keepsBond), ("just-works", .justWorks), ("no-click", .noClick),
        ("security-2", .securityTwo),
        ("protocol=3", .applicationProtocol(3)), ("small-slot=512K", .smallSlot(size: 512 << 10)),
        ("battery=10", .battery(percent: 10)), ("without=motion", .without(.motion)),
        ("mtu=23", .maximumTransferUnit(23)), ("without=audio-recording", .without(.audioRecording)),
        ("drop-audio-blocks=12", .dropAudioBlocks(12)), ("stall-audio-at=50%", .stallAudioAt(percent: 50)),
        ("fail-audio-at=0", .failAudioAt(percent: 0)), ("refuse-audio=memory", .refuseAudio(.memory)),
        ("microphone=dead", .microphone(.dead)),
    ])
    func `a fault is read from its name and value`(text: String, fault: Fault) throws {
        #expect(try Fault(parsing: text) == fault)
    }

    @Test(arguments: FaultName.allCases)
    func `every fault can be asked for, and is explained`(name: FaultName) {
        let text =
            switch name.valueSyntax {
            case nil: name.rawValue
            case "PERCENT": "\(name.rawValue)=50%"
            case "DURATION", "[DURATION]": "\(name.rawValue)=1s"
            case "NUMBER", "[CODE]": "\(name.rawValue)=3"
            case "[REASON]": "\(name.rawValue)=no-space"
            case "STAGE:KIND": "\(name.rawValue)=sending:stall"
            case "BYTES": "\(name.rawValue)=\(name == .smallSlot ? "64K" : "100")"
            case .some(let choices): "\(name.rawValue)=\(choices.prefix { $0 != "|" })"
            }
        #expect((try? Fault(parsing: text)) != nil)
        #expect(!name.explanation.isEmpty)
    }

    @Test(arguments: [
        ("drop", FaultSyntaxError.unknownName("drop")), ("", .unknownName("")),
        ("drop-at", .valueMissing(.dropAt)), ("stale-bond=1", .valueUnexpected(.staleBond)),
        ("drop-at=101%", .valueInvalid(.dropAt, value: "101%")), ("drop-at=", .valueInvalid(.dropAt, value: "")),
        ("slow-erase=30", .valueInvalid(.slowErase, value: "30")),
        ("slow-erase=99999999s", .valueInvalid(.slowErase, value: "99999999s")),
        ("small-slot=100", .valueInvalid(.smallSlot, value: "100")),
        ("small-slot=9999999999999999M", .valueInvalid(.smallSlot, value: "9999999999999999M")),
        ("mtu=22", .valueInvalid(.maximumTransferUnit, value: "22")),
        ("lose-reply=all", .valueInvalid(.loseReply, value: "all")),
        ("protocol=-1", .valueInvalid(.applicationProtocol, value: "-1")),
    ])
    func `what is no fault is said to be none`(text: String, error: FaultSyntaxError) {
        #expect(throws: error) { try Fault(parsing: text) }
    }

    // MARK: What they do

    @Test(arguments: [0, 50, 99, 100])
    func `the link drops once at its share, and the next attempt goes through`(percent: Int) throws {
        var link = TestLink([.dropAt(percent: percent)])
        #expect(throws: GATTFailure.linkLost) { try link.send(Self.new) }
        link.wait(.zero)
        #expect(link.effects.last == .linkDropped)
        link.connect()
        #expect(try link.update(.status).state == .idle)
        #expect(try link.install(Self.new).state == .selected)
    }

    @Test func `ears that fall silent answer nothing on that link, and everything on the next`() throws {
        var link = TestLink([.silentAt(percent: 50)])
        #expect(throws: GATTFailure.noAnswer) { try link.send(Self.new) }
        #expect(throws: GATTFailure.noAnswer) { try link.update(.status) }
        link.ears.disconnect(at: link.now)
        link.connect()
        #expect(try link.install(Self.new).state == .selected)
    }

    @Test(arguments: [UpdateRequestKind.begin, .abort, .status, .restart])
    func `a lost reply comes with the link's end, once, and the request took effect`(kind: UpdateRequestKind) throws {
        var link = TestLink([.loseReply(kind)])
        let boots = link.ears.memory.bootCount
        let request: UpdateRequest? =
            switch kind {
            case .status: .status
            case .restart: .restart
            case .abort: .abort(session: 9)
            case .begin, .chunk, .finish: nil
            }
        #expect(throws: GATTFailure.linkLost) {
            if let request { try link.update(request) } else { try link.begin(Self.new) }
        }
        link.wait(.seconds(2))
        link.connect()
        #expect(try link.update(.status).state == .idle)
        #expect(link.ears.memory.bootCount == boots + (kind == .restart ? 1 : 0))
    }

    @Test func `the last reply is lost after the new image is selected`() throws {
        var link = TestLink([.loseLastReply])
        #expect(throws: GATTFailure.linkLost) { try link.install(Self.new) }
        link.connect()
        #expect(try link.update(.status).state == .selected)
        #expect(try link.status().selectedSlot == 1)
    }

    @Test func `power is lost as the new image is selected, comes back when asked for, and the image is confirmed`()
        throws
    {
        var link = TestLink([.powerLossWhenSelected(for: .seconds(40))])
        #expect(throws: GATTFailure.linkLost) { try link.install(Self.new) }
        link.wait(.seconds(39))
        #expect(link.ears.advertisement == nil)
        link.wait(.seconds(5))
        link.connect()
        let status = try link.status()
        #expect(status.runningSlot == 1)
        #expect(status.slots[1].otaState == .valid)
        #expect(try link.install(Self.new).state == .selected)
    }

    @Test func `the ears refuse the image with the code that was asked for`() throws {
        var link = TestLink([.refuseImage(deviceError: 0x1508)])
        let reply = try link.install(Self.new)
        #expect(reply.state == .failed)
        #expect(reply.refusal == .imageInvalid)
        #expect(reply.deviceError == 0x1508)
    }

    @Test func `a flash error fails the session, once`() throws {
        var link = TestLink([.flashErrorAt(percent: 50)])
        #expect(throws: TestLink.Refused(refusal: .flashError, deviceError: 0x6001)) { try link.send(Self.new) }
        #expect(try link.update(.status).refusal == .flashError)
        #expect(try link.install(Self.new).state == .selected)
    }

    @Test func `erasing takes as long as asked for, or for ever`() throws {
        var slow = TestLink([.slowErase(.seconds(10))])
        _ = try slow.begin(Self.new)
        slow.wait(.milliseconds(9_999))
        #expect(try slow.update(.status).state == .erasing)
        slow.wait(.milliseconds(1))
        #expect(try slow.update(.status).state == .receiving)
        var hanging = TestLink([.eraseHangs])
        let session = try hanging.begin(Self.new).session
        for _ in 0..<10 {
            hanging.wait(.seconds(20))
            #expect(try hanging.update(.status).state == .erasing)
        }
        #expect(try hanging.update(.abort(session: session)).state == .idle)
    }

    @Test func `a check that hangs can be aborted`() throws {
        var link = TestLink([.verifyHangs])
        let session = try link.send(Self.new)
        _ = try link.update(.finish(session: session))
        link.wait(.seconds(20))
        #expect(try link.update(.status).state == .verifying)
        #expect(try link.update(.abort(session: session)).state == .idle)
    }

    @Test func `an ignored restart is acknowledged, and the boot count stays`() throws {
        var link = TestLink([.restartIgnored])
        _ = try link.install(Self.new)
        let before = try link.status()
        #expect(try link.update(.restart).refusal == nil)
        link.wait(.seconds(10))
        #expect(try link.status() == before)
    }

    @Test(arguments: [Duration.zero, .milliseconds(500)])
    func `new firmware that panics is rolled back`(after: Duration) throws {
        var link = TestLink([.bootFails(after: after)])
        _ = try link.install(Self.new)
        let boots = try link.status().bootCount
        try link.restart(waiting: .seconds(5))
        let status = try link.status()
        #expect(status.runningSlot == 0)
        #expect(status.slots.map(\.otaState) == [.valid, .aborted])
        #expect(status.resetReason == .panic)
        #expect(status.bootCount == boots + (after == .zero ? 1 : 2))
    }

    @Test func `new firmware that panics without rollback never comes back`() throws {
        var link = TestLink([.bootFails(after: .zero), .noRollback])
        _ = try link.install(Self.new)
        try link.restart(waiting: .seconds(60))
        #expect(link.ears.advertisement == nil)
        #expect(throws: GATTFailure.notConnected) { try link.update(.status) }
    }

    @Test func `without rollback there is no trial`() throws {
        var link = TestLink([.noRollback])
        _ = try link.install(Self.new)
        try link.restart(waiting: .seconds(10))
        let status = try link.status()
        #expect(!status.hasRollback)
        #expect(status.runningSlot == 1)
        #expect(status.slots[1].otaState == .undefined)
    }

    @Test func `firmware that never confirms stays on trial and is rolled back by the next boot`() throws {
        var link = TestLink([.neverConfirms])
        _ = try link.install(Self.new)
        try link.restart()
        link.wait(.seconds(600))
        #expect(try link.status().slots[1].otaState == .pendingVerify)
        try link.restart()
        let status = try link.status()
        #expect(status.runningSlot == 0)
        #expect(status.slots[1].otaState == .aborted)
    }

    @Test func `a small second slot refuses what does not fit`() throws {
        var link = TestLink([.smallSlot(size: 8192)])
        #expect(try link.status().slots.map(\.capacity) == [1700 << 10, 8192])
        #expect(try link.begin([UInt8](repeating: 0, count: 8193)).refusal == .tooLarge)
        #expect(try link.begin([UInt8](repeating: 0, count: 8192)).refusal == nil)
    }

    @Test func `a stale bond: the ears forgot, a saved one of the host is unknown`() {
        let memory: RetainedMemory = {
            var memory = RetainedMemory()
            memory.bonds.add(BondKey(bytes: [1]), of: TestLink.peer)
            return memory
        }()
        let configuration = EarsConfiguration(
            family: .esp32, address: "C0:FF:EE:00:AB:CD", faults: [.staleBond], seed: 1)
        let ears = SimulatedEars(configuration: configuration, flash: TestImage.flash([]), memory: memory)
        #expect(ears.memory.bonds.all == [])
    }

    @Test func `Just Works makes a bond without digits and without a click`() {
        var link = TestLink([.justWorks])
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: "02:00:00:00:00:02", at: link.now)
        _ = link.ears.advance(to: link.now)
        link.ears.requestPairing(at: link.now)
        let effects = link.ears.advance(to: link.now)
        #expect(effects.count == 1)
        guard case .pairing(.bonded) = effects.first else {
            Issue.record("no bond: \(effects)")
            return
        }
    }

    @Test func `nobody clicks: no bond`() {
        var link = TestLink([.noClick])
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: "02:00:00:00:00:02", at: link.now)
        link.ears.clickButton(at: link.now)
        link.ears.requestPairing(at: link.now)
        link.wait(.seconds(30))
        #expect(link.effects.last == .pairing(.failed(.notPermitted)))
    }

    @Test func `the MTU is NimBLE's unless another is asked for`() {
        #expect(TestLink().ears.maximumTransferUnit == 256)
        #expect(TestLink([.maximumTransferUnit(23)]).ears.maximumTransferUnit == 23)
    }
}
