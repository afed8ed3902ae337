import Bluetooth
import ControlProtocol
import Ears
import Synchronization
import TestSupport
import Testing

/// A pair of ears with both kinds of audio, and what a taker was told.
private struct AudioBench {
    let audio: FakeAudio
    let peripheral: EndpointPeripheral
    let session: EarsSession
    let clock: TestClock
    let told = Told()

    final class Told: Sendable {
        private let list = Mutex<[AudioEvent]>([])
        var events: [AudioEvent] { list.withLock { $0.filter { if case .progress = $0 { false } else { true } } } }
        var progress: [AudioEvent] { list.withLock { $0.filter { if case .progress = $0 { true } else { false } } } }
        func tell(_ event: AudioEvent) { list.withLock { $0.append(event) } }
    }

    static let both = ["audio-capture", "audio-recording"]

    init(_ audio: FakeAudio = FakeAudio(), capabilities: [String] = both, version: String = FakeEars.version)
        async throws
    {
        self.audio = audio
        clock = TestClock()
        peripheral = try FakeEars.peripheral(
            version: version, settings: FakeSettings(capabilities: capabilities), more: [.audio: audio.handler])
        session = try await EarsSession.open(on: peripheral, clock: clock)
    }

    func take(_ order: AudioOrder = .recording) async throws -> AudioTake {
        try await session.takeAudio(order, makeSessionID: { 42 }, tell: told.tell)
    }

    /// The same, with time moving on whenever somebody waits for it.
    func takePatiently(_ order: AudioOrder = .recording) async throws -> AudioTake {
        let time = Task {
            while !Task.isCancelled {
                try await clock.sleepers(1)
                clock.advance(by: .milliseconds(100))
            }
        }
        defer { time.cancel() }
        return try await take(order)
    }
}

@Suite struct `Taking a sound` {
    @Test func `every byte comes, the session is ended, and the levels are the ears'`() async throws {
        let bench = try await AudioBench()
        let take = try await bench.take()
        #expect(take.pcm == FakeAudio.pcm(0..<40))
        #expect(take.mode == .recording)
        #expect(take.totalBlocks == 5)
        #expect(take.droppedBlocks == [])
        #expect(take.levels?.peak == 7)
        #expect(bench.audio.requests.first == .status)
        #expect(bench.audio.requests[1] == .start(session: 42, mode: .recording, milliseconds: 0))
        #expect(bench.audio.requests.last == .stop(session: 42))
        #expect(bench.told.events == [.started(length: .microseconds(1250)), .heard])
        #expect(bench.told.progress.last == .progress(bytes: 40, of: 40))
        #expect(bench.peripheral.violations == [])
    }

    @Test func `a capture asks for its length`() async throws {
        let bench = try await AudioBench()
        _ = try await bench.take(.capture(.milliseconds(1500)))
        #expect(bench.audio.requests[1] == .start(session: 42, mode: .capture, milliseconds: 1500))
    }

    @Test(arguments: [[0], [4], [1, 2], [0, 1, 2, 3, 4], [0, 2, 4], [1, 3]])
    func `dropped blocks are counted, placed, and zeros`(dropped: [Int]) async throws {
        let bench = try await AudioBench(FakeAudio { $0.dropped = Set(dropped) })
        let take = try await bench.take()
        #expect(take.droppedBlocks.flatMap { Array($0) } == dropped)
        for block in 0..<5 {
            let range = block * 8..<(block + 1) * 8
            let expected = dropped.contains(block) ? [UInt8](repeating: 0, count: 8) : FakeAudio.pcm(range)
            #expect(Array(take.pcm[range]) == expected)
        }
    }

    @Test func `a session that somebody left open is ended first`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.session = 7 })
        _ = try await bench.take()
        #expect(bench.audio.requests.prefix(2) == [.status, .stop(session: 7)])
        #expect(bench.told.events.first == .oldSessionStopped)
    }

    @Test func `ears that do not measure give no levels`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.levels = nil })
        #expect(try await bench.take().levels == nil)
    }
}

