internal import Bluetooth
internal import ControlProtocol
internal import Ears

extension Uploader {
    /// One exchange, unless the installation has been cancelled.
    func ask<Reply: Sendable>(
        _ request: () async throws(EarsError) -> Reply
    ) async throws(UploadStop) -> Reply {
        guard !Task.isCancelled else { throw .cancelled }
        do { return try await request() } catch { throw error.stop }
    }

    /// A reply, or, where the reply was lost and the link still stands, what a fresh status says of the same thing.
    ///
    /// - Parameters:
    ///   - tookEffect: whether a status shows that the request reached the ears and did what it should.
    ///   - allowing: refusals that are for the caller to act on.
    func settled(
        _ request: () async throws(EarsError) -> UpdateReply,
        by tookEffect: (UpdateReading) -> Bool, allowing allowed: [UpdateRefusal] = []
    ) async throws(UploadStop) -> UpdateReply {
        guard !Task.isCancelled else { throw .cancelled }
        let reply: UpdateReply
        do {
            reply = try await request()
        } catch {
            guard error.stop != .cancelled, !error.endsSession,
                let status = await self.reply(insteadOf: error, by: tookEffect)
            else {
                throw error.stop
            }
            reply = status
        }
        if reply.refusal == .wrongSession { throw .sessionLost }
        if reply.state == .failed || reply.refusal.map({ !allowed.contains($0) }) ?? false {
            throw .refused(EarsRefusal(refusal: reply.refusal ?? .unknown(0), deviceError: reply.deviceError))
        }
        return reply
    }

    private func reply(
        insteadOf error: EarsError, by tookEffect: (UpdateReading) -> Bool
    ) async -> UpdateReply? {
        guard let reading = try? await session.updateReading(), tookEffect(reading) else { return nil }
        return UpdateReply(
            session: reading.session, state: reading.state, nextOffset: reading.nextOffset, refusal: reading.refusal,
            deviceError: reading.deviceError, silenceLimit: 0)
    }
}

extension EarsError {
    /// An exchange that began is always finished: a cancelled one was not begun.
    var stop: UploadStop { self == .bluetooth(.cancelled) ? .cancelled : .lost(self) }
}
