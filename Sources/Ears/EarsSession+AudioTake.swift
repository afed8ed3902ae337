internal import Bluetooth
internal import ControlProtocol

/// One sound, from the first question to the ears having let it go.
extension EarsSession {
    /// Has the ears capture or record, and reads all of it, while they listen and after.
    ///
    /// Whatever ends it, a cancel too, ends it on the ears.
    ///
    /// - Parameters:
    ///   - makeSessionID: gives a fresh random number; 0 is never used.
    ///   - tell: told what happens, one call at a time.
    public func takeAudio(
        _ order: AudioOrder, makeSessionID: @Sendable () -> UInt32 = { UInt32.random(in: 1...UInt32.max) },
        tell: @Sendable (AudioEvent) -> Void
    ) async throws(AudioError) -> AudioTake {
        if try await checkAudio(order) { tell(.oldSessionStopped) }
        let id = makeSessionID()
        var assembly: AudioAssembly
        do throws(AudioError) { assembly = try await beginAudio(order, session: id) } catch {
            if error.leavesSession { _ = await endAudio(session: id) }
            throw error
        }
        tell(.started(length: assembly.length))
        do throws(AudioError) {
            try await readAudio(&assembly, tell)
            let levels = try await finalLevels(of: assembly)
            guard await endAudio(session: id) else { throw .sessionGone }
            return AudioTake(assembly, mode: order.mode, levels: levels)
        } catch {
            if error.leavesSession { tell(.stopped(isConfirmed: await endAudio(session: id))) }
            throw error
        }
    }

    /// What is known before anything is begun.
    ///
    /// - Returns: whether a session was ended that a client left open who is gone: the ears' lock is held here.
    private func checkAudio(_ order: AudioOrder) async throws(AudioError) -> Bool {
        guard mode == .normal else { throw .wrongMode(mode) }
        let able = try await asking { () throws(EarsError) in try await capabilities() }
        guard able.names.contains(order.capability) else { throw .capabilityMissing(order.capability) }
        let reply = try await asking { () throws(EarsError) in try await audioStatus() }
        guard let status = reply.status else { throw .inconsistent }
        if case .capture(let length) = order {
            let maximum = Duration.milliseconds(Int64(status.maximumCapture))
            guard length > .zero, length <= maximum else { throw .outOfRange(maximum: maximum) }
        }
        guard reply.session != 0 else { return false }
        guard await endAudio(session: reply.session) else {
            throw .refused(.sessionOpen, deviceError: reply.deviceError)
        }
        return true
    }

    private func beginAudio(_ order: AudioOrder, session: UInt32) async throws(AudioError) -> AudioAssembly {
        let reply: AudioReply
        do throws(EarsError) { reply = try await startAudio(order, session: session) } catch {
            guard !error.endsSession, error != .bluetooth(.cancelled) else { throw AudioError(error) }
            // Only the reply is of no use: the status says whether the request was taken.
            let status = try await asking { () throws(EarsError) in try await audioStatus() }
            guard status.session == session else { throw AudioError(error) }
            return try AudioAssembly(status, session: session)
        }
        guard reply.refusal == nil else { throw .refused(reply.refusal, deviceError: reply.deviceError) }
        let status = try await asking { () throws(EarsError) in try await audioStatus() }
        return try AudioAssembly(status, session: session)
    }

    private func readAudio(
        _ assembly: inout AudioAssembly, _ tell: @Sendable (AudioEvent) -> Void
    ) async throws(AudioError) {
        var watch = AudioWatch(assembly, on: clock)
        var hasHeardAll = false
        while true {
            if Task.isCancelled { throw .cancelled }
            let length = document.requestLimit(of: .audio)
            let step = try assembly.take(try await readPiece(assembly, length: length), length: length)
            tell(.progress(bytes: assembly.offset, of: assembly.totalBytes))
            if assembly.hasHeardAll, !hasHeardAll {
                hasHeardAll = true
                tell(.heard)
            }
            try watch.look(at: assembly)
            switch step {
            case .read: break
            case .wait: do { try await clock.sleep(for: AudioDeadlines.pollInterval) } catch { throw .cancelled }
            case .failed: throw try await standingRefusal()
            case .finished: return
            }
        }
    }

