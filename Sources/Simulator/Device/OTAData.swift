import ControlProtocol

/// The two entries of the otadata partition, each in a sector of its own: which slot boots, and how it fares.
struct OTAData: Hashable, Sendable {
    /// `esp_ota_select_entry_t`; the CRC is of the sequence alone.
    struct Entry: Hashable, Sendable {
        static let size = 32
        var sequence: UInt32
        var state: UInt32

        /// Slot = (sequence − 1) modulo the number of slots.
        func slot(of count: Int) -> Int { (Int(sequence) - 1) % count }
    }

    /// As numbers of otadata (`esp_ota_img_states_t`).
    enum State {
        static let new: UInt32 = 0
        static let pendingVerify: UInt32 = 1
        static let valid: UInt32 = 2
        static let invalid: UInt32 = 3
        static let aborted: UInt32 = 4
        static let undefined: UInt32 = .max
    }

    /// Entries whose CRC is right; nil where there is none.
    private(set) var entries: [Entry?]
    /// Neither sector was ever programmed.
    let isBlank: Bool
    private let offset: Int

    init(in flash: Flash, at offset: Int) {
        self.offset = offset
        let raw = (0..<2).map { position in
            let start = offset + position * Flash.sectorSize
            return flash.read(start..<start + Entry.size)
        }
        entries = raw.map(Entry.init(decoding:))
        isBlank = raw.allSatisfy { $0.littleEndian(at: 0) == UInt32.max }
    }

    /// Position of the entry that counts: the highest sequence that is neither invalid nor aborted.
    var active: Int? {
        entries.indices.filter { entries[$0]?.isBootable ?? false }
            .max { (entries[$0]?.sequence ?? 0) < (entries[$1]?.sequence ?? 0) }
    }

    /// Where normal firmware is: what a boot takes, but for a slot that was selected and never booted. Where otadata says
    /// nothing, the first.
    func slotOfNormalFirmware(of count: Int) -> Int {
        guard let entry = active.flatMap({ entries[$0] }) else { return 0 }
        let slot = entry.slot(of: count)
        return entry.state == State.new ? (slot + count - 1) % count : slot
    }

    /// State of `slot`, from the newest entry that is about it.
    func state(ofSlot slot: Int, of count: Int) -> UInt32 {
        entries.compactMap(\.self).filter { $0.slot(of: count) == slot }
            .max { $0.sequence < $1.sequence }?.state ?? State.undefined
    }

    /// Erases the entry's sector, then programs it: power lost between the two leaves the other entry to decide.
    mutating func write(_ entry: Entry?, at position: Int, to flash: inout Flash) {
        let start = offset + position * Flash.sectorSize
        flash.eraseSector(at: start)
        if let entry { flash.program(entry.encoded(), at: start) }
        entries[position] = entry
    }

    mutating func setState(_ state: UInt32, at position: Int, in flash: inout Flash) {
        guard var entry = entries[position] else { return }
        entry.state = state
        write(entry, at: position, to: &flash)
    }

    /// `esp_ota_set_boot_partition`: the next sequence that means `slot`, in the entry that is not active.
    mutating func select(slot: Int, of count: Int, state: UInt32, in flash: inout Flash) {
        guard let active, let current = entries[active]?.sequence else {
            return write(Entry(sequence: UInt32(slot + 1), state: state), at: 0, to: &flash)
        }
        var sequence = Int(current) + 1
        while (sequence - 1) % count != slot { sequence += 1 }
        write(Entry(sequence: UInt32(clamping: sequence), state: state), at: 1 - active, to: &flash)
    }
}

extension OTAData.Entry {
    fileprivate var isBootable: Bool { state != OTAData.State.invalid && state != OTAData.State.aborted }

    fileprivate init?(decoding bytes: [UInt8]) {
        let sequence: UInt32 = bytes.littleEndian(at: 0)
        guard sequence != 0, sequence != .max, bytes.littleEndian(at: 28) == Self.checksum(of: sequence) else {
            return nil
        }
        self.init(sequence: sequence, state: bytes.littleEndian(at: 24))
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: sequence)
        bytes.append(contentsOf: repeatElement(0xFF, count: 20))
        bytes.append(littleEndian: state)
        bytes.append(littleEndian: Self.checksum(of: sequence))
        return bytes
    }

    /// CRC-32 (reflected 0xEDB88320) as `esp_rom_crc32_le(UINT32_MAX, …)` computes it.
    static func checksum(of sequence: UInt32) -> UInt32 {
        var crc: UInt32 = 0
        var bytes: [UInt8] = []
        bytes.append(littleEndian: sequence)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~crc
    }
}

extension OTAState {
    init(otaData state: UInt32) {
        self =
            switch state {
            case OTAData.State.new: .new
            case OTAData.State.pendingVerify: .pendingVerify
            case OTAData.State.valid: .valid
            case OTAData.State.invalid: .invalid
            case OTAData.State.aborted: .aborted
            case OTAData.State.undefined: .undefined
            default: .unknown(state)
            }
    }
}
