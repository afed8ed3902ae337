/// A colour as people write it: `RRGGBB`, with or without a `#`, red, green and blue from 00 to ff.
public enum Colour {
    public static func number(_ text: some StringProtocol) -> UInt32? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt32(digits, radix: 16)
    }

    public static func text(_ colour: UInt32) -> String {
        let digits = String(colour, radix: 16)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
