/// The grammar of RFC 8259 over bytes that are known to be UTF-8, with limits on depth and count.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var values = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(VersionDocumentFault) -> BoundedJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .syntax(offset: position) }
        return value
    }

    private mutating func value(depth: Int) throws(VersionDocumentFault) -> BoundedJSON {
        guard depth < BoundedJSON.maximumDepth else { throw .tooDeep }
        values += 1
        guard values <= BoundedJSON.maximumValues else { throw .tooManyValues }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(VersionDocumentFault) -> BoundedJSON {
        position += 1
        var members: [String: BoundedJSON] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            try expect(":")
            let member = try value(depth: depth + 1)
            guard members.updateValue(member, forKey: name) == nil else { throw .duplicateMember(name) }
        } while take(",")
        try expect("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(VersionDocumentFault) -> BoundedJSON {
        position += 1
        var elements: [BoundedJSON] = []
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
        } while take(",")
        try expect("]")
        return .array(elements)
    }

    private mutating func string() throws(VersionDocumentFault) -> String {
        guard peek == UInt8(ascii: "\"") else { throw .syntax(offset: position) }
        position += 1
        var text: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw .syntax(offset: position) }
            position += 1
            if byte == UInt8(ascii: "\\") {
                text += try escape()
            } else {
                text.append(byte)
            }
        }
        guard peek != nil else { throw .syntax(offset: position) }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape() throws(VersionDocumentFault) -> [UInt8] {
        guard let byte = peek else { throw .syntax(offset: position) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .syntax(offset: position)
        }
    }

    private mutating func unicodeEscape() throws(VersionDocumentFault) -> [UInt8] {
        let first = try fourHexDigits()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw .syntax(offset: position) }
            return Array(String(Character(scalar)).utf8)
        }
        guard peek == UInt8(ascii: "\\") else { throw .syntax(offset: position) }
        position += 1
        guard peek == UInt8(ascii: "u") else { throw .syntax(offset: position) }
        position += 1
        let second = try fourHexDigits()
        guard UTF16.isTrailSurrogate(second) else { throw .syntax(offset: position) }
        return Array(String(decoding: [first, second], as: UTF16.self).utf8)
    }

    private mutating func fourHexDigits() throws(VersionDocumentFault) -> UInt16 {
        var number: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw .syntax(offset: position)
            }
            number = number << 4 | UInt16(digit)
            position += 1
        }
        return number
    }

    private mutating func number() throws(VersionDocumentFault) -> BoundedJSON {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        let leading = peek
        let digits = try takeDigits()
        guard leading != UInt8(ascii: "0") || digits == 1 else { throw .syntax(offset: start) }
        var isInteger = true
        if peek == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            _ = try takeDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            _ = try takeDigits()
        }
        guard isInteger, let value = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            return .otherNumber
        }
        return .integer(value)
    }

    private mutating func takeDigits() throws(VersionDocumentFault) -> Int {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .syntax(offset: position) }
        return position - start
    }

    private mutating func word(_ word: String, _ value: BoundedJSON) throws(VersionDocumentFault) -> BoundedJSON {
        guard bytes[position...].starts(with: word.utf8) else { throw .syntax(offset: position) }
        position += word.utf8.count
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ mark: Unicode.Scalar) throws(VersionDocumentFault) {
        guard take(mark) else { throw .syntax(offset: position) }
    }
}
