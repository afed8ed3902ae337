import DurableFiles

/// Everything about a file that was offered as firmware, sound or not: what could be read, and the verdict.
public struct ImageInspection: Sendable {
    /// Bytes of the whole file.
    public let size: Int
    /// Of the whole file.
    public let sha256: [UInt8]
    public let kind: FileKind
    /// nil where the kind of file names none.
    public let chip: Chip?
    public let header: ImageHeader?
    /// Those whose headers could be read.
    public let segments: [ImageSegment]
    /// nil where the file ends before it.
    public let checksum: Comparison<UInt8>?
    /// The appended SHA-256; nil where there is none, or the file ends before it.
    public let hash: Comparison<[UInt8]>?
    public let descriptor: ApplicationDescriptor?
    /// What stands behind the image; nil where the image's end could not be found.
    public let tail: ImageTail?

    /// ``FileRecognition/headLength``
    let head: [UInt8]
    let layout: ImageLayout?
    let contents: ImageContents
    /// Since then nothing about the file had changed when it had been read; nil for bytes that are at hand.
    private(set) var statusChange: ReadableFile.StatusChange?

    /// What an image says of its own bytes, beside what they are.
    public struct Comparison<Value: Hashable & Sendable>: Hashable, Sendable {
        public let stored: Value
        public let computed: Value

        public var matches: Bool { stored == computed }
    }

    /// Reads whatever can be read of bytes that are at hand.
    public init(of bytes: [UInt8]) {
        let memory = BytesInMemory(bytes: bytes)
        self.init(of: memory, contents: .memory(memory))
    }

    /// Reads whatever can be read of a file, once from its start to its end; again where anything about the file changed
    /// meanwhile, which a new name does too.
    public init(of file: ImageFile) throws(ImageFileError) {
        self = try Self.steady(file)
    }

    private static func steady(_ file: ImageFile) throws(ImageFileError) -> Self {
        for _ in 0..<readings {
            let change = try file.statusChange()
            var inspection = try Self(of: file, contents: .file(file))
            inspection.statusChange = change
            if try file.statusChange() == change { return inspection }
        }
        throw .changedWhileRead
    }

    /// How often a file is read that does not stay as it is.
    static let readings = 4

    /// - Parameter contents: the same bytes, for a verdict to keep.
    init<Source: ImageSource>(of source: Source, contents: ImageContents) throws(Source.Failure) {
        head = try source.bytes(in: 0..<min(source.size, FileRecognition.headLength))
        let file = try FileRecognition(of: source, head: head)
        self.contents = contents
        size = source.size
        sha256 = file.sums.sha256
        kind = file.kind
        chip = file.chip
        header = file.header
        layout = file.layout
        segments = file.layout?.segments ?? []
        descriptor = file.kind == .application ? ApplicationDescriptor(in: head) : nil
        tail = file.tail
        let footer = try? file.layout?.footer.get()
        checksum = try Self.checksum(of: source, footer, file.sums)
        hash = try Self.hash(of: source, footer, file.sums)
    }

    /// The image, when it may be put on ears of some board family, or is sound and not one of ours.
    public var verdict: Result<SoundImage, ImageRefusal> {
        do throws(ImageRefusal) {
            return .success(try SoundImage(judging: self))
        } catch {
            return .failure(error)
        }
    }

    /// Espressif's name for the chip, ESP8266 included, which has no number; nil where the file names none, or one
    /// that this build does not know.
    public var chipName: String? {
        kind == .esp8266Application ? "ESP8266" : chip?.name
    }

    /// XOR of all segments' data, from a seed.
    private static func checksum<Source: ImageSource>(
        of source: Source, _ footer: ImageLayout.Footer?, _ sums: ContentSums
    ) throws(Source.Failure) -> Comparison<UInt8>? {
        guard let footer else { return nil }
        return Comparison(stored: try source.byte(at: footer.checksumOffset), computed: 0xEF ^ sums.exclusiveOr)
    }

    private static func hash<Source: ImageSource>(
        of source: Source, _ footer: ImageLayout.Footer?, _ sums: ContentSums
    ) throws(Source.Failure) -> Comparison<[UInt8]>? {
        guard let range = footer?.hash else { return nil }
        return Comparison(stored: try source.bytes(in: range), computed: sums.digest(before: range.lowerBound) ?? [])
    }
}
