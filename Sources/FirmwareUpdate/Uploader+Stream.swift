internal import Bluetooth
internal import ControlProtocol
internal import Ears
internal import Firmware

extension Uploader {
    /// Sends without waiting for a reply to each chunk, never more than the ears gave credit for.
    ///
    /// - Returns: bytes from the start that the ears have: all of them, or as many as they had when the stream was of no
    ///   more use and the link still stood.
    func stream(_ number: UInt32, over stream: UpdateStream) async throws(UploadStop) -> Int {
        var window = StreamWindow(size: image.size)
        var reader = ImageReader(image)
        var stopwatch = pace.stopwatch()
        while !window.isDone {
            let before = window.arrived
            do throws(UploadStop) {
                try await step(&window, &reader, of: number, over: stream)
            } catch {
                guard case .lost(let loss) = error, loss.endsStreamAlone else { throw error }
                try await settle(&window, of: number)
                return window.arrived
            }
            if window.arrived > before {
                stopwatch = pace.stopwatch()
                report(.progress(bytes: window.arrived, total: image.size))
            } else if stopwatch.elapsed() >= pace.deadlines.sendingStalled {
                throw .deadline(.sending)
            }
        }
        return window.arrived
    }

    /// All that there is credit for, and the next credit.
    private func step(
        _ window: inout StreamWindow, _ reader: inout ImageReader, of number: UInt32, over stream: UpdateStream
    ) async throws(UploadStop) {
        try await sendCredited(&window, &reader, over: stream)
        if let credit = try await credit(from: stream) {
            try take(credit, of: number, into: &window)
        } else {
            try await settle(&window, of: number)
        }
    }

    private func sendCredited(
        _ window: inout StreamWindow, _ reader: inout ImageReader, over stream: UpdateStream
    ) async throws(UploadStop) {
        let limit = UploadPlan.fillingPackets(stream.messageLimit)
        while let (offset, _) = window.next {
            let room = StreamChunk.largestData(offset: UInt32(offset), messageLimit: limit)
            guard room > 0 else { throw .contradiction }
            guard let length = window.length(longest: room) else { return }
            let data = try piece(at: offset, length, &reader)
            try await ask { () throws(EarsError) in try await stream.send(offset: UInt32(offset), data: data) }
            window.send(length)
        }
    }

    private func credit(from stream: UpdateStream) async throws(UploadStop) -> StreamCredit? {
        try await ask { () throws(EarsError) in try await stream.nextCredit(within: pace.deadlines.creditSilence) }
    }

    private func take(
        _ credit: StreamCredit, of number: UInt32, into window: inout StreamWindow
    ) throws(UploadStop) {
        // One of an earlier session may have been on its way.
        guard credit.session == number else { return }
        if let refusal = credit.refusal, refusal != .wrongOffset, refusal != .busy {
            throw .refused(EarsRefusal(refusal: refusal, deviceError: credit.deviceError))
        }
        guard window.take(credit) else { throw .contradiction }
    }

    /// A credit that did not come may be lost, and what it would have told is in a status.
    private func settle(_ window: inout StreamWindow, of number: UInt32) async throws(UploadStop) {
        let reading = try await ownReading(number)
        guard reading.state == .receiving, window.settle(at: Int(reading.nextOffset)) else { throw .contradiction }
    }
}

extension EarsError {
    /// Whether the link stands and the stream is of no more use.
    fileprivate var endsStreamAlone: Bool {
        switch self {
        case .bluetooth(.notificationsLost), .bluetooth(.rejected), .wire(.undecodable(.updateStream)): true
        default: false
        }
    }
}
