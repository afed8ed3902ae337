import Crypto

/// A metadata file: the signed part and its signatures (specification 4.2.1).
struct Envelope {
    let signed: Fields
    let signatures: [Signature]
    /// The bytes that the signatures are over.
    let signedBytes: [UInt8]

    struct Signature: Hashable {
        let keyID: UTF8Text
        /// `nil` for anything but hexadecimal: such a signature counts for nothing, and spoils nothing.
        let bytes: [UInt8]?
    }

    init(_ file: [UInt8], limits: JSONLimits) throws(Distrust) {
        let value: JSONValue
        do { value = try JSONReader.read(file, limits: limits) } catch { throw .notJSON(error) }
        let whole = try Fields(value, at: "file")
        signed = try Fields(try whole.value("signed"), at: "signed")
        signatures = try Self.signatures(of: whole)
        signedBytes = CanonicalJSON.encode(.object(signed.object))
    }

    /// Whether the bytes begin as HTML and XML do, in whatever encoding.
    static func isMarkup(_ file: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = file.starts(with: byteOrderMark) ? file.dropFirst(byteOrderMark.count) : file[...]
        return text.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } == UInt8(ascii: "<")
    }

    /// The version that a file says to have, for messages: nothing has verified it.
    static func statedVersion(of file: [UInt8], limits: JSONLimits) -> Int64? {
        (try? JSONReader.read(file, limits: limits))?.objectValue?["signed"]?.objectValue?["version"]?.integerValue
    }

    private static func signatures(of whole: Fields) throws(Distrust) -> [Signature] {
        guard let list = try whole.value("signatures").arrayValue else { throw whole.bad("signatures") }
        var signatures: [Signature] = []
        var seen: Set<UTF8Text> = []
        for element in list {
            let fields = try Fields(element, at: "signatures")
            let keyID = try fields.text("keyid")
            guard seen.insert(keyID).inserted else { throw .duplicateSignature(keyID: keyID) }
            let bytes = Hexadecimal.decode(try fields.text("sig").bytes)
            signatures.append(Signature(keyID: keyID, bytes: bytes))
        }
        return signatures
    }

    /// Reads the signed part as one kind of metadata, having checked that it says to be of that kind and of a
    /// specification that is understood.
    func metadata<Metadata: SignedMetadata>(_ kind: Metadata.Type) throws(Distrust) -> Metadata {
        let type = try signed.text("_type")
        guard type == UTF8Text(Metadata.role.rawValue) else {
            throw .wrongType(expected: Metadata.role, actual: type)
        }
        let version = try signed.text("spec_version")
        guard Self.isUnderstood(specification: version) else { throw .unknownSpecification(version: version) }
        return try Metadata(signed: signed)
    }

    /// `1.N` or `1.N.N`.
    private static func isUnderstood(specification version: UTF8Text) -> Bool {
        let parts = version.bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { part in
            (1...9).contains(part.count) && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        return areNumbers && (2...3).contains(parts.count) && parts[0].elementsEqual([UInt8(ascii: "1")])
    }
}
