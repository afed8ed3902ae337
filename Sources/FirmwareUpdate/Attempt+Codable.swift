internal import ControlProtocol
internal import Ears

// Written out: digests are hex digits on disk, and states have names, so that a person can read them.

extension UpdateTarget: Codable {
    private enum Key: String, CodingKey {
        case slot, imageDigest, fileSHA256, version
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            slot: try container.decode(UInt32.self, forKey: .slot),
            imageDigest: try container.decode(HexDigits.self, forKey: .imageDigest).bytes,
            fileSHA256: try container.decode(HexDigits.self, forKey: .fileSHA256).bytes,
            version: try container.decode(String.self, forKey: .version))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(slot, forKey: .slot)
        try container.encode(HexDigits(bytes: imageDigest), forKey: .imageDigest)
        try container.encode(HexDigits(bytes: fileSHA256), forKey: .fileSHA256)
        try container.encode(version, forKey: .version)
    }
}

extension FirmwareReading: Codable {
    private enum Key: String, CodingKey {
        case runningSlot, selectedSlot, slots, bootCount, mode
    }

    /// What a session was at is of use while the link is up only, and is not kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            runningSlot: try container.decode(UInt32.self, forKey: .runningSlot),
            selectedSlot: try container.decode(UInt32.self, forKey: .selectedSlot),
            slots: try container.decode([SlotReading].self, forKey: .slots),
            bootCount: try container.decode(UInt32.self, forKey: .bootCount),
            // Left out where it is normal, as records without it are.
            mode: try container.decodeIfPresent(String.self, forKey: .mode).flatMap(EarsMode.init) ?? .normal)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(runningSlot, forKey: .runningSlot)
        try container.encode(selectedSlot, forKey: .selectedSlot)
        try container.encode(slots, forKey: .slots)
        try container.encode(bootCount, forKey: .bootCount)
        if mode != .normal { try container.encode(mode.rawValue, forKey: .mode) }
    }
}

extension FirmwareReading.SlotReading: Codable {
    private enum Key: String, CodingKey {
        case index, digest, version, state
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let state = try container.decode(OTAStateName.self, forKey: .state).state else {
            throw DecodingError.dataCorruptedError(forKey: .state, in: container, debugDescription: "no such state")
        }
        self.init(
            index: try container.decode(UInt32.self, forKey: .index),
            digest: try container.decode(HexDigits.self, forKey: .digest).bytes,
            version: try container.decode(String.self, forKey: .version), otaState: state)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(index, forKey: .index)
        try container.encode(HexDigits(bytes: digest), forKey: .digest)
        try container.encode(version, forKey: .version)
        try container.encode(OTAStateName(otaState), forKey: .state)
    }
}

/// Bytes as lower-case hex digits.
private struct HexDigits: Codable {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let digits = Array(try container.decode(String.self).utf8)
        bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        guard bytes.count * 2 == digits.count else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hex digits")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
}
