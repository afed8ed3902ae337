/// Why bytes are not the JSON that signed metadata is made of. `offset` counts bytes from the start.
public struct JSONFault: Error, Hashable, Sendable {
    public let offset: Int
    public let reason: Reason

    public enum Reason: Hashable, Sendable {
        case notUTF8
        case unexpectedEnd
        case unexpectedByte(UInt8)
        /// More follows the value.
        case trailingBytes
        case fraction
        case integerOutOfRange
        case loneSurrogate
        case duplicateName(UTF8Text)
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
    }
}

/// Bounds on a JSON text beyond its size in bytes.
public struct JSONLimits: Equatable, Sendable {
    /// Arrays and objects within one another.
    public var depth = 64
    /// Values altogether; each takes some tens of bytes of memory.
    public var values = 400_000

    public init() {}
}

/// A strict reader of RFC 8259: UTF-8 without a byte order mark, one value, unique names, whole numbers.
struct JSONReader {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var depth = 0
    private var values = 0

    static func read(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw JSONFault(offset: 0, reason: .notUTF8) }
        var reader = JSONReader(bytes: bytes, limits: limits)
        reader.skipWhiteSpace()
        let value = try reader.value()
        reader.skipWhiteSpace()
        guard reader.position == bytes.count else { throw reader.fault(.trailingBytes) }
        return value
    }

    private init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ reason: JSONFault.Reason) -> JSONFault { JSONFault(offset: position, reason: reason) }

    private func unexpected() -> JSONFault { fault(next.map { .unexpectedByte($0) } ?? .unexpectedEnd) }

    private mutating func skipWhiteSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func value() throws(JSONFault) -> JSONValue {
        values += 1
        guard values <= limits.values else { throw fault(.tooManyValues(limit: limits.values)) }
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .integer(try integer())
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) { try take(byte) }
        return value
    }

    private mutating func take(_ byte: UInt8) throws(JSONFault) {
        guard next == byte else { throw unexpected() }
        position += 1
    }

    private mutating func enter() throws(JSONFault) {
        depth += 1
        guard depth <= limits.depth else { throw fault(.tooDeep(limit: limits.depth)) }
        position += 1
        skipWhiteSpace()
    }

    private mutating func leave() {
        depth -= 1
        position += 1
    }

    /// Takes a comma and says that there is more, or takes the closing byte and says that there is not.
    private mutating func isMore(before close: UInt8) throws(JSONFault) -> Bool {
        skipWhiteSpace()
        if next == close {
            leave()
            return false
        }
        try take(UInt8(ascii: ","))
        skipWhiteSpace()
        return true
    }

    private mutating func array() throws(JSONFault) -> [JSONValue] {
        try enter()
        guard next != UInt8(ascii: "]") else {
            leave()
            return []
        }
        var elements: [JSONValue] = []
        repeat { elements.append(try value()) } while try isMore(before: UInt8(ascii: "]"))
        return elements
    }

    private mutating func object() throws(JSONFault) -> JSONObject {
        try enter()
        var members: [JSONObject.Member] = []
        if next == UInt8(ascii: "}") {
            leave()
        } else {
            repeat { members.append(try member()) } while try isMore(before: UInt8(ascii: "}"))
        }
        guard let object = JSONObject(members) else { throw fault(.duplicateName(Self.duplicate(in: members))) }
        return object
    }

    private mutating func member() throws(JSONFault) -> JSONObject.Member {
        let name = try text()
        skipWhiteSpace()
        try take(UInt8(ascii: ":"))
        skipWhiteSpace()
        return JSONObject.Member(name: name, value: try value())
    }

    private static func duplicate(in members: [JSONObject.Member]) -> UTF8Text {
        var seen: Set<UTF8Text> = []
        return members.first { !seen.insert($0.name).inserted }?.name ?? ""
    }

    private mutating func integer() throws(JSONFault) -> Int64 {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let digits = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > digits else { throw unexpected() }
        guard bytes[digits] != UInt8(ascii: "0") || position == digits + 1 else {
            throw JSONFault(offset: digits + 1, reason: .unexpectedByte(bytes[digits + 1]))
        }
        if let byte = next, [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(byte) {
            throw fault(.fraction)
        }
        guard let value = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw JSONFault(offset: start, reason: .integerOutOfRange)
        }
        return value
    }

    private mutating func text() throws(JSONFault) -> UTF8Text {
        try take(UInt8(ascii: "\""))
        var content: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw unexpected() }
            position += 1
            if byte == UInt8(ascii: "\\") { content += try escape() } else { content.append(byte) }
        }
        try take(UInt8(ascii: "\""))
        return UTF8Text(validated: content)
    }

    private mutating func escape() throws(JSONFault) -> [UInt8] {
        guard let letter = next, letter != UInt8(ascii: "u") else {
            if next == nil { throw fault(.unexpectedEnd) }
            return Array(String(Character(try escapedScalar())).utf8)
        }
        guard let byte = Self.escapes[letter] else { throw unexpected() }
        position += 1
        return [byte]
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// `u` and four digits, twice where the first are the high half of a surrogate pair.
    private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
        let first = try escapedUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), next == UInt8(ascii: "\\") else { throw fault(.loneSurrogate) }
        position += 1
        guard next == UInt8(ascii: "u") else { throw fault(.loneSurrogate) }
        let second = try escapedUnit()
        guard UTF16.isTrailSurrogate(second) else { throw fault(.loneSurrogate) }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func escapedUnit() throws(JSONFault) -> UInt16 {
        try take(UInt8(ascii: "u"))
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(Hexadecimal.digit) else { throw unexpected() }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
