import ControlProtocol
import Crypto
import Testing

@testable import Simulator

@Suite struct UpdateEndpointTests {
    private static let new = TestImage.ears(TestImage.newVersion)

    @Test func `an update is erased, received, verified, selected, booted on trial, and valid`() throws {
        var link = TestLink()
        #expect(try link.begin(Self.new).state == .erasing)
        _ = try link.update(.abort(session: link.update(.status).session))
        let session = try link.send(Self.new)
        #expect(try link.update(.status).state == .receiving)
        #expect(try link.update(.finish(session: session)).state == .verifying)
        link.wait(.milliseconds(400))
        #expect(try link.update(.status).state == .accepted)
        #expect(try link.status().selectedSlot == 0)
        link.wait(.milliseconds(60))
        #expect(try link.update(.status).state == .selected)
        let selected = try link.status()
        #expect(selected.selectedSlot == 1)
        #expect(selected.slots.map(\.otaState) == [.valid, .new])
        try link.restart()
        let trial = try link.status()
        #expect(trial.runningSlot == 1)
        #expect(trial.bootCount == selected.bootCount + 1)
        #expect(trial.resetReason == .software)
        #expect(trial.slots.map(\.otaState) == [.valid, .pendingVerify])
        #expect(trial.slots.map(\.version) == [TestImage.oldVersion, TestImage.newVersion])
        #expect(trial.slots[1].imageDigest == Array(Self.new.suffix(32)))
        link.wait(.seconds(2))
        #expect(try link.status().slots.map(\.otaState) == [.valid, .valid])
    }

    @Test func `every reply carries session, state, next offset and silence limit`() throws {
        var link = TestLink()
        let session = try link.send(Array(Self.new.prefix(960)))
        let reply = try link.update(.status)
        #expect(reply.session == session)
        #expect(reply.state == .receiving)
        #expect(reply.nextOffset == 960)
        #expect(reply.silenceLimit == 30_000)
        #expect(reply.status?.sessionSize == 960)
        #expect(reply.status?.sessionSHA256 == HashAlgorithm.sha256.hash(of: Array(Self.new.prefix(960))))
    }

    // MARK: Chunks

    /// A session that is receiving and took the first hundred bytes.
    private static func receiving() throws -> (link: TestLink, session: UInt32) {
        var link = TestLink()
        let session = try link.begin(new).session
        link.wait(.seconds(1))
        _ = try link.update(.chunk(session: session, offset: 0, data: Array(new[..<100])))
        return (link, session)
    }

    @Test(arguments: [(0, 100), (0, 40), (60, 100)])
    func `a chunk sent twice, whole or in part, is harmless`(start: Int, end: Int) throws {
        var (link, session) = try Self.receiving()
        let before = link.ears.flash
        let data = Array(Self.new[start..<end])
        let reply = try link.update(.chunk(session: session, offset: UInt32(start), data: data))
        #expect(reply.refusal == nil)
        #expect(reply.nextOffset == 100)
        #expect(link.ears.flash == before)
    }

    @Test(arguments: [
        (UInt32(101), [UInt8](repeating: 1, count: 10), UpdateRefusal.wrongOffset),
        (UInt32(0), [UInt8](repeating: 0, count: 100), .wrongOffset),
        (UInt32(90), [UInt8](repeating: 1, count: 20), .wrongOffset),
        (UInt32(100), [], .malformed),
        (UInt32.max, [1], .tooLarge),
        (UInt32(new.count - 1), [1, 2], .tooLarge),
    ])
    func `a chunk out of place is refused and changes nothing`(
        offset: UInt32, data: [UInt8], refusal: UpdateRefusal
    ) throws {
        var (link, session) = try Self.receiving()
        let before = link.ears.flash
        let reply = try link.update(.chunk(session: session, offset: offset, data: data))
        #expect(reply.refusal == refusal)
        #expect(reply.state == .receiving)
        #expect(reply.nextOffset == 100)
        #expect(link.ears.flash == before)
    }

    @Test func `a chunk of another session is refused with the open one's id`() throws {
        var (link, session) = try Self.receiving()
        let reply = try link.update(.chunk(session: session &+ 1, offset: 100, data: [1]))
        #expect(reply.refusal == .wrongSession)
        #expect(reply.session == session)
    }

    @Test func `while the slot is erased, chunk and finish and restart are busy`() throws {
        var link = TestLink()
        let session = try link.begin(Self.new).session
        #expect(try link.update(.chunk(session: session, offset: 0, data: [0xE9])).refusal == .busy)
        #expect(try link.update(.finish(session: session)).refusal == .busy)
        #expect(try link.update(.restart).refusal == .busy)
        link.wait(.seconds(1))
        #expect(try link.update(.restart).refusal == .wrongState)
    }

    // MARK: Begin

