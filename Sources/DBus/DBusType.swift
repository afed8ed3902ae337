/// A type that holds one value without containing others, by its code in a signature.
enum BasicType: Character, CaseIterable, Sendable {
    case byte = "y"
    case boolean = "b"
    case int16 = "n"
    case uint16 = "q"
    case int32 = "i"
    case uint32 = "u"
    case int64 = "x"
    case uint64 = "t"
    case double = "d"
    case string = "s"
    case objectPath = "o"
    case signature = "g"
    case fileDescriptor = "h"

    var signature: String { String(rawValue) }
}

/// One single complete type (D-Bus specification, "Type system").
indirect enum DBusType: Hashable, Sendable {
    case basic(BasicType)
    case variant
    case array(DBusType)
    case dictionary(key: BasicType, value: DBusType)
    /// Never empty.
    case structure([DBusType])

    /// `ay` and `a{sv}`, of which most messages consist.
    static let bytes = DBusType.array(.basic(.byte))
    static let properties = DBusType.dictionary(key: .string, value: .variant)

    var signature: String {
        switch self {
        case .basic(let type): type.signature
        case .variant: "v"
        case .array(let element): "a" + element.signature
        case .dictionary(let key, let value): "a" + Self.entrySignature(key, value)
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        }
    }
}

extension DBusType {
    static func entrySignature(_ key: BasicType, _ value: DBusType) -> String {
        if case (.string, .variant) = (key, value) { "{sv}" } else { "{\(key.rawValue)\(value.signature)}" }
    }

    /// Its signature is a letter, and valid.
    var isBasic: Bool {
        if case .basic = self { true } else { false }
    }

    /// The types of a signature.
    static func list(_ signature: String) throws(DBusError) -> [DBusType] {
        guard signature.utf8.count <= DBusLimits.nameLength else {
            throw .invalidMessage("a signature longer than \(DBusLimits.nameLength) bytes")
        }
        var parser = SignatureParser(signature)
        var types: [DBusType] = []
        while !parser.isAtEnd { types.append(try parser.singleType(Nesting())) }
        return types
    }

    /// The type of a signature that is one single complete type.
    init(_ signature: String) throws(DBusError) {
        let types = try DBusType.list(signature)
        guard types.count == 1, let only = types.first else {
            throw .invalidMessage("not one single complete type: \(signature)")
        }
        self = only
    }
}

/// How many containers of each kind are open around a type.
private struct Nesting {
    var arrays = 0
    var structures = 0
}

private struct SignatureParser {
    private let text: String
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.text = text
        self.rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    private var invalid: DBusError { .invalidMessage("invalid signature: \(text)") }

    private mutating func next() throws(DBusError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw invalid }
        return byte
    }

    mutating func singleType(_ outer: Nesting) throws(DBusError) -> DBusType {
        switch try next() {
        case UInt8(ascii: "v"): return .variant
        case UInt8(ascii: "a"): return try array(outer)
        case UInt8(ascii: "("): return try structure(outer)
        case let code:
            guard let basic = BasicType(rawValue: Character(Unicode.Scalar(code))) else { throw invalid }
            return .basic(basic)
        }
    }

    private mutating func array(_ outer: Nesting) throws(DBusError) -> DBusType {
        var nesting = outer
        nesting.arrays += 1
        guard nesting.arrays <= DBusLimits.arrayDepth else { throw invalid }
        guard rest.first == UInt8(ascii: "{") else { return .array(try singleType(nesting)) }
        rest.removeFirst()
        guard case .basic(let key) = try singleType(nesting) else { throw invalid }
        let value = try singleType(nesting)
        guard try next() == UInt8(ascii: "}") else { throw invalid }
        return .dictionary(key: key, value: value)
    }

    private mutating func structure(_ outer: Nesting) throws(DBusError) -> DBusType {
        var nesting = outer
        nesting.structures += 1
        guard nesting.structures <= DBusLimits.structureDepth else { throw invalid }
        var members: [DBusType] = []
        while rest.first != UInt8(ascii: ")") { members.append(try singleType(nesting)) }
        rest.removeFirst()
        guard !members.isEmpty else { throw invalid }
        return .structure(members)
    }
}
