import ControlProtocol
import Testing

@testable import Simulator

/// Ears behind a link, and a central that sends and waits.
private struct LinkedEars {
    static let image = [UInt8]([0xE9]) + (1..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var over: EarsOverLink
    var now = Duration.seconds(2)
    var notifications: [[UInt8]] = []

    init(
        _ settings: LinkSettings = LinkSettings(interval: .milliseconds(7.5)), writePath: WritePath = WritePath()
    ) throws {
        var ears = SimulatedEars(
            configuration: EarsConfiguration(
                family: .esp32, address: "F0:00:00:00:00:01",
                faults: [.maximumTransferUnit(settings.maximumTransmissionUnit)], seed: 1))
        let key = ears.provisionBond(with: "02:00:00:00:00:01")
        ears.powerOn(at: .zero)
        over = EarsOverLink(ears, settings: settings, writePath: writePath)
        _ = over.advance(to: now)
        let isUp = over.connect(from: "02:00:00:00:00:01", key: key, at: now)
        try #require(isUp)
    }

    /// The reply; nil where the link ends first.
    mutating func ask(_ request: AttributeRequest) -> AttributeReply? {
        over.send(.request(request), at: now)
        while let next = over.nextDeadline {
            now = max(now, next)
            for event in over.advance(to: now) {
                switch event {
                case .reply(let reply): return reply
                case .notification(let value): notifications.append(value)
                case .linkEnded: return nil
                }
            }
        }
        return nil
    }

    mutating func update(_ request: UpdateRequest) throws -> UpdateReply {
        let written = ask(.write(.update, request.encoded()))
        try #require(written == .written)
        guard case .value(let value) = ask(.read(.update)) else { throw NoReply() }
        return try UpdateReply(decoding: value)
    }

    struct NoReply: Error {}

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let next = over.nextDeadline, next <= end { note(over.advance(to: next)) }
        now = end
        note(over.advance(to: now))
    }

    private mutating func note(_ events: [LinkEvent]) {
        for case .notification(let value) in events { notifications.append(value) }
    }

    /// An upload that waits for its first byte.
    mutating func begin() throws -> UInt32 {
        let begin = UpdateRequest.begin(
            size: UInt32(Self.image.count), sha256: [UInt8](repeating: 1, count: 32), family: "esp32",
            version: "1.5.0")
        let session = try update(begin).session
        wait(.seconds(5))
        let subscribed = ask(.subscribe(true))
        try #require(subscribed == .written)
        wait(.milliseconds(100))
        return session
    }

    mutating func stream(_ offsets: [Int], length: Int) {
        for offset in offsets {
            let chunk = StreamChunk(offset: UInt32(offset), data: Array(Self.image[offset..<offset + length]))
            over.send(.command(chunk.encoded()), at: now)
        }
    }
}

@Suite struct `Ears behind a modelled link` {
    @Test func `a request and its reply take two events`() throws {
        var ears = try LinkedEars()
        let start = ears.now
        #expect(ears.ask(.write(.version, [1])) == .written)
        #expect(ears.now - start == .microseconds(15_000 + 80 + 150 + 19 * 8))
    }

    @Test func `a value longer than a packet is read in parts`() throws {
        var ears = try LinkedEars(LinkSettings(interval: .milliseconds(7.5), maximumTransmissionUnit: 50))
        #expect(ears.ask(.write(.version, [1])) == .written)
        guard case .value(let first) = ears.ask(.read(.version)),
            case .value(let second) = ears.ask(.readBlob(.version, offset: first.count))
        else {
            Issue.record("no value")
            return
        }
        #expect(first.count == 49)
        let text = String(decoding: first + second, as: UTF8.self)
        #expect(text.hasPrefix("{\"local_ctrl\"") && second.count <= 49)
    }

    @Test func `a long write is put together from its parts`() throws {
        var ears = try LinkedEars(LinkSettings(interval: .milliseconds(7.5), maximumTransmissionUnit: 23))
        let status = UpdateRequest.status.encoded()
        for byte in status { #expect(ears.ask(.prepareWrite(.update, part: [byte])) == .prepared([byte])) }
        #expect(ears.ask(.executeWrite) == .executed)
        #expect(ears.ask(.read(.update)) != .value([]))
    }

    @Test func `what the ears refuse comes back as an error`() throws {
        var ears = try LinkedEars()
        #expect(ears.ask(.read(.updateStream)) == .refused(.readNotPermitted))
    }

    @Test func `a chunk is answered when the flash is done with it`() throws {
        func time(_ pageTime: Duration) throws -> Duration {
            var ears = try LinkedEars(writePath: WritePath(pageTime: pageTime))
            let session = try ears.begin()
            let start = ears.now
            let reply = try ears.update(
                .chunk(session: session, offset: 0, data: Array(LinkedEars.image[..<200])))
            #expect(reply.nextOffset == 200)
            return ears.now - start
        }
        // 200 bytes of a page take 15.6 ms, so the response misses two events.
        #expect(try time(.milliseconds(20)) - time(.zero) == .milliseconds(15))
    }

    @Test func `a block that is erased on the way stalls the reply`() throws {
        func time(_ erase: WritePath.Erase?) throws -> Duration {
            var ears = try LinkedEars(writePath: WritePath(erase: erase))
            let session = try ears.begin()
            let start = ears.now
            for part in 0..<30 {
                let data = Array(LinkedEars.image[part * 200..<part * 200 + 200])
                _ = try ears.update(.chunk(session: session, offset: UInt32(part * 200), data: data))
            }
            return ears.now - start
        }
        // 6000 bytes reach into the second block of 4 KiB.
        let stalled = try time(WritePath.Erase(block: 4096, time: .milliseconds(300)))
        let free = try time(nil)
        #expect(stalled - free == .milliseconds(600))
    }

    @Test func `a write that finds the buffer full is dropped, and the gap is told`() throws {
        var ears = try LinkedEars(writePath: WritePath(buffer: 1000, pageTime: .milliseconds(30)))
        _ = try ears.begin()
        ears.notifications = []
        ears.stream(Array(stride(from: 0, to: 8000, by: 200)), length: 200)
        ears.wait(.seconds(5))
        #expect(ears.over.droppedWrites > 0)
        let credits = try ears.notifications.map { try StreamCredit(decoding: $0) }
        #expect(credits.contains { $0.refusal == .wrongOffset })
        let arrived = 40 - ears.over.droppedWrites
        #expect(credits.allSatisfy { Int($0.nextOffset) <= arrived * 200 })
    }

    @Test func `a buffer as large as the credit drops nothing`() throws {
        var ears = try LinkedEars(writePath: WritePath(pageTime: .milliseconds(30)))
        _ = try ears.begin()
        ears.stream(Array(stride(from: 0, to: 8000, by: 200)), length: 200)
        ears.wait(.seconds(5))
        #expect(ears.over.droppedWrites == 0)
        #expect(try ears.update(.status).nextOffset == 8000)
    }

    @Test func `a restart ends the link, and what waits goes with it`() throws {
        var ears = try LinkedEars()
        #expect(try ears.update(.restart).refusal == nil)
        ears.wait(.seconds(1))
        #expect(ears.over.count == nil)
        #expect(ears.ask(.read(.update)) == nil)
    }
}
