internal import Bluetooth
internal import ControlProtocol
internal import Ears
internal import Firmware

/// Why an upload ended before the new slot was selected.
enum UploadStop: Error, Equatable {
    case cancelled
    case refused(EarsRefusal)
    case lost(EarsError)
    case deadline(InstallationPhase)
    /// The ears answered, and no longer know of the session.
    case sessionLost
    /// The bytes of the image could not be had any more.
    case image(ImageFileError)
    case contradiction
}

/// Sends one image over one session: begin, erased, chunks, finish, verified, selected.
///
/// Nothing is sent twice but a chunk whose offset the ears ask for, which they take without harm.
struct Uploader: Sendable {
    let session: EarsSession
    let image: SoundImage
    private let target: UpdateTarget
    private let plan: UploadPlan
    let pace: Pace
    let report: @Sendable (InstallationEvent) -> Void

    init(
        session: EarsSession, image: SoundImage, target: UpdateTarget, pace: Pace,
        report: @escaping @Sendable (InstallationEvent) -> Void
    ) {
        self.session = session
        self.image = image
        self.target = target
        self.pace = pace
        self.report = report
        plan = UploadPlan(
            size: image.size, maximumTransmissionUnit: session.maximumTransmissionUnit(of: .update),
            requestLimit: session.document.requestLimit(of: .update))
    }

    /// A session that an earlier command left open is aborted by its id.
    func abortOldSession(in reading: UpdateReading) async throws(UploadStop) {
        guard reading.session != 0, reading.state != .selected else { return }
        let reply = try await ask { () throws(EarsError) in
            try await session.abortUpdate(session: reading.session)
        }
        // It may have died of silence meanwhile: then it is another's, or none, and `begin` says so.
        guard reply.refusal == nil else { return }
        report(.oldSessionAborted(session: reading.session))
    }

    /// - Returns: the session that the ears opened for the update.
    func begin(family: String) async throws(UploadStop) -> UInt32 {
        report(.phase(.erasing))
        let reply = try await settled(
            { () throws(EarsError) in
                try await session.beginUpdate(
                    size: UInt32(image.size), sha256: image.sha256, family: family, version: target.version)
            }, tookEffect: { $0.session != 0 && $0.status.sessionSHA256 == image.sha256 }, hadNone: { $0.session == 0 })
        guard reply.session != 0 else { throw .contradiction }
        return reply.session
    }

    func waitErased(_ number: UInt32) async throws(UploadStop) {
        let stopwatch = pace.stopwatch()
        while true {
            let state = try await ownReading(number).state
            if state == .receiving { return }
            guard state == .erasing else { throw .contradiction }
            try await pace.next(stopwatch, deadline: pace.deadlines.erasing, phase: .erasing)
        }
    }

    /// Every byte, until the ears have acknowledged all of them: as a stream where both sides can, else chunk by chunk.
    func send(_ number: UInt32) async throws(UploadStop) {
        report(.phase(.sending))
        try await session.peripheral.running { () throws(UploadStop) in try await sendAll(number) }
        report(.sent)
    }

    private func sendAll(_ number: UInt32) async throws(UploadStop) {
        var start = 0
        let stream = try await ask { () throws(EarsError) in try await session.openUpdateStream() }
        report(.uploadForm(stream == nil ? .exchange : .stream))
        if let stream {
            do {
                start = try await self.stream(number, over: stream)
            } catch {
                await stream.close()
                throw error
            }
            await stream.close()
        }
        try await exchange(number, from: start, isAfterStream: stream != nil)
    }

