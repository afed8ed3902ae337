/// Why a text is not the JSON that is read here.
public enum VersionDocumentFault: Error, Equatable, Sendable {
    case tooLong(bytes: Int)
    case tooDeep
    case tooManyValues
    case notUTF8
    case syntax(offset: Int)
    case duplicateMember(String)
    case missingMember(String)
    case wrongType(member: String)
}

/// A JSON value (RFC 8259), as far as a version document needs it.
enum BoundedJSON: Equatable {
    case object([String: BoundedJSON])
    case array([BoundedJSON])
    case string(String)
    case integer(Int64)
    /// A number with fraction, exponent or more than 64 bits: grammatical, not looked into.
    case otherNumber
    case boolean(Bool)
    case null

    static let maximumBytes = EarsLimits.attributeBytes
    static let maximumDepth = 8
    static let maximumValues = 128

    init(parsing bytes: [UInt8]) throws(VersionDocumentFault) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLong(bytes: bytes.count) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        var parser = JSONParser(bytes: bytes)
        self = try parser.document()
    }

    /// A member that has to be there, of an object.
    func member(_ name: String) throws(VersionDocumentFault) -> BoundedJSON {
        guard let value = try optionalMember(name) else { throw .missingMember(name) }
        return value
    }

    func optionalMember(_ name: String) throws(VersionDocumentFault) -> BoundedJSON? {
        guard case .object(let members) = self else { throw .wrongType(member: name) }
        return members[name]
    }

    func integer(_ name: String) throws(VersionDocumentFault) -> Int64 {
        guard case .integer(let value) = try member(name) else { throw .wrongType(member: name) }
        return value
    }

    func string(_ name: String) throws(VersionDocumentFault) -> String {
        guard case .string(let value) = try member(name) else { throw .wrongType(member: name) }
        return value
    }
}
