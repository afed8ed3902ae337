/// A firmware image as the catalogue describes it: a target `<family>/<version>/<file>.bin` with a `custom` that says the
/// same and more.
public struct Release: Hashable, Sendable {
    public let family: String
    public let chip: String
    public let version: SemanticVersion
    public let channel: Channel
    public let applicationProtocol: Int
    public let released: UTCTime
    /// At most `maximumNotesBytes`; may hold line breaks, never other control characters.
    public let notes: String
    /// The file itself: path, length, hashes.
    public let target: Target

    public enum Channel: String, Hashable, Sendable, CaseIterable {
        case stable
        case candidate
    }

    public static let schema: Int64 = 1
    public static let maximumNotesBytes = 4096

    /// - Throws: why the target is no release. `pathDisagrees` means that the catalogue contradicts itself; the other
    ///   reasons may only mean that it is meant for a newer client or for something else.
    public init(_ target: Target) throws(ReleaseFault) {
        let path = try ReleasePath(target.path)
        let custom = try CustomFields(target.custom)
        family = try custom.identifier("family")
        chip = try custom.identifier("chip")
        let version = try custom.text("version")
        guard let semantic = SemanticVersion(version) else { throw .badField("version") }
        self.version = semantic
        guard let channel = Channel(rawValue: try custom.text("channel")) else { throw .badField("channel") }
        self.channel = channel
        applicationProtocol = try custom.smallNumber("application_protocol")
        guard let released = UTCTime(try custom.text("released")) else { throw .badField("released") }
        self.released = released
        notes = try custom.notes()
        self.target = target
        guard path.family == family else {
            throw .pathDisagrees(field: "family", path: path.family, custom: family)
        }
        guard path.version == version else {
            throw .pathDisagrees(field: "version", path: path.version, custom: version)
        }
    }
}

/// Why a target is not a release.
public enum ReleaseFault: Error, Hashable, Sendable {
    /// The path has not the three parts of a release, the last ending in `.bin`.
    case otherPath
    /// No `custom`, or one that is no object.
    case noCustom
    /// A `schema` that this client does not know.
    case unknownSchema(Int64)
    /// A field of `custom` that is missing or not of its form.
    case badField(String)
    /// Path and `custom` say different things.
    case pathDisagrees(field: String, path: String, custom: String)
}

private struct ReleasePath {
    let family: String
    let version: String

    init(_ path: UTF8Text) throws(ReleaseFault) {
        let parts = path.string.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), parts[2].utf8.count > ".bin".utf8.count,
            parts[2].hasSuffix(".bin"), parts[2].utf8.allSatisfy(\.isPlainNameByte)
        else { throw .otherPath }
        family = String(parts[0])
        version = String(parts[1])
    }
}

extension UInt8 {
    /// Letters, digits, hyphen, dot and underscore: the name becomes a file's, and is shown on terminals.
    fileprivate var isPlainNameByte: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(self)
    }
}

private struct CustomFields {
    let object: JSONObject

    init(_ custom: JSONValue?) throws(ReleaseFault) {
        guard let object = custom?.objectValue else { throw .noCustom }
        guard let schema = object["schema"]?.integerValue else { throw .badField("schema") }
        guard schema == Release.schema else { throw .unknownSchema(schema) }
        self.object = object
    }

    func text(_ name: UTF8Text) throws(ReleaseFault) -> String {
        guard let text = object[name]?.textValue else { throw .badField(name.string) }
        return text.string
    }

    /// A short name of letters, digits, hyphen, dot and underscore: it goes into messages and is compared.
    func identifier(_ name: UTF8Text) throws(ReleaseFault) -> String {
        let text = try text(name)
        let isPlain = text.utf8.allSatisfy(\.isPlainNameByte)
        guard isPlain, (1...32).contains(text.utf8.count) else { throw .badField(name.string) }
        return text
    }

    func smallNumber(_ name: UTF8Text) throws(ReleaseFault) -> Int {
        guard let number = object[name]?.integerValue, (0...0xFFFF).contains(number) else {
            throw .badField(name.string)
        }
        return Int(number)
    }

    /// The notes end up on terminals, so they carry no control characters but line breaks.
    func notes() throws(ReleaseFault) -> String {
        let notes = try text("notes")
        let isPlain = notes.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
        guard isPlain, notes.utf8.count <= Release.maximumNotesBytes else { throw .badField("notes") }
        return notes
    }
}