@Suite struct `Sounds that cannot be taken` {
    @Test(arguments: [
        (AudioOrder.recording, ["audio-capture"], "audio-recording"), (.capture(.seconds(1)), [], "audio-capture"),
    ])
    func `a capability that is missing: nothing is asked of the endpoint`(
        order: AudioOrder, capabilities: [String], missing: String
    ) async throws {
        let bench = try await AudioBench(capabilities: capabilities)
        await #expect(throws: AudioError.capabilityMissing(missing)) { try await bench.take(order) }
        #expect(bench.audio.requests == [])
    }

    @Test func `recovery mode`() async throws {
        let version = FakeEars.version.replacing("normal", with: "recovery")
        let bench = try await AudioBench(version: version)
        await #expect(throws: AudioError.wrongMode(.recovery)) { try await bench.take() }
        #expect(bench.audio.requests == [])
    }

    @Test func `ears without the endpoint`() async throws {
        let settings = FakeSettings(capabilities: AudioBench.both)
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: settings))
        await #expect(throws: AudioError.ears(.unsupported(.missingEndpoint(.audio)))) {
            try await session.takeAudio(.recording, tell: { _ in })
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(4001), .seconds(3600)])
    func `a length out of range is refused before anything is begun`(length: Duration) async throws {
        let bench = try await AudioBench()
        await #expect(throws: AudioError.outOfRange(maximum: .seconds(4))) { try await bench.take(.capture(length)) }
        #expect(bench.audio.requests == [.status])
    }

    @Test func `a refusal is told as it is`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.refusal = .microphoneError })
        await #expect(throws: AudioError.refused(.microphoneError, deviceError: 0x103)) { try await bench.take() }
        #expect(bench.told.events == [])
    }

    @Test(arguments: [
        AudioFormat(sampleRate: 0, bitsPerSample: 16, channels: 1, blockFrames: 4),
        AudioFormat(sampleRate: 16_000, bitsPerSample: 12, channels: 1, blockFrames: 4),
        AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 3, blockFrames: 4),
        AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 0),
        AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: .max),
    ])
    func `a format that cannot be written, and the session is ended`(format: AudioFormat) async throws {
        let bench = try await AudioBench(FakeAudio { $0.format = format })
        await #expect(throws: AudioError.unsupportedFormat(format)) { try await bench.take() }
        #expect(bench.audio.requests.last == .stop(session: 42))
    }

    @Test func `a sound larger than the limit is not read`() async throws {
        let format = AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 65_536)
        let bench = try await AudioBench(FakeAudio(blocks: 65) { $0.format = format })
        await #expect(throws: AudioError.unsupportedFormat(format)) { try await bench.take() }
    }
}

