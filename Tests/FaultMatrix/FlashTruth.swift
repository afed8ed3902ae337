/// What a dump of the flash of ears with two slots says, read without any of the product's code or the simulator's:
/// which slot otadata means, and what state it gives each.
struct FlashTruth: Equatable {
    enum State: UInt32 {
        case new = 0
        case pendingVerify = 1
        case valid = 2
        case invalid = 3
        case aborted = 4
        case undefined = 0xFFFF_FFFF
    }

    /// The newest entry that is neither invalid nor aborted; nil: otadata means nothing yet.
    let selectedSlot: Int?
    /// Of each slot, from the newest entry about it.
    let states: [State]

    static let otaDataOffsets = [0xE000, 0xF000]

    init(reading flash: (Range<Int>) -> [UInt8]) {
        var entries: [(sequence: UInt32, state: State)] = []
        for offset in Self.otaDataOffsets {
            let entry = flash(offset..<offset + 32)
            let sequence = Self.word(entry, 0)
            guard sequence != 0, sequence != .max, Self.word(entry, 28) == Self.crc(sequence),
                let state = State(rawValue: Self.word(entry, 24))
            else { continue }
            entries.append((sequence, state))
        }
        entries.sort { $0.sequence > $1.sequence }
        selectedSlot = entries.first { $0.state != .invalid && $0.state != .aborted }.map { Self.slot($0.sequence) }
        states = (0..<2).map { slot in entries.first { Self.slot($0.sequence) == slot }?.state ?? .undefined }
    }

    private static func slot(_ sequence: UInt32) -> Int { Int((sequence - 1) % 2) }

    private static func word(_ entry: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(entry[offset + $1]) << (8 * UInt32($1)) }
    }

    /// zlib's `crc32(sequence, 0xFFFFFFFF)` over the sequence's four bytes.
    private static func crc(_ sequence: UInt32) -> UInt32 {
        var remainder: UInt32 = 0
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            remainder ^= sequence >> shift & 0xFF
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}
