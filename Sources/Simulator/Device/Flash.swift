/// NOR flash: erasing sets whole sectors to FF, programming only clears bits.
///
/// Power can be taken away in the middle: the operation that spends the last of ``operationsUntilPowerLoss`` is done by
/// half, and what comes after it does nothing. Copies share every sector that neither has changed.
public struct Flash: Sendable {
    public static let sectorSize = 4096
    private static let erased = [UInt8](repeating: 0xFF, count: sectorSize)

    /// Bytes.
    public let size: Int
    private var sectors: [[UInt8]]
    /// Nil: the power stays.
    var operationsUntilPowerLoss: Int?
    /// By their numbers: those that were erased or written since ``keptChanges()``.
    private(set) var changedSectors: Set<Int> = []

    /// An empty one.
    /// - Parameter size: bytes, a multiple of the sector's.
    public init(size: Int) {
        self.size = size
        sectors = Array(repeating: Self.erased, count: size / Self.sectorSize)
    }

    public init(bytes: [UInt8]) {
        size = bytes.count
        sectors = stride(from: 0, to: bytes.count, by: Self.sectorSize).map { start in
            let sector = bytes[start..<min(start + Self.sectorSize, bytes.count)]
            return sector.elementsEqual(Self.erased) ? Self.erased : Array(sector)
        }
    }

    var hasLostPower: Bool { operationsUntilPowerLoss == 0 }

    // MARK: Reading

    /// All of it, in one piece.
    public var bytes: [UInt8] { read(0..<size) }

    subscript(offset: Int) -> UInt8 { sectors[offset / Self.sectorSize][offset % Self.sectorSize] }

    public func read(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        forEachPiece(of: range) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Hands over the bytes of a range, sector by sector.
    func forEachPiece(of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) {
        for (sector, part) in Self.parts(of: range) {
            sectors[sector].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        }
    }

    /// The sectors that a range touches, with the part of each that it covers.
    private static func parts(of range: Range<Int>) -> [(sector: Int, part: Range<Int>)] {
        guard !range.isEmpty else { return [] }
        return (range.lowerBound / sectorSize...(range.upperBound - 1) / sectorSize).map { sector in
            let start = sector * sectorSize
            return (sector, max(range.lowerBound - start, 0)..<min(range.upperBound - start, sectorSize))
        }
    }

    // MARK: Changing

    mutating func eraseSector(at offset: Int) {
        let count = powered(Self.sectorSize)
        guard count < Self.sectorSize || !offset.isMultiple(of: Self.sectorSize) else {
            sectors[offset / Self.sectorSize] = Self.erased
            changedSectors.insert(offset / Self.sectorSize)
            return
        }
        change(offset..<offset + count) { byte, _ in byte = 0xFF }
    }

    mutating func program(_ data: [UInt8], at offset: Int) {
        change(offset..<offset + powered(data.count)) { byte, position in byte &= data[position] }
    }

    /// What a programmer on the USB port does: erases and writes in one go, with power.
    mutating func write(_ data: [UInt8], at offset: Int) {
        change(offset..<offset + data.count) { byte, position in byte = data[position] }
    }

    /// - Parameter body: is given each byte with its position in the range.
    private mutating func change(_ range: Range<Int>, _ body: (inout UInt8, Int) -> Void) {
        for (sector, part) in Self.parts(of: range) {
            changedSectors.insert(sector)
            let start = sector * Self.sectorSize - range.lowerBound
            sectors[sector].withUnsafeMutableBufferPointer { bytes in
                for position in part { body(&bytes[position], start + position) }
            }
        }
    }

    /// Somebody else has what the sectors hold now.
    mutating func keptChanges() { changedSectors = [] }

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
        left.operationsUntilPowerLoss == right.operationsUntilPowerLoss && left.sectors == right.sectors
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sectors)
        hasher.combine(operationsUntilPowerLoss)
    }
}
