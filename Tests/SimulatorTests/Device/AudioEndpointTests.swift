import ControlProtocol
import Testing

@testable import Simulator

extension TestLink {
    mutating func audio(_ request: AudioRequest) throws -> AudioReply {
        try AudioReply(decoding: exchange(request.encoded(), at: .audio))
    }

    /// Reads from the start until the ears have nothing more.
    mutating func readAll(session: UInt32, length: UInt32 = 512) throws -> (pcm: [UInt8], dropped: [Range<Int>]) {
        var (pcm, dropped) = ([UInt8](), [Range<Int>]())
        while true {
            let reply = try audio(.read(session: session, offset: UInt32(pcm.count), length: length))
            guard let data = reply.data else { throw Missing() }
            if data.droppedBlocks > 0 {
                let block = Int(data.block)
                dropped.append(block..<block + Int(data.droppedBlocks))
                pcm += [UInt8](repeating: 0, count: Int(data.droppedBlocks) * AudioSession.blockBytes)
            } else if data.data.isEmpty {
                return (pcm, dropped)
            }
            pcm += data.data
        }
    }

    struct Missing: Error {}
}

@Suite struct AudioEndpointTests {
    private static func capture(_ faults: [Fault] = [], milliseconds: UInt32 = 500) throws -> TestLink {
        var link = TestLink(faults)
        let reply = try link.audio(.start(session: 7, mode: .capture, milliseconds: milliseconds))
        #expect(reply.refusal == nil)
        #expect(reply.session == 7)
        return link
    }

