/// NOR flash: erasing sets whole sectors to FF, programming only clears bits.
///
/// Power can be taken away in the middle: the operation that spends the last of ``operationsUntilPowerLoss`` is done by
/// half, and what comes after it does nothing.
public struct Flash: Sendable {
    public static let sectorSize = 4096

    public private(set) var bytes: [UInt8]
    /// Nil: the power stays.
    var operationsUntilPowerLoss: Int?
    /// By their numbers: those that were erased or written since ``keptChanges()``.
    private(set) var changedSectors: Set<Int> = []

    /// An empty one.
    /// - Parameter size: bytes, a multiple of the sector's.
    public init(size: Int) { self.init(bytes: [UInt8](repeating: 0xFF, count: size)) }

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public var size: Int { bytes.count }
    var hasLostPower: Bool { operationsUntilPowerLoss == 0 }

    mutating func eraseSector(at offset: Int) {
        let count = powered(Self.sectorSize)
        bytes.replaceSubrange(offset..<offset + count, with: repeatElement(0xFF, count: count))
        noteChange(offset..<offset + count)
    }

    mutating func program(_ data: [UInt8], at offset: Int) {
        let count = powered(data.count)
        for position in 0..<count { bytes[offset + position] &= data[position] }
        noteChange(offset..<offset + count)
    }

    /// What a programmer on the USB port does: erases and writes in one go, with power.
    mutating func write(_ data: [UInt8], at offset: Int) {
        bytes.replaceSubrange(offset..<offset + data.count, with: data)
        noteChange(offset..<offset + data.count)
    }

    /// Somebody else has what the sectors hold now.
    mutating func keptChanges() { changedSectors = [] }

    private mutating func noteChange(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        changedSectors.formUnion(range.lowerBound / Self.sectorSize...(range.upperBound - 1) / Self.sectorSize)
    }

    /// Takes one operation from the power that is left; how many of its bytes are done.
    private mutating func powered(_ count: Int) -> Int {
        guard let left = operationsUntilPowerLoss else { return count }
        operationsUntilPowerLoss = max(0, left - 1)
        return left > 1 ? count : left == 1 ? count / 2 : 0
    }
}

extension Flash: Hashable {
    /// Of what it holds and does; who has a copy is no part of it.
    public static func == (left: Flash, right: Flash) -> Bool {
        left.operationsUntilPowerLoss == right.operationsUntilPowerLoss && left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(operationsUntilPowerLoss)
    }
}
