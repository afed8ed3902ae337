internal import ControlProtocol
internal import Ears

extension InstallationCourse {
    /// After an upload that did not come to its end: nothing of ours is left open on the ears, and they are read when
    /// what they select can no longer change by itself.
    ///
    /// - Returns: nil where the ears cannot be read any more.
    func leave(after stop: UploadStop) async -> FirmwareReading? {
        let stopwatch = pace.stopwatch()
        while true {
            guard let reading = await reading(after: stop) else { return nil }
            let latest = FirmwareReading(reading)
            let isOver = stopwatch.elapsed() >= pace.deadlines.leaving
            guard !isOver, await isToBeReadAgain(reading, latest) else { return latest }
        }
    }

    /// Ears that were silent already are not waited for as long again. What ends what they are at has its time.
    private func reading(after stop: UploadStop) async -> UpdateReading? {
        let link = link
        return await LastLook.run(isHurried: stop == .cancelled) { try? await link.reading() }
    }

    /// Gives up what is still open, or lets the ears finish what they are at.
    private func isToBeReadAgain(_ reading: UpdateReading, _ latest: FirmwareReading) async -> Bool {
        if !latest.isDeciding(on: target) {
            guard let number = openSession(in: reading), reading.state.isAbortable else { return false }
            let reply = try? await link.session.abortUpdate(session: number)
            if let reply, reply.refusal == nil { return true }
            guard reply == nil || reply?.refusal == .busy else { return false }
        }
        return (try? await pace.pause(pace.deadlines.pollInterval)) != nil
    }
}

extension UpdateState {
    /// Whether a session in this state holds the slot and can be given up.
    fileprivate var isAbortable: Bool {
        switch self {
        case .erasing, .receiving, .failed: true
        case .idle, .verifying, .accepted, .selected, .unknown: false
        }
    }
}

extension PhaseDeadlines {
    /// An abort waits for the erase or the check that is under way.
    fileprivate var leaving: Duration { max(erasing, verifying) }
}

extension UploadStop {
    var ending: Ending {
        switch self {
        case .cancelled: .cancelled
        case .refused(let refusal): .refused(refusal)
        case .lost(let error): .lost(error.endsSession ? .link : .exchange)
        case .deadline(let phase): .deadline(phase)
        case .sessionLost: .lost(.sessionLost)
        case .image(let error): .image(error)
        case .contradiction: .contradiction
        }
    }

    /// Whether the installation ends even where the new slot turns out to be selected.
    var endsHere: Bool {
        switch self {
        case .lost, .deadline, .sessionLost: false
        case .cancelled, .refused, .image, .contradiction: true
        }
    }
}