@Suite struct `Sounds that break off` {
    @Test func `a lost link is told, and nothing more is sent`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [4: .linkEnds] })
        await #expect(throws: AudioError.ears(.bluetooth(.linkLost(during: .write)))) { try await bench.take() }
        #expect(bench.audio.requests.count == 5)
        #expect(bench.told.events == [.started(length: .microseconds(1250)), .heard])
    }

    /// 0 status, 1 start, 2 status, 3 and on reads.
    @Test(arguments: [1, 3, 5]) func `a reply of no use on a living link is settled by asking`(number: Int) async throws
    {
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [number: .takenButUnreadable] })
        #expect(try await bench.take().pcm == FakeAudio.pcm(0..<40))
    }

    @Test func `a start that the ears did not take is not sent again`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [1: .fails] })
        await #expect(throws: AudioError.ears(.bluetooth(.attribute(code: 4, during: .write)))) {
            try await bench.take()
        }
        let starts = bench.audio.requests.count { if case .start = $0 { true } else { false } }
        #expect(starts == 1)
    }

    @Test func `a read is repeated once, not for ever`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [4: .fails, 5: .fails] })
        await #expect(throws: AudioError.ears(.bluetooth(.attribute(code: 4, during: .write)))) {
            try await bench.take()
        }
        #expect(bench.told.events.last == .stopped(isConfirmed: true))
    }

    @Test func `a lost reply to stop is settled by the status`() async throws {
        // 7 and 1 pieces of 40 bytes, levels, stop.
        let probe = try await AudioBench()
        _ = try await probe.take()
        let stop = probe.audio.requests.count - 1
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [stop: .takenButUnreadable] })
        #expect(try await bench.take().pcm.count == 40)
        #expect(bench.audio.requests.last == .status)
    }

    @Test func `ears that keep the session after stop are not trusted with the sound`() async throws {
        let bench = try await AudioBench(FakeAudio { $0.stopIsIgnored = true })
        await #expect(throws: AudioError.sessionGone) { try await bench.take() }
        #expect(bench.told.events.last == .stopped(isConfirmed: false))
    }

    @Test func `a session that is gone`() async throws {
        let bench = try await AudioBench(
            FakeAudio { $0.mishaps = [4: .replaced { _ in AudioReply(session: 0, state: .idle, silenceLimit: 0) }] })
        await #expect(throws: AudioError.sessionGone) { try await bench.take() }
    }

    @Test func `a microphone that fails: its error, and the session is ended`() async throws {
        let bench = try await AudioBench(
            FakeAudio {
                $0.state = .failed
                $0.blocks = 2
            })
        await #expect(throws: AudioError.refused(.microphoneError, deviceError: 0x103)) { try await bench.take() }
        #expect(bench.told.events.last == .stopped(isConfirmed: true))
    }

    @Test func `ears that give nothing new are given up after ten seconds`() async throws {
        let bench = try await AudioBench(
            FakeAudio {
                $0.state = .running
                $0.blocks = 2
            })
        await #expect(throws: AudioError.stalled(after: .seconds(10))) { try await bench.takePatiently() }
        #expect(bench.told.events.last == .stopped(isConfirmed: true))
    }

    @Test func `a cancel while waiting ends the session on the ears`() async throws {
        let bench = try await AudioBench(
            FakeAudio {
                $0.state = .running
                $0.blocks = 2
            })
        let task = Task { try await bench.take() }
        try await bench.clock.sleepers(1)
        task.cancel()
        await #expect(throws: AudioError.cancelled) { try await task.value }
        #expect(bench.audio.requests.last == .stop(session: 42))
        #expect(bench.told.events.last == .stopped(isConfirmed: true))
    }
}

@Suite struct `Replies that contradict themselves` {
    static let inconsistent = AudioError.ears(.wire(.inconsistentStatus))

    /// The second read, at byte 6 of 40.
    @Test(
        arguments: [
            { @Sendable (reply: AudioReply) in reply.with { $0.offset = 4 } },
            { $0.with { $0.block = 1 } },
            { $0.with { $0.data = [1] } },
            { $0.with { $0.data = [UInt8](repeating: 0, count: 36) } },
            { $0.with { $0.data = [] } },
            { $0.with { $0.droppedBlocks = 1 } },
            {
                $0.with {
                    $0.data = []
                    $0.droppedBlocks = 1
                }
            },
            {
                var reply = $0; reply.blocks = 6; return reply
            },
            {
                var reply = $0; reply.blocks = 4; return reply
            },
            {
                var reply = $0; reply.droppedBlocks = 6; return reply
            },
            {
                var reply = $0; reply.data = nil; return reply
            },
        ] as [@Sendable (AudioReply) -> AudioReply])
    func `end it`(change: @escaping @Sendable (AudioReply) -> AudioReply) async throws {
        let bench = try await AudioBench(FakeAudio { $0.mishaps = [4: .replaced(change)] })
        await #expect(throws: Self.inconsistent) { try await bench.take() }
        #expect(bench.audio.requests.last == .stop(session: 42))
    }

    @Test func `a count of dropped blocks that was not seen`() async throws {
        let bench = try await AudioBench(
            FakeAudio {
                for request in 3..<20 {
                    $0.mishaps[request] = .replaced { reply in
                        var reply = reply
                        reply.droppedBlocks = 1
                        return reply
                    }
                }
            })
        await #expect(throws: Self.inconsistent) { try await bench.take() }
    }

    @Test func `more dropped blocks than there are`() async throws {
        let bench = try await AudioBench(
            FakeAudio {
                $0.mishaps = [
                    3: .replaced {
                        $0.with {
                            $0.data = []; $0.droppedBlocks = .max
                        }
                    }
                ]
            })
        await #expect(throws: Self.inconsistent) { try await bench.take() }
    }
}

extension AudioReply {
    fileprivate func with(_ change: (inout AudioData) -> Void) -> AudioReply {
        var reply = self
        if var data {
            change(&data)
            reply.data = data
        }
        return reply
    }
}
