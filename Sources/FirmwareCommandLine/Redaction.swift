import CommandLineTools

/// Takes out of a report what says whose it is.
///
/// A report is made of what identifies nobody in the first place; this is what holds it to that, whatever text ears or
/// this machine put where none was expected.
struct Redaction: Equatable {
    static let mark = "(removed)"
    /// Characters of an identifier at least: shorter ones are parts of other words.
    private static let shortest = 3

    /// As they are written: names of ears and of this machine, addresses in any form.
    private let identifiers: [String]

    init(_ identifiers: [String]) {
        let forms = identifiers.filter { $0.count >= Self.shortest }.flatMap { identifier -> [String] in
            guard identifier.isAddress else { return [identifier] }
            return [":", "-", "_", ""].map { identifier.replacing(":", with: $0) }
        }
        // The longest first: one may be part of another.
        self.identifiers = Set(forms).sorted { ($0.count, $0) > ($1.count, $1) }
    }

    func callAsFunction(_ json: JSON) -> JSON {
        switch json {
        case .string(let text): .string(self(text))
        case .array(let elements): .array(elements.map(callAsFunction))
        // Names of members are ours.
        case .object(let members): .object(members.map { ($0.0, self($0.1)) })
        case .null, .boolean, .integer, .number: json
        }
    }

    func callAsFunction(_ text: String) -> String {
        identifiers.reduce(text) { $0.replacingWord($1, with: Self.mark) }.withoutAddresses(Self.mark)
    }
}

extension String {
    /// Six pairs of hexadecimal digits with colons between.
    fileprivate var isAddress: Bool {
        let pairs = split(separator: ":", omittingEmptySubsequences: false)
        return pairs.count == 6 && pairs.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    /// Replaces a word, in any case, where no letter or digit touches it.
    fileprivate func replacingWord(_ word: String, with mark: String) -> String {
        let (text, wanted) = (Array(self), Array(word))
        guard text.count >= wanted.count else { return self }
        let folded = wanted.map { $0.lowercased() }
        var result: [Character] = []
        var place = 0
        while place < text.count {
            let end = place + wanted.count
            if end <= text.count, text[place..<end].elementsEqual(folded, by: { $0.lowercased() == $1 }),
                !(place > 0 && text[place - 1].isWordPart), !(end < text.count && text[end].isWordPart)
            {
                result += Array(mark)
                place = end
            } else {
                result.append(text[place])
                place += 1
            }
        }
        return String(result)
    }

    /// Replaces six pairs of hexadecimal digits with one separator between them, whoever's they are.
    fileprivate func withoutAddresses(_ mark: String) -> String {
        let text = Array(self)
        let length = 17
        var result: [Character] = []
        var place = 0
        while place < text.count {
            if place + length <= text.count, Self.isAddress(text[place..<place + length]) {
                result += Array(mark)
                place += length
            } else {
                result.append(text[place])
                place += 1
            }
        }
        return String(result)
    }

    private static func isAddress(_ text: ArraySlice<Character>) -> Bool {
        let separator = text[text.startIndex + 2]
        guard ":-_".contains(separator) else { return false }
        return text.enumerated().allSatisfy { $0 % 3 == 2 ? $1 == separator : $1.isHexDigit }
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}
