import ControlProtocol

/// The audio endpoint of application protocol 2 (`Protocol/espurr_audio.proto`).
struct AudioEndpoint: Sendable {
    /// Of a recording, milliseconds.
    static let recordingLength = 5000

    private let configuration: EarsConfiguration
    private(set) var session: AudioSession?

    init(_ configuration: EarsConfiguration) { self.configuration = configuration }

    var nextDeadline: Duration? { session.map(silenceEnd) }

    private func silenceEnd(of session: AudioSession) -> Duration {
        session.lastRequest + configuration.timing.silenceLimit
    }

    /// The sound is gone with its session.
    mutating func end() { session = nil }

    mutating func advance(to now: Duration) {
        if let session, silenceEnd(of: session) <= now { end() }
    }

    /// - Parameter isBusy: an upload is open.
    mutating func answer(_ request: AudioRequest, isBusy: Bool, at now: Duration) -> AudioReply {
        advance(to: now)
        session?.lastRequest = now
        switch request {
        case .status: return reply(standingRefusal(at: now), at: now, status: status(at: now))
        case .start(let id, let mode, let milliseconds):
            let refusal = start(id, mode, milliseconds, isBusy: isBusy, at: now)
            return reply(refusal, at: now)
        case .read(let id, let offset, let length): return read(id, offset, length, at: now)
        case .stop(let id):
            if let session, session.id != id { return reply(.wrongSession, at: now) }
            end()
            return reply(nil, at: now)
        }
    }

    // MARK: Requests

    private mutating func start(
        _ id: UInt32, _ mode: AudioMode, _ milliseconds: UInt32, isBusy: Bool, at now: Duration
    ) -> AudioRefusal? {
        guard id != 0 else { return .malformed }
        if let session { return session.id == id ? nil : .sessionOpen }
        if configuration.mode == .recovery { return .wrongMode }
        let length: Int
        switch mode {
        case .capture:
            guard configuration.capabilities.contains(.audioCapture) else { return .capabilityMissing }
            guard milliseconds > 0 else { return .malformed }
            guard milliseconds <= maximumCapture else { return .outOfRange }
            length = Int(milliseconds)
        case .recording:
            guard configuration.capabilities.contains(.audioRecording) else { return .capabilityMissing }
            length = Self.recordingLength
        case .none, .unknown: return .malformed
        }
        if isBusy { return .busy }
        if let refusal = configuration.audioRefusal { return refusal }
        session = AudioSession(id: id, mode: mode, milliseconds: length, configuration: configuration, at: now)
        return nil
    }

    private func read(_ id: UInt32, _ offset: UInt32, _ length: UInt32, at now: Duration) -> AudioReply {
        guard let session, session.id == id else { return reply(.wrongSession, at: now) }
        guard length > 0 else { return reply(.malformed, at: now) }
        let (offset, length) = (Int(offset), min(Int(length), SimulatedEars.exchangeLimit))
        guard offset.isMultiple(of: 2), offset <= session.totalBlocks * AudioSession.blockBytes else {
            return reply(.wrongOffset, at: now)
        }
        let whole = reply(nil, at: now, data: session.data(at: offset, length: length, at: now))
        let excess = whole.encoded().count - SimulatedEars.exchangeLimit
        guard excess > 0, let data = whole.data else { return whole }
        return reply(nil, at: now, data: session.data(at: offset, length: data.data.count - excess, at: now))
    }

    // MARK: Replies

    private func standingRefusal(at now: Duration) -> AudioRefusal? {
        session?.state(at: now) == .failed ? .microphoneError : nil
    }

    private func reply(
        _ refusal: AudioRefusal?, at now: Duration, status: AudioStatus? = nil, data: AudioData? = nil
    ) -> AudioReply {
        AudioReply(
            session: session?.id ?? 0, state: session?.state(at: now) ?? .idle,
            blocks: UInt32(session?.blocks(at: now) ?? 0), droppedBlocks: UInt32(session?.droppedBlocks(at: now) ?? 0),
            refusal: refusal, deviceError: refusal == .microphoneError ? DeviceError.invalidState : 0,
            silenceLimit: UInt32(configuration.timing.silenceLimit / .milliseconds(1)), status: status, data: data)
    }

    /// Milliseconds: as much as the chip's memory takes.
    private var maximumCapture: UInt32 { configuration.family.chip == .esp32 ? 4000 : 10_000 }

    private func status(at now: Duration) -> AudioStatus {
        let canRecord = configuration.capabilities.contains(.audioRecording)
        return AudioStatus(
            maximumCapture: configuration.capabilities.contains(.audioCapture) ? maximumCapture : 0,
            recordingLength: canRecord ? UInt32(Self.recordingLength) : 0,
            mode: session?.mode ?? .none, format: session == nil ? nil : AudioSession.format,
            totalBlocks: UInt32(session?.totalBlocks ?? 0), levels: session?.levels(at: now))
    }
}
