import DurableFiles

/// An application image that passed every check that can be made before the radio is used. There is no other way to
/// have one than ``ImageInspection/verdict``.
///
/// The checks are stricter than the device's own: that one lets through bootloaders, merged images and images that
/// are mostly unchecked tail, each of which leaves the slot unbootable.
///
/// It holds the file open, not its bytes.
public struct SoundImage: Sendable {
    /// Bytes of the whole file, tail included: what is sent.
    public let size: Int
    /// Of the whole file: what `begin` carries.
    public let sha256: [UInt8]
    /// The SHA-256 that the image ends with: what the ears report of a slot.
    public let imageDigest: [UInt8]
    public let chip: Chip
    public let header: ImageHeader
    public let descriptor: ApplicationDescriptor
    /// The descriptor's; may be empty.
    public let version: String
    public let family: FamilyMatch

    private let contents: ImageContents
    /// When anything about the file had changed last when it was judged; nil for bytes that are at hand.
    let judgedChange: ReadableFile.StatusChange?

    /// Whose image it is, by the descriptor's `project_name`.
    public enum FamilyMatch: Hashable, Sendable {
        case family(BoardFamily)
        /// Sound, for a chip that some family uses, and somebody else's.
        case notEspurr(projectName: String)
    }

    init(judging inspection: ImageInspection) throws(ImageRefusal) {
        try inspection.checkKind()
        let (header, layout) = try inspection.framing()
        try header.checkFields()
        try layout.checkPlacement()
        let (descriptor, version, family) = try inspection.applicationDescriptor(header: header, layout: layout)
        let digest = try inspection.checkedDigest()
        try inspection.checkTail()
        self.contents = inspection.contents
        self.judgedChange = inspection.statusChange
        self.size = inspection.size
        self.sha256 = inspection.sha256
        self.imageDigest = digest
        self.chip = header.chip
        self.header = header
        self.descriptor = descriptor
        self.version = version
        self.family = family
    }

    /// Bytes of a range within ``size``.
    ///
    /// - Throws: where the file is not any more what was judged, or cannot be read: never other bytes.
    public func bytes(in range: Range<Int>) throws(ImageFileError) -> [UInt8] {
        var known = judgedChange
        return try bytes(in: range, &known)
    }

    /// - Parameter known: the last change of anything about the file at which its bytes were those that were judged.
    func bytes(
        in range: Range<Int>, _ known: inout ReadableFile.StatusChange?
    ) throws(ImageFileError) -> [UInt8] {
        for _ in 0..<ImageInspection.readings {
            let bytes = try contents.bytes(in: range)
            let latest = try contents.statusChange()
            if latest == known { return bytes }
            // It may have a name more or less, or have been written to and its time put back: its bytes tell.
            try check()
            known = latest
        }
        throw .changedWhileRead
    }

    /// Hashes all bytes again: what is to be known where somebody got others than were judged.
    ///
    /// - Throws: where they are not any more what was judged, or cannot be read.
    public func check() throws(ImageFileError) {
        guard try contents.sha256() == sha256 else { throw .changedWhileRead }
    }
}

extension SoundImage: Equatable {
    public static func == (one: Self, other: Self) -> Bool { one.sha256 == other.sha256 }
}