    /// A read changes nothing: where its reply is of no use on a living link, it is sent once more.
    private func readPiece(_ assembly: AudioAssembly, length: Int) async throws(AudioError) -> AudioReply {
        let offset = assembly.offset
        do throws(EarsError) {
            return try await readAudio(session: assembly.session, offset: offset, length: length)
        } catch {
            guard !error.endsSession, error != .bluetooth(.cancelled) else { throw AudioError(error) }
        }
        return try await asking { () throws(EarsError) in
            try await readAudio(session: assembly.session, offset: offset, length: length)
        }
    }

    private func standingRefusal() async throws(AudioError) -> AudioError {
        let reply = try await asking { () throws(EarsError) in try await audioStatus() }
        return .refused(reply.refusal, deviceError: reply.deviceError)
    }

    private func finalLevels(of assembly: AudioAssembly) async throws(AudioError) -> AudioLevels? {
        let reply = try await asking { () throws(EarsError) in try await audioStatus() }
        guard reply.session == assembly.session, let status = reply.status else { throw .sessionGone }
        return status.levels
    }

    /// Ends a session on the ears, whatever became of the task.
    ///
    /// - Returns: whether the ears say that it is gone.
    private func endAudio(session: UInt32) async -> Bool {
        do throws(EarsError) { return try await stopsAudio(session: session) } catch {
            guard error == .bluetooth(.cancelled) else { return false }
        }
        return await LastLook.run { (try? await self.stopsAudio(session: session)) ?? false }
    }

    private func stopsAudio(session: UInt32) async throws(EarsError) -> Bool {
        do throws(EarsError) {
            return try await stopAudio(session: session).session != session
        } catch {
            // What a lost reply leaves open, the status settles.
            return try await audioStatus().session != session
        }
    }
}

/// Sees to it that a sound makes headway, and ends some time.
private struct AudioWatch {
    private let stopwatch: Stopwatch
    private let whole: Duration
    private var seen = (bytes: 0, blocks: 0)
    private var lastChange = Duration.zero

    init(_ assembly: AudioAssembly, on clock: any Clock<Duration>) {
        stopwatch = Stopwatch(clock)
        whole = AudioDeadlines.whole(bytes: assembly.totalBytes, length: assembly.length)
    }

    mutating func look(at assembly: AudioAssembly) throws(AudioError) {
        let now = stopwatch.elapsed()
        if seen != (assembly.offset, assembly.blocks) {
            seen = (assembly.offset, assembly.blocks)
            lastChange = now
        }
        guard now - lastChange < AudioDeadlines.stall else { throw .stalled(after: AudioDeadlines.stall) }
        guard now < whole else { throw .tooSlow(after: whole) }
    }
}

/// Gives an error of the ears this endpoint's type.
private func asking<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(EarsError) -> Value
) async throws(AudioError) -> Value {
    do { return try await operation() } catch { throw AudioError(error) }
}

extension AudioError {
    init(_ error: EarsError) { self = error.isCancellation ? .cancelled : .ears(error) }

    /// Whether a session may be open and can still be ended: the link is up.
    fileprivate var leavesSession: Bool {
        if case .ears(let error) = self { !error.endsSession } else { true }
    }
}

extension AudioTake {
    init(_ assembly: AudioAssembly, mode: AudioMode, levels: AudioLevels?) {
        self.init(
            mode: mode, format: assembly.format, pcm: assembly.pcm, totalBlocks: assembly.totalBlocks,
            droppedBlocks: assembly.dropped, levels: levels)
    }
}