    @Test(arguments: [
        (UpdateRequest.begin(size: 0, sha256: sha, family: "esp32", version: "1.1.0"), UpdateRefusal.malformed),
        (.begin(size: 9, sha256: [1], family: "esp32", version: "1.1.0"), .malformed),
        (.begin(size: 9, sha256: sha, family: "esp32", version: ""), .malformed),
        (.begin(size: 9, sha256: sha, family: "esp32", version: String(repeating: "1", count: 32)), .malformed),
        (.begin(size: 9, sha256: sha, family: "s3", version: "1.1.0"), .wrongFamily),
        (.begin(size: 1700 << 10 + 1, sha256: sha, family: "esp32", version: "1.1.0"), .tooLarge),
        (.begin(size: .max, sha256: sha, family: "esp32", version: "1.1.0"), .tooLarge),
    ])
    func `begin is refused and nothing is erased`(request: UpdateRequest, refusal: UpdateRefusal) throws {
        var link = TestLink()
        let before = link.ears.flash
        let reply = try link.update(request)
        #expect(reply.refusal == refusal)
        #expect(reply.state == .idle)
        #expect(reply.session == 0)
        #expect(link.ears.flash == before)
    }

    private static let sha = [UInt8](repeating: 7, count: 32)

    @Test func `begin while a session is open names it`() throws {
        var link = TestLink()
        let session = try link.begin(Self.new).session
        let reply = try link.begin(Self.new)
        #expect(reply.refusal == .sessionOpen)
        #expect(reply.deviceError == 0x1507)
        #expect(reply.session == session)
    }

    @Test func `begin on trial is refused until the firmware is valid`() throws {
        var link = TestLink([.slowConfirm(.seconds(20))])
        _ = try link.install(Self.new)
        try link.restart()
        let reply = try link.begin(TestImage.ears("1.2.0"))
        #expect(reply.refusal == .trialPending)
        #expect(reply.deviceError == 0x1506)
        link.wait(.seconds(20))
        #expect(try link.begin(TestImage.ears("1.2.0")).refusal == nil)
    }

    @Test func `begin with a battery too low is refused, one that is not measured does not count`() throws {
        var low = TestLink([.battery(percent: 29)])
        #expect(try low.begin(Self.new).refusal == .batteryLow)
        #expect(try low.status().batteryPercent == 29)
        var enough = TestLink([.battery(percent: 30)])
        #expect(try enough.begin(Self.new).refusal == nil)
        var unknown = TestLink([.battery(percent: 0), .without(.battery)])
        #expect(try unknown.begin(Self.new).refusal == nil)
        #expect(try unknown.status().batteryPercent == nil)
    }

    @Test func `begin after a selection takes it back before anything is erased`() throws {
        var link = TestLink()
        #expect(try link.install(Self.new).state == .selected)
        #expect(try link.begin(TestImage.ears("1.2.0")).state == .erasing)
        #expect(try link.status().selectedSlot == 0)
        link.wait(.seconds(1))
        link.ears.powerOff(at: link.now)
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        #expect(try link.status().runningSlot == 0)
    }

    // MARK: Finish, abort, end

    @Test func `finish before the last byte is incomplete, and the session goes on`() throws {
        var (link, session) = try Self.receiving()
        #expect(try link.update(.finish(session: session)).refusal == .incomplete)
        #expect(try link.update(.status).state == .receiving)
    }

    @Test func `finish sent twice is harmless in each state that follows`() throws {
        var link = TestLink()
        let session = try link.send(Self.new)
        let states = try [Duration.zero, .zero, .milliseconds(400), .milliseconds(60)].map { wait in
            link.wait(wait)
            let reply = try link.update(.finish(session: session))
            #expect(reply.refusal == nil)
            return reply.state
        }
        #expect(states == [.verifying, .verifying, .accepted, .selected])
    }

    @Test func `another file than the one of begin is refused, and why stays readable`() throws {
        var link = TestLink()
        let sha256 = HashAlgorithm.sha256.hash(of: Self.new)
        let file = TestImage.ears("1.1.1")
        let begin = UpdateRequest.begin(size: UInt32(file.count), sha256: sha256, family: "esp32", version: "1.1.1")
        let session = try link.update(begin).session
        link.wait(.seconds(1))
        for offset in stride(from: 0, to: file.count, by: 480) {
            let data = Array(file[offset..<min(file.count, offset + 480)])
            _ = try link.update(.chunk(session: session, offset: UInt32(offset), data: data))
        }
        _ = try link.update(.finish(session: session))
        link.wait(.seconds(1))
        let failed = try link.update(.status)
        #expect(failed.state == .failed)
        #expect(failed.refusal == .hashMismatch)
        #expect(failed.status?.selectedSlot == 0)
        #expect(try link.update(.finish(session: session)).refusal == .hashMismatch)
        #expect(try link.update(.chunk(session: session, offset: 0, data: [0xE9])).refusal == .wrongState)
        #expect(try link.update(.abort(session: session)).state == .idle)
    }

    @Test func `an image that the ears' own check refuses is 0x1503`() throws {
        var link = TestLink()
        let reply = try link.install(TestImage.ears(TestImage.newVersion, family: .s3))
        #expect(reply.state == .failed)
        #expect(reply.refusal == .imageInvalid)
        #expect(reply.deviceError == 0x1503)
    }