    @Test func `a capture runs as long as asked, rounded up to blocks, and is complete`() throws {
        var link = try Self.capture()
        #expect(try link.audio(.status).state == .running)
        link.wait(.milliseconds(100))
        let early = try link.audio(.status)
        #expect(early.blocks == 12)
        #expect(early.status?.totalBlocks == 63)
        #expect(
            early.status?.format == AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 128))
        #expect(early.status?.mode == .capture)
        link.wait(.milliseconds(404))
        let late = try link.audio(.status)
        #expect(late.state == .complete)
        #expect(late.blocks == 63)
        #expect(try link.readAll(session: 7).pcm.count == 63 * 256)
    }

    @Test func `a recording is five seconds`() throws {
        var link = TestLink()
        #expect(try link.audio(.status).status?.recordingLength == 5000)
        _ = try link.audio(.start(session: 1, mode: .recording, milliseconds: 0))
        link.wait(.seconds(5))
        let reply = try link.audio(.status)
        #expect(reply.state == .complete)
        #expect(reply.status?.totalBlocks == 625)
    }

    @Test func `what was heard can be read while more comes, in whole frames that fit into a reply`() throws {
        var link = try Self.capture()
        link.wait(.milliseconds(24))
        let bytes = try link.exchange(AudioRequest.read(session: 7, offset: 0, length: 9999).encoded(), at: .audio)
        #expect((500...512).contains(bytes.count))
        let reply = try AudioReply(decoding: bytes)
        #expect(reply.data?.block == 0)
        #expect(reply.data?.data.count.isMultiple(of: 2) == true)
        let next = try link.audio(.read(session: 7, offset: 512, length: 100))
        #expect(next.data?.block == 2)
        #expect(next.data?.data.count == 100)
        let end = try link.audio(.read(session: 7, offset: 768, length: 100))
        #expect(end.data == AudioData(offset: 768, block: 3))
    }

    @Test func `a reply keeps its limit from every offset, however much is there`() throws {
        var link = try Self.capture()
        link.wait(.milliseconds(24))
        for offset in stride(from: UInt32(0), to: 768, by: 2) {
            let reply = try link.audio(.read(session: 7, offset: offset, length: 512))
            #expect(reply.data?.data.isEmpty == false)
            #expect(reply.encoded().count <= 512)
        }
    }

    @Test func `a read can be repeated, and pieces of any length make the same whole`() throws {
        var link = try Self.capture()
        link.wait(.seconds(1))
        let whole = try link.readAll(session: 7).pcm
        #expect(try link.readAll(session: 7, length: 77).pcm == whole)
        #expect(try link.readAll(session: 7, length: 2).pcm == whole)
    }

    @Test(arguments: [1, 2, 5, 20, 63, 1000]) func `dropped blocks are counted, placed, and have no sound`(
        count: Int
    ) throws {
        var whole = try Self.capture()
        var link = try Self.capture([.dropAudioBlocks(count)])
        whole.wait(.seconds(1))
        link.wait(.seconds(1))
        let expected = min(count, 63)
        #expect(try link.audio(.status).droppedBlocks == expected)
        let (pcm, dropped) = try link.readAll(session: 7)
        #expect(dropped.reduce(0) { $0 + $1.count } == expected)
        let reference = try whole.readAll(session: 7).pcm
        for block in 0..<63 {
            let bytes = block * 256..<(block + 1) * 256
            let isDropped = dropped.contains { $0.contains(block) }
            #expect(Array(pcm[bytes]) == (isDropped ? [UInt8](repeating: 0, count: 256) : Array(reference[bytes])))
        }
    }

    @Test func `levels are those of the blocks that were not dropped`() throws {
        var link = try Self.capture([.dropAudioBlocks(9), .microphone(.loud)])
        link.wait(.seconds(1))
        let (pcm, dropped) = try link.readAll(session: 7)
        let samples = stride(from: 0, to: pcm.count, by: 2).filter { place in
            !dropped.contains { $0.contains(place / 256) }
        }.map { Int(pcm.littleEndian(at: $0, as: Int16.self)) }
        let levels = try #require(try link.audio(.status).status?.levels)
        #expect(Int(levels.peak) == samples.map(abs).max())
        #expect(Int(levels.clippedSamples) == samples.count { $0 == 32_767 || $0 == -32_768 })
        #expect(levels.clippedSamples > 100)
        let squares = samples.reduce(0.0) { $0 + Double($1 * $1) } / Double(samples.count)
        #expect(Int(levels.rms) == Int(squares.squareRoot()))
    }

    @Test func `the same sound at every start`() throws {
        var (first, second) = (try Self.capture(), try Self.capture())
        first.wait(.seconds(1))
        second.wait(.seconds(1))
        #expect(try first.readAll(session: 7).pcm == second.readAll(session: 7).pcm)
    }

    // MARK: Refusals

    struct Refused: Sendable {
        var request: AudioRequest
        var refusal: AudioRefusal
        var faults: [Fault] = []
    }

    @Test(arguments: [
        Refused(request: .start(session: 0, mode: .capture, milliseconds: 100), refusal: .malformed),
        Refused(request: .start(session: 1, mode: .none, milliseconds: 100), refusal: .malformed),
        Refused(request: .start(session: 1, mode: .unknown(9), milliseconds: 100), refusal: .malformed),
        Refused(request: .start(session: 1, mode: .capture, milliseconds: 0), refusal: .malformed),
        Refused(request: .start(session: 1, mode: .capture, milliseconds: 4001), refusal: .outOfRange),
        Refused(
            request: .start(session: 1, mode: .capture, milliseconds: 100), refusal: .capabilityMissing,
            faults: [.without(.audioCapture)]),
        Refused(
            request: .start(session: 1, mode: .recording, milliseconds: 0), refusal: .capabilityMissing,
            faults: [.without(.audioRecording)]),
        Refused(
            request: .start(session: 1, mode: .recording, milliseconds: 0), refusal: .busy,
            faults: [.refuseAudio(.busy)]),
        Refused(
            request: .start(session: 1, mode: .recording, milliseconds: 0), refusal: .outOfMemory,
            faults: [.refuseAudio(.memory)]),
        Refused(
            request: .start(session: 1, mode: .recording, milliseconds: 0), refusal: .microphoneError,
            faults: [.refuseAudio(.microphone)]),
        Refused(request: .read(session: 3, offset: 0, length: 1), refusal: .wrongSession),
    ])
    func `a request that cannot be is refused, and begins nothing`(refused: Refused) throws {
        var link = TestLink(refused.faults)
        let reply = try link.audio(refused.request)
        #expect(reply.refusal == refused.refusal)
        #expect(reply.session == 0)
        #expect(reply.state == .idle)
        #expect(reply.deviceError == (refused.refusal == .microphoneError ? 0x103 : 0))
    }

    @Test(arguments: [(1, 100, AudioRefusal.wrongOffset), (16_130, 100, .wrongOffset), (0, 0, .malformed)])
    func `a read that cannot be is refused`(offset: UInt32, length: UInt32, refusal: AudioRefusal) throws {
        var link = try Self.capture()
        let reply = try link.audio(.read(session: 7, offset: offset, length: length))
        #expect(reply.refusal == refusal)
        #expect(reply.data == nil)
    }

    @Test func `recovery mode has no sound`() throws {
        var link = TestLink(mode: .recovery)
        let reply = try link.audio(.start(session: 1, mode: .capture, milliseconds: 100))
        #expect(reply.refusal == .wrongMode)
    }

    // MARK: Sessions

    @Test func `the same start twice starts once, another's is refused with the open one's id`() throws {
        var link = try Self.capture()
        link.wait(.milliseconds(100))
        #expect(try link.audio(.start(session: 7, mode: .capture, milliseconds: 500)).blocks == 12)
        let other = try link.audio(.start(session: 8, mode: .capture, milliseconds: 500))
        #expect(other.refusal == .sessionOpen)
        #expect(other.session == 7)
    }

    @Test func `stop is idempotent, and not for another's session`() throws {
        var link = try Self.capture()
        #expect(try link.audio(.stop(session: 8)).refusal == .wrongSession)
        let stopped = try link.audio(.stop(session: 7))
        #expect(stopped.refusal == nil && stopped.session == 0 && stopped.state == .idle)
        #expect(try link.audio(.stop(session: 7)).refusal == nil)
        #expect(try link.audio(.read(session: 7, offset: 0, length: 10)).refusal == .wrongSession)
    }

    @Test func `a session dies of silence, and each request keeps it`() throws {
        var link = try Self.capture()
        link.wait(.milliseconds(29_999))
        #expect(try link.audio(.status).session == 7)
        link.wait(.milliseconds(29_999))
        #expect(try link.audio(.status).session == 7)
        link.wait(.seconds(30))
        #expect(try link.audio(.status).session == 0)
    }

    @Test func `a session dies with its link`() throws {
        var link = try Self.capture()
        link.ears.disconnect(at: link.now)
        link.wait(.zero)
        link.connect()
        #expect(try link.audio(.status).session == 0)
    }

    @Test func `an upload ends a session and keeps others from beginning`() throws {
        var link = try Self.capture()
        _ = try link.begin(TestImage.ears(TestImage.newVersion))
        #expect(try link.audio(.status).session == 0)
        #expect(try link.audio(.start(session: 9, mode: .recording, milliseconds: 0)).refusal == .busy)
    }

    // MARK: Faults

    @Test(arguments: [0, 50, 100]) func `the link drops once in a sound`(percent: Int) throws {
        var link = try Self.capture([.dropAt(percent: percent)])
        link.wait(.seconds(1))
        #expect(throws: GATTFailure.linkLost) { try link.readAll(session: 7) }
        link.wait(.zero)
        link.connect()
        _ = try link.audio(.start(session: 8, mode: .capture, milliseconds: 500))
        link.wait(.seconds(1))
        #expect(try link.readAll(session: 8).pcm.count == 63 * 256)
    }

    @Test func `ears fall silent in a sound`() throws {
        var link = try Self.capture([.silentAt(percent: 50)])
        link.wait(.seconds(1))
        #expect(throws: GATTFailure.noAnswer) { try link.readAll(session: 7) }
        #expect(throws: GATTFailure.noAnswer) { try link.audio(.status) }
    }

    @Test func `a sound that stalls stays running, one whose microphone fails says so`() throws {
        var stalled = try Self.capture([.stallAudioAt(percent: 50)])
        stalled.wait(.seconds(10))
        #expect(try stalled.audio(.status).state == .running)
        #expect(try stalled.readAll(session: 7).pcm.count == 31 * 256)
        var failed = try Self.capture([.failAudioAt(percent: 50)])
        failed.wait(.seconds(10))
        let reply = try failed.audio(.status)
        #expect(reply.state == .failed)
        #expect(reply.refusal == .microphoneError)
        #expect(reply.deviceError == 0x103)
        #expect(try failed.readAll(session: 7).pcm.count == 31 * 256)
    }

    @Test func `a dead microphone gives zeros, a shifted one an offset`() throws {
        var dead = try Self.capture([.microphone(.dead)])
        dead.wait(.seconds(1))
        #expect(try dead.readAll(session: 7).pcm.allSatisfy { $0 == 0 })
        var shifted = try Self.capture([.microphone(.offset)])
        shifted.wait(.seconds(1))
        let pcm = try shifted.readAll(session: 7).pcm
        let sum = stride(from: 0, to: pcm.count, by: 2).reduce(0) { $0 + Int(pcm.littleEndian(at: $1, as: Int16.self)) }
        #expect((1800...2100).contains(sum / (pcm.count / 2)))
    }
}
