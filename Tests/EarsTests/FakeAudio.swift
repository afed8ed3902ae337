import Bluetooth
import ControlProtocol
import Synchronization
import TestSupport

/// The audio endpoint at the level of messages, with a sound of few blocks. What goes wrong is for the test to say.
final class FakeAudio: Sendable {
    /// What becomes of the request with this number, from 0.
    enum Mishap: Sendable {
        case fails
        case takenButUnreadable
        case linkEnds
        case replaced(@Sendable (AudioReply) -> AudioReply)
    }

    struct State {
        var session: UInt32 = 0
        var mode = AudioMode.none
        var requests: [AudioRequest] = []
        var mishaps: [Int: Mishap] = [:]
        var state = AudioState.complete
        /// Blocks that came; nil: all.
        var blocks: UInt32?
        var refusal: AudioRefusal?
        var stopIsIgnored = false
        var format = AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 4)
        var dropped: Set<Int> = []
        var levels: AudioLevels? = AudioLevels(gain: 2400, peak: 7, rms: 4, clippedSamples: 0)
    }

    static let blockBytes = 8
    let totalBlocks: Int
    let state: Mutex<State>

    init(blocks: Int = 5, _ change: (inout State) -> Void = { _ in }) {
        totalBlocks = blocks
        var state = State()
        change(&state)
        self.state = Mutex(state)
    }

    var requests: [AudioRequest] { state.withLock(\.requests) }

    /// Each byte is its offset.
    static func pcm(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 + 1) } }

    var handler: EndpointPeripheral.Handler {
        { [self] bytes in
            guard let request = try? AudioRequest(decoding: bytes) else {
                return .writeFails(.attribute(code: 0x04, during: .write))
            }
            return state.withLock { answer(request, &$0) }
        }
    }

    private func answer(_ request: AudioRequest, _ state: inout State) -> EndpointPeripheral.Answer {
        let mishap = state.mishaps[state.requests.count]
        state.requests.append(request)
        if case .fails = mishap { return .writeFails(.attribute(code: 0x04, during: .write)) }
        if case .linkEnds = mishap { return .linkEnds }
        let reply = reply(to: request, &state)
        switch mishap {
        case .takenButUnreadable: return .reply([0xFF])
        case .replaced(let replacing): return .reply(replacing(reply).encoded())
        case .fails, .linkEnds, nil: return .reply(reply.encoded())
        }
    }

    private func reply(to request: AudioRequest, _ state: inout State) -> AudioReply {
        switch request {
        case .status:
            return base(state, state.state == .failed ? .microphoneError : nil, status: status(state))
        case .start(let id, let mode, _):
            if let refusal = state.refusal { return base(state, refusal) }
            state.session = id
            state.mode = mode
            return base(state, nil)
        case .read(let id, let offset, let length):
            guard id == state.session else { return base(state, .wrongSession) }
            return base(state, nil, data: data(Int(offset), Int(length), state))
        case .stop(let id):
            if id != state.session, state.session != 0 { return base(state, .wrongSession) }
            if !state.stopIsIgnored { state.session = 0 }
            return base(state, nil)
        }
    }

    private func blocks(_ state: State) -> Int { state.session == 0 ? 0 : Int(state.blocks ?? UInt32(totalBlocks)) }

    private func base(
        _ state: State, _ refusal: AudioRefusal?, status: AudioStatus? = nil, data: AudioData? = nil
    ) -> AudioReply {
        let blocks = blocks(state)
        return AudioReply(
            session: state.session, state: state.session == 0 ? .idle : state.state, blocks: UInt32(blocks),
            droppedBlocks: UInt32(state.dropped.count { $0 < blocks }), refusal: refusal,
            deviceError: refusal == .microphoneError ? 0x103 : 0, silenceLimit: 30_000, status: status, data: data)
    }

    private func status(_ state: State) -> AudioStatus {
        AudioStatus(
            maximumCapture: 4000, recordingLength: 5000, mode: state.mode,
            format: state.session == 0 ? nil : state.format, totalBlocks: UInt32(totalBlocks), levels: state.levels)
    }

    private func data(_ offset: Int, _ length: Int, _ state: State) -> AudioData {
        let block = offset / Self.blockBytes
        var data = AudioData(offset: UInt32(offset), block: UInt32(block))
        let came = blocks(state)
        guard block < came else { return data }
        if state.dropped.contains(block) {
            data.droppedBlocks = UInt32((block..<came).prefix { state.dropped.contains($0) }.count)
        } else {
            let end = (block..<came).first { state.dropped.contains($0) } ?? came
            // Short pieces, so that a sound takes several.
            data.data = Self.pcm(offset..<min(end * Self.blockBytes, offset + min(length, 6)))
        }
        return data
    }
}