    /// - Parameter isAfterStream: what was streamed may still arrive, and carry the ears ahead of what is sent here.
    private func exchange(_ number: UInt32, from start: Int, isAfterStream: Bool) async throws(UploadStop) {
        var offset = start
        // Ears that ask for what they had already do not make anything move.
        var farthest = start
        var stopwatch = pace.stopwatch()
        var trial = MessageTrial(plan.messageLimits)
        var reader = ImageReader(image)
        var isOverlapping = true
        while offset < image.size {
            let length = plan.chunk(at: offset, session: number, messageLimit: trial.limit)
            guard length > 0 else { throw .contradiction }
            let exchange = pace.stopwatch()
            let data = try piece(at: offset, length, &reader)
            let reply = try await acknowledged(number, offset: offset, data, isOverlapping)
            if isOverlapping, reply.isSilent(onChunkAt: UInt32(offset)) {
                // The reply to the chunk before, whose order a bearer of several did not keep. Sent once more, this one is
                // taken without harm.
                isOverlapping = false
                continue
            }
            let next = Int(reply.nextOffset)
            if next == offset + length, next < image.size { trial.note(bytes: length, in: exchange.elapsed()) }
            guard next <= (isAfterStream ? image.size : offset + length) else { throw .contradiction }
            if next > farthest {
                farthest = next
                stopwatch = pace.stopwatch()
                report(.progress(bytes: next, total: image.size))
            } else if next <= offset {
                try await pace.next(stopwatch, deadline: pace.deadlines.sendingStalled, phase: .sending)
            }
            offset = next
        }
    }

    /// The next offset in the reply is the same where the ears are busy.
    private func acknowledged(
        _ number: UInt32, offset: Int, _ data: [UInt8], _ isOverlapping: Bool
    ) async throws(UploadStop) -> UpdateReply {
        let start = UInt32(offset)
        let reply = try await settled(
            { () throws(EarsError) in
                try await session.sendChunk(
                    session: number, offset: start, data: data, overlapping: isOverlapping)
            }, tookEffect: { $0.session == number }, allowing: [.busy, .wrongOffset])
        guard reply.session == number else { throw .sessionLost }
        return reply
    }

    /// - Throws: where the image's file is not any more what was judged.
    func checkImage() throws(UploadStop) {
        do { _ = try image.bytes(in: 0..<1) } catch { throw .image(error) }
    }

    /// Bytes of the image, as it was judged.
    func piece(at offset: Int, _ length: Int, _ reader: inout ImageReader) throws(UploadStop) -> [UInt8] {
        do { return try reader.bytes(at: offset, count: length) } catch { throw .image(error) }
    }

    /// - Returns: a reading in which the new slot is selected.
    func finish(_ number: UInt32) async throws(UploadStop) -> UpdateReading {
        report(.phase(.verifying))
        do {
            return try await finished(number)
        } catch {
            if case .refused(let refusal) = error, refusal.refusal == .hashMismatch { try checkWhole() }
            throw error
        }
    }

    /// Ears that have other bytes than were announced are not to blame where the file has others by now.
    private func checkWhole() throws(UploadStop) {
        do { try image.check() } catch { throw .image(error) }
    }

    private func finished(_ number: UInt32) async throws(UploadStop) -> UpdateReading {
        let reply = try await settled(
            { () throws(EarsError) in try await session.finishUpdate(session: number) },
            tookEffect: { [.verifying, .accepted, .selected, .failed].contains($0.state) },
            hadNone: { $0.session == number && $0.state == .receiving })
        var state = reply.state
        var wasAccepted = false
        let stopwatch = pace.stopwatch()
        while state != .selected {
            guard state == .verifying || state == .accepted else { throw .contradiction }
            if state == .accepted, !wasAccepted {
                wasAccepted = true
                report(.accepted)
            }
            try await pace.next(stopwatch, deadline: pace.deadlines.verifying, phase: .verifying)
            state = try await ownReading(number).state
        }
        if !wasAccepted { report(.accepted) }
        let reading = try await reading()
        guard FirmwareReading(reading).selects(target) else { throw .contradiction }
        return reading
    }

    /// A status in which the session is still ours and has not failed.
    func ownReading(_ number: UInt32) async throws(UploadStop) -> UpdateReading {
        let reading = try await reading()
        if reading.state == .failed {
            throw .refused(
                EarsRefusal(refusal: reading.refusal ?? .unknown(0), deviceError: reading.deviceError))
        }
        guard reading.session == number || reading.state == .selected else { throw .sessionLost }
        return reading
    }

    private func reading() async throws(UploadStop) -> UpdateReading {
        try await ask { () throws(EarsError) in try await session.updateReading() }
    }
}
