/// One segment of an image: where its data stands in the file and where the chip wants it.
public struct ImageSegment: Hashable, Sendable {
    /// Of load address and length, before the data.
    public static let headerLength = 8
    /// Bytes; a segment must be shorter.
    public static let lengthLimit = 16 << 20

    public let loadAddress: UInt32
    /// Bytes. What the header says: in a file cut short there are fewer.
    public let length: Int
    /// Where the data begins in the file, in bytes.
    public let offset: Int
    public let placement: Placement

    public enum Placement: Hashable, Sendable {
        /// Skipped: it moves the next segment to where the MMU can map it.
        case padding
        /// Read through the cache, from where it stands in flash.
        case mapped
        /// Copied to RAM at boot.
        case loaded
        /// No memory of the chip is there.
        case nowhere
        /// This build knows no memory map of the chip.
        case unmapped
    }

    init(loadAddress: UInt32, length: Int, offset: Int, chip: Chip) {
        self.loadAddress = loadAddress
        self.length = length
        self.offset = offset
        placement = Self.placement(of: loadAddress, length: length, on: chip)
    }

    /// First byte after the data, in the file.
    var end: Int { offset + length }

    /// The addresses that the data takes up. No arithmetic on `UInt32` here: address and length come from outside.
    var addresses: Range<Int> { Int(loadAddress)..<(Int(loadAddress) + length) }

    private static func placement(of address: UInt32, length: Int, on chip: Chip) -> Placement {
        if address < MemoryMap.paddingLimit { return .padding }
        guard let map = MemoryMap(of: chip) else { return .unmapped }
        let start = Int(address)
        if let window = map.mapped.first(where: { $0.contains(start) }) {
            return start + length <= window.upperBound ? .mapped : .nowhere
        }
        return map.memory.contains { $0.contains(start) && start + length <= $0.upperBound } ? .loaded : .nowhere
    }
}
