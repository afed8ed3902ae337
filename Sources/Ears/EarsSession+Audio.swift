public import ControlProtocol

/// The audio endpoint. A refusal is part of a reply, never an error.
extension EarsSession {
    /// What the ears can, and the session that is open.
    public func audioStatus() async throws(EarsError) -> AudioReply {
        let reply = try await audio(.status)
        guard reply.status != nil else { throw .wire(.inconsistentStatus) }
        return reply
    }

    func startAudio(_ order: AudioOrder, session: UInt32) async throws(EarsError) -> AudioReply {
        let milliseconds: UInt32 =
            if case .capture(let length) = order { UInt32(clamping: Int64(length / .milliseconds(1))) } else { 0 }
        return try await audio(.start(session: session, mode: order.mode, milliseconds: milliseconds))
    }

    /// - Parameter offset: bytes from the stream's start, dropped blocks included.
    func readAudio(session: UInt32, offset: Int, length: Int) async throws(EarsError) -> AudioReply {
        try await audio(.read(session: session, offset: UInt32(offset), length: UInt32(length)))
    }

    func stopAudio(session: UInt32) async throws(EarsError) -> AudioReply {
        try await audio(.stop(session: session))
    }

    private func audio(_ request: AudioRequest) async throws(EarsError) -> AudioReply {
        let reply = try await exchange(request.encoded(), on: .audio)
        do { return try AudioReply(decoding: reply) } catch { throw .wire(.undecodable(.audio)) }
    }
}
