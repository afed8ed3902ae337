/// What an application says of itself (ESP-IDF `esp_app_desc_t`): 256 bytes at the start of the first segment.
public struct ApplicationDescriptor: Hashable, Sendable {
    /// Where it stands in every image, in bytes: behind the header and the first segment's header.
    public static let offset = ImageHeader.length + ImageSegment.headerLength
    /// Bytes.
    public static let length = 256
    public static let magic: UInt32 = 0xABCD_5432

    public let secureVersion: UInt32
    // Texts are nil where the field is not NUL-terminated, printable UTF-8.
    public let version: String?
    public let projectName: String?
    public let compileTime: String?
    public let compileDate: String?
    public let idfVersion: String?
    public let elfSHA256: [UInt8]
    /// eFuse block revisions, major × 100 + minor; 0 where the image says nothing.
    public let minimumBlockRevision: UInt16
    public let maximumBlockRevision: UInt16
    /// Bytes that the MMU maps as one; nil where the image says nothing.
    public let mmuPageSize: Int?
    /// As stored; written by ESP-IDF 6.1 and later.
    public let spiModeField: UInt8

    /// nil when there is no whole descriptor at its place.
    init?(in bytes: [UInt8]) {
        let start = Self.offset
        guard Self.isMarked(bytes), bytes.count >= start + Self.length else { return nil }
        secureVersion = bytes.integer(at: start + 4)
        version = Self.text(bytes[(start + 16)..<(start + 48)])
        projectName = Self.text(bytes[(start + 48)..<(start + 80)])
        compileTime = Self.text(bytes[(start + 80)..<(start + 96)])
        compileDate = Self.text(bytes[(start + 96)..<(start + 112)])
        idfVersion = Self.text(bytes[(start + 112)..<(start + 144)])
        elfSHA256 = Array(bytes[(start + 144)..<(start + 176)])
        minimumBlockRevision = bytes.integer(at: start + 176)
        maximumBlockRevision = bytes.integer(at: start + 178)
        let pageShift = bytes[start + 180]
        mmuPageSize = (1...31).contains(pageShift) ? 1 << Int(pageShift) : nil
        spiModeField = bytes[start + 181]
    }

    /// Whether the descriptor's magic is at its place, with or without the rest.
    static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.count >= offset + 4 && bytes.integer(at: offset) == magic
    }

    /// The text before the first NUL. Control and formatting characters are refused: it is shown on terminals.
    static func text(_ field: ArraySlice<UInt8>) -> String? {
        guard let end = field.firstIndex(of: 0), let text = String(validating: field[..<end], as: UTF8.self),
            text.unicodeScalars.allSatisfy(\.isPrintable)
        else { return nil }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        if isASCII { return (0x20...0x7E).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
