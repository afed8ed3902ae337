import TestSupport

extension SeededRandom {
    /// The bytes with one to four small changes: a byte replaced, taken out, put in or copied from elsewhere.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = bytes.indices.randomElement(using: &self)!
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[index] = .random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(Array(#"{}[]",:0-\u"#.utf8).randomElement(using: &self)!, at: index)
            default: bytes[index] = bytes.randomElement(using: &self)!
            }
        }
        return bytes
    }
}
