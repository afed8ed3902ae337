import DurableFiles

/// Where the bytes of a file that may be an image are read from. Nothing that judges holds more of them than a piece.
protocol ImageSource: Sendable {
    associatedtype Failure: Error
    /// Bytes.
    var size: Int { get }
    /// Bytes that are held at once where there are many to go through: few enough for the processor's nearest cache.
    var pieceLength: Int { get }
    /// Fills the buffer with the bytes from an offset on. They are there: the caller keeps within ``size``.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Failure)
}

extension ImageSource {
    var pieceLength: Int { 32 * 1024 }

    func bytes(in range: Range<Int>) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        try bytes.withUnsafeMutableBufferPointer { buffer throws(Failure) in
            try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
        }
        return bytes
    }

    func byte(at offset: Int) throws(Failure) -> UInt8 {
        try bytes(in: offset..<(offset + 1))[0]
    }

    /// Where the first byte of a range is that is not 0xFF, as erased flash has it; nil when all are.
    func firstProgrammed(in range: Range<Int>) throws(Failure) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = try bytes(in: offset..<min(offset + pieceLength, range.upperBound))
            if let found = piece.firstProgrammed(in: 0..<piece.count) { return offset + found }
            offset += piece.count
        }
        return nil
    }
}

/// An image that is at hand as a whole.
struct BytesInMemory: ImageSource {
    let bytes: [UInt8]

    var size: Int { bytes.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Never) {
        buffer.copyBytes(from: bytes[offset..<(offset + buffer.count)])
    }
}

/// What an image that was judged is read from again, to be sent.
enum ImageContents: Sendable {
    case file(ImageFile)
    case memory(BytesInMemory)

    func bytes(in range: Range<Int>) throws(ImageFileError) -> [UInt8] {
        switch self {
        case .file(let file): try file.bytes(in: range)
        case .memory(let memory): memory.bytes(in: range)
        }
    }

    /// Of all the bytes.
    func sha256() throws(ImageFileError) -> [UInt8] {
        switch self {
        case .file(let file): try ContentSums(of: file).sha256
        case .memory(let memory): ContentSums(of: memory).sha256
        }
    }

    /// nil for what cannot change.
    func statusChange() throws(ImageFileError) -> ReadableFile.StatusChange? {
        switch self {
        case .file(let file): try file.statusChange()
        case .memory: nil
        }
    }
}
