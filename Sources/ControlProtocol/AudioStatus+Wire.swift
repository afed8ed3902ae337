extension AudioMode: WireEnumeration {
    static let known: [AudioMode] = [.none, .capture, .recording]

    var number: UInt32 {
        switch self {
        case .none: 0
        case .capture: 1
        case .recording: 2
        case .unknown(let number): number
        }
    }
}

extension AudioFormat: MergingMessage {
    static let unset = AudioFormat(sampleRate: 0, bitsPerSample: 0, channels: 0, blockFrames: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &sampleRate)
        case 2: try reader.uint32(field, into: &bitsPerSample)
        case 3: try reader.uint32(field, into: &channels)
        case 4: try reader.uint32(field, into: &blockFrames)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, sampleRate)
        writer.uint32(2, bitsPerSample)
        writer.uint32(3, channels)
        writer.uint32(4, blockFrames)
    }
}

extension AudioLevels: MergingMessage {
    static let unset = AudioLevels(gain: 0, peak: 0, rms: 0, clippedSamples: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.sint32(field, into: &gain)
        case 2: try reader.uint32(field, into: &peak)
        case 3: try reader.uint32(field, into: &rms)
        case 4: try reader.uint32(field, into: &clippedSamples)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.sint32(1, gain)
        writer.uint32(2, peak)
        writer.uint32(3, rms)
        writer.uint32(4, clippedSamples)
    }
}

extension AudioStatus: MergingMessage {
    static let unset = AudioStatus(maximumCapture: 0, recordingLength: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &maximumCapture)
        case 2: try reader.uint32(field, into: &recordingLength)
        case 3: try reader.enumeration(field, into: &mode)
        case 4: try reader.message(field, into: &format)
        case 5: try reader.uint32(field, into: &totalBlocks)
        case 6: try reader.message(field, into: &levels)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, maximumCapture)
        writer.uint32(2, recordingLength)
        writer.enumeration(3, mode)
        if let format { writer.message(4, format) }
        writer.uint32(5, totalBlocks)
        if let levels { writer.message(6, levels) }
    }
}
