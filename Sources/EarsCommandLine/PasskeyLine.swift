import Bluetooth

extension Passkey {
    /// The six digits of a line of the ears' serial console; nil where it is no passkey line.
    ///
    /// A line is one where it is just six digits, or where exactly one group of six digits stands behind the word
    /// `passkey`. What stands before the word does not count: ESP-IDF's log puts a time there, `I (123456) app:`.
    init?(consoleLine line: String) {
        let words = line.split(whereSeparator: \.isWhitespace)
        let groups = line.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let behind: [Substring]
        if let name = groups.firstIndex(where: { $0.lowercased() == "passkey" }) {
            behind = groups[groups.index(after: name)...].filter(\.isSixDigits)
        } else {
            behind = words.count == 1 ? words.filter(\.isSixDigits) : []
        }
        guard behind.count == 1, let number = UInt32(behind[0]) else { return nil }
        self.init(number)
    }
}

extension Substring {
    fileprivate var isSixDigits: Bool { utf8.count == 6 && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
