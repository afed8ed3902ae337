/// SplitMix64: the same numbers on every machine and every run.
public struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension [UInt8] {
    /// Puts in, takes out or changes one byte.
    public mutating func mutate(using random: inout SeededRandom) {
        let place = Int.random(in: 0...count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: insert(.random(in: 0...255, using: &random), at: place)
        case 1 where place < count: remove(at: place)
        default:
            if place < count { self[place] = .random(in: 0...255, using: &random) }
        }
    }
}
