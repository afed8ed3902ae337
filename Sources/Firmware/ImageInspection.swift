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

    let bytes: [UInt8]
    let layout: ImageLayout?

    /// What an image says of its own bytes, beside what they are.
    public struct Comparison<Value: Hashable & Sendable>: Hashable, Sendable {
        public let stored: Value
        public let computed: Value

        public var matches: Bool { stored == computed }
    }

    /// Reads whatever can be read.
    public init(of bytes: [UInt8]) {
        let file = FileRecognition(of: bytes)
        let footer = try? file.layout?.footer.get()
        self.bytes = bytes
        size = bytes.count
        sha256 = bytes.sha256(of: 0..<bytes.count)
        kind = file.kind
        chip = file.chip
        header = file.header
        layout = file.layout
        segments = file.layout?.segments ?? []
        checksum = footer.map { Self.checksum(of: bytes, segments: file.layout?.segments ?? [], at: $0.checksumOffset) }
        hash = footer?.hash.map { range in
            Comparison(stored: Array(bytes[range]), computed: bytes.sha256(of: 0..<range.lowerBound))
        }
        descriptor = file.kind == .application ? ApplicationDescriptor(in: bytes) : nil
        tail = file.tail
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
    private static func checksum(of bytes: [UInt8], segments: [ImageSegment], at offset: Int) -> Comparison<UInt8> {
        let computed = segments.reduce(UInt8(0xEF)) { $0 ^ bytes.exclusiveOr(of: $1.offset..<$1.end) }
        return Comparison(stored: bytes[offset], computed: computed)
    }
}
