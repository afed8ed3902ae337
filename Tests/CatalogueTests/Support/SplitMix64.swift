/// A seeded generator, so that a failing mutation can be had again.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

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
