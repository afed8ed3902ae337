internal import ControlProtocol

/// Puts a sound together from replies, and says what to ask next: pure.
struct AudioAssembly: Hashable {
    enum Step: Hashable {
        case read
        /// Nothing came yet.
        case wait
        /// The ears gave up; their status says why.
        case failed
        case finished
    }

    let session: UInt32
    let format: AudioFormat
    let totalBlocks: Int
    private(set) var pcm: [UInt8] = []
    private(set) var dropped: [Range<Int>] = []
    /// That the ears say there are.
    private(set) var blocks = 0

    /// - Throws: what cannot be put together: no session, no format, or one with no size or too large a one.
    init(_ reply: AudioReply, session: UInt32) throws(AudioError) {
        guard reply.session == session else { throw .sessionGone }
        guard let status = reply.status, let format = status.format else { throw .inconsistent }
        guard EarsLimits.audioSampleRates.contains(format.sampleRate), [16, 24, 32].contains(format.bitsPerSample),
            (1...2).contains(format.channels), (1...EarsLimits.audioBlockFrames).contains(Int(format.blockFrames)),
            status.totalBlocks <= EarsLimits.audioBlocks,
            Int(status.totalBlocks) * format.blockBytes <= EarsLimits.audioBytes
        else { throw .unsupportedFormat(format) }
        guard status.totalBlocks > 0 else { throw .inconsistent }
        self.session = session
        self.format = format
        totalBlocks = Int(status.totalBlocks)
    }

    var totalBytes: Int { totalBlocks * format.blockBytes }
    var offset: Int { pcm.count }
    var droppedBlocks: Int { dropped.reduce(0) { $0 + $1.count } }
    var hasHeardAll: Bool { blocks == totalBlocks }
    var length: Duration {
        .seconds(1) * (totalBlocks * Int(format.blockFrames)) / Int(format.sampleRate)
    }

    /// Takes the reply to a read at ``offset``.
    ///
    /// - Parameter length: bytes that were asked for.
    /// - Throws: a refusal, a session that is gone, or a reply that contradicts itself or what came before.
    mutating func take(_ reply: AudioReply, length: Int) throws(AudioError) -> Step {
        guard reply.session == session else { throw .sessionGone }
        if let refusal = reply.refusal { throw .refused(refusal, deviceError: reply.deviceError) }
        guard let data = reply.data, Int(data.offset) == offset, Int(data.block) == offset / format.blockBytes,
            (blocks...totalBlocks).contains(Int(reply.blocks)), reply.droppedBlocks <= reply.blocks
        else { throw .inconsistent }
        blocks = Int(reply.blocks)
        if data.droppedBlocks > 0 {
            try mark(data)
        } else {
            try append(data.data, atMost: length)
        }
        if offset == totalBytes {
            guard reply.droppedBlocks == droppedBlocks else { throw .inconsistent }
            return .finished
        }
        if !data.data.isEmpty || data.droppedBlocks > 0 { return .read }
        return try emptyStep(reply.state)
    }

    private mutating func mark(_ data: AudioData) throws(AudioError) {
        let range = Int(data.block)..<Int(data.block) + Int(data.droppedBlocks)
        guard data.data.isEmpty, offset.isMultiple(of: format.blockBytes), range.upperBound <= blocks else {
            throw .inconsistent
        }
        pcm += [UInt8](repeating: 0, count: range.count * format.blockBytes)
        if let last = dropped.last, last.upperBound == range.lowerBound {
            dropped[dropped.count - 1] = last.lowerBound..<range.upperBound
        } else {
            dropped.append(range)
        }
    }

    private mutating func append(_ data: [UInt8], atMost length: Int) throws(AudioError) {
        guard data.count <= length, data.count.isMultiple(of: format.frameBytes),
            offset + data.count <= blocks * format.blockBytes
        else { throw .inconsistent }
        pcm += data
    }

    private func emptyStep(_ state: AudioState) throws(AudioError) -> Step {
        // What came has to be given.
        guard offset >= blocks * format.blockBytes else { throw .inconsistent }
        switch state {
        case .running: return .wait
        case .failed: return .failed
        case .idle, .complete, .unknown: throw .inconsistent
        }
    }
}

extension AudioError {
    static let inconsistent = AudioError.ears(.wire(.inconsistentStatus))
}

extension AudioFormat {
    var frameBytes: Int { Int(bitsPerSample) / 8 * Int(channels) }
    var blockBytes: Int { frameBytes * Int(blockFrames) }
}
