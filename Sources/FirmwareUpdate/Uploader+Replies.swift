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

    /// A reply, or, where the reply was lost and the link still stands, what a fresh status says of the same thing
    /// (`Protocol/wire.md`, "What a lost reply means").
    ///
    /// - Parameters:
    ///   - tookEffect: whether a status shows that the request was taken.
    ///   - hadNone: whether a status shows that it was not: it is sent once more then, and only once.
    ///   - allowing: refusals that are for the caller to act on.
    func settled(
        _ request: () async throws(EarsError) -> UpdateReply, tookEffect: (UpdateReading) -> Bool,
        hadNone: (UpdateReading) -> Bool = { _ in false }, allowing allowed: [UpdateRefusal] = []
    ) async throws(UploadStop) -> UpdateReply {
        guard !Task.isCancelled else { throw .cancelled }
        let reply: UpdateReply
        do {
            reply = try await request()
        } catch {
            guard error.stop != .cancelled, !error.endsSession else { throw error.stop }
            let reading = try await ask { () throws(EarsError) in try await session.updateReading() }
            if tookEffect(reading) {
                reply = UpdateReply(reading)
            } else {
                guard hadNone(reading) else { throw error.stop }
                reply = try await ask(request)
            }
        }
        if reply.refusal == .wrongSession { throw .sessionLost }
        if reply.state == .failed || reply.refusal.map({ !allowed.contains($0) }) ?? false {
            throw .refused(EarsRefusal(refusal: reply.refusal ?? .unknown(0), deviceError: reply.deviceError))
        }
        return reply
    }
}

extension UpdateReply {
    fileprivate init(_ reading: UpdateReading) {
        self.init(
            session: reading.session, state: reading.state, nextOffset: reading.nextOffset, refusal: reading.refusal,
            deviceError: reading.deviceError, silenceLimit: 0)
    }
}

extension EarsError {
    var stop: UploadStop { isCancellation ? .cancelled : .lost(self) }
}