    @Test func `a file that does not begin as an image is refused at its first chunk`() throws {
        var link = TestLink()
        #expect(throws: TestLink.Refused(refusal: .imageInvalid, deviceError: 0x1503)) {
            try link.send([UInt8](repeating: 0xFF, count: 2000))
        }
        #expect(try link.update(.status).state == .failed)
    }

    @Test func `abort is idempotent, and only for the open session`() throws {
        var (link, session) = try Self.receiving()
        #expect(try link.update(.abort(session: session &+ 1)).refusal == .wrongSession)
        #expect(try link.update(.abort(session: session)).state == .idle)
        let again = try link.update(.abort(session: session))
        #expect(again.refusal == nil)
        #expect(again.state == .idle)
        #expect(again.session == 0)
    }

    @Test func `abort while verifying leaves nothing selected`() throws {
        var link = TestLink()
        let session = try link.send(Self.new)
        _ = try link.update(.finish(session: session))
        #expect(try link.update(.abort(session: session)).state == .idle)
        link.wait(.seconds(2))
        #expect(try link.status().selectedSlot == 0)
    }

    @Test func `what is selected is not undone by an abort, nor by the link's end`() throws {
        var link = TestLink()
        let session = try link.install(Self.new).session
        #expect(try link.update(.abort(session: session)).refusal == .wrongState)
        link.ears.disconnect(at: link.now)
        link.connect()
        let reply = try link.update(.status)
        #expect(reply.state == .selected)
        #expect(reply.session == 0)
        #expect(reply.status?.selectedSlot == 1)
    }

    @Test(arguments: [Duration.zero, .milliseconds(400)])
    func `a session dies with its link, in verification too`(wait: Duration) throws {
        var link = TestLink()
        let session = try link.send(Self.new)
        _ = try link.update(.finish(session: session))
        link.wait(wait)
        link.ears.disconnect(at: link.now)
        link.connect()
        link.wait(.seconds(2))
        let reply = try link.update(.status)
        #expect(reply.state == .idle)
        #expect(reply.session == 0)
        #expect(reply.status?.selectedSlot == 0)
    }

    @Test func `a session dies after the stated silence, and any request keeps it alive`() throws {
        var (link, session) = try Self.receiving()
        link.wait(.milliseconds(29_999))
        #expect(try link.update(.status).session == session)
        link.wait(.milliseconds(29_999))
        #expect(try link.update(.status).session == session)
        link.wait(.milliseconds(30_000))
        #expect(try link.update(.status).session == 0)
    }

    @Test func `a new session's id is neither 0 nor the one before`() throws {
        var link = TestLink()
        var ids: [UInt32] = []
        for _ in 0..<20 {
            let session = try link.begin(Self.new).session
            _ = try link.update(.abort(session: session))
            #expect(session != 0)
            #expect(session != ids.last)
            ids.append(session)
        }
    }

    @Test func `restart without an update boots the same slot`() throws {
        var link = TestLink()
        let before = try link.status()
        #expect(try link.update(.restart).refusal == nil)
        link.wait(.milliseconds(200))
        #expect(link.effects.contains(.linkDropped))
        #expect(throws: GATTFailure.notConnected) { try link.update(.status) }
        #expect(link.ears.advertisement == nil)
        link.wait(.seconds(2))
        link.connect()
        let after = try link.status()
        #expect(after.runningSlot == before.runningSlot)
        #expect(after.bootCount == before.bootCount + 1)
    }

    // MARK: What a device lets through

    @Test(
        .realImages,
        arguments: [
            "wled-bootloader_s3.bin", "esf-ramapp-esp32s3.bin", "esptool-ramapp-esp32s3.bin",
            "esptool-s3-header-only48.bin",
        ])
    func `a file that is no application is selected, does not come up, and is rolled back`(name: String) throws {
        let file = try #require(RealImage.bytes(name))
        var link = TestLink(family: .s3)
        #expect(try link.install(file).state == .selected)
        try link.restart(waiting: .seconds(10))
        let status = try link.status()
        #expect(status.runningSlot == 0)
        #expect(status.slots[1].otaState == .aborted)
        #expect(status.resetReason == .watchdog)
    }

    @Test(arguments: [
        TestImage.image(hasHash: false, segments: []),
        TestImage.image(segments: [(0x4008_0000, [UInt8](repeating: 1, count: 512))]),
    ])
    func `a header alone, a program for RAM: selected, not coming up, rolled back`(file: [UInt8]) throws {
        var link = TestLink()
        #expect(try link.install(file).state == .selected)
        try link.restart(waiting: .seconds(10))
        #expect(try link.status().runningSlot == 0)
        #expect(try link.status().slots.map(\.otaState) == [.valid, .aborted])
    }

    @Test func `a program that is not ears' firmware runs silently until somebody takes its power`() throws {
        var link = TestLink()
        let other = TestImage.ears("9.9.9", project: "hello-world")
        #expect(try link.install(other).state == .selected)
        try link.restart(waiting: .seconds(60))
        #expect(link.ears.advertisement == nil)
        link.ears.powerOff(at: link.now)
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        #expect(try link.status().slots.map(\.otaState) == [.valid, .aborted])
    }
}
