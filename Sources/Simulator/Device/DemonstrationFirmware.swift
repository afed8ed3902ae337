import Crypto

/// The images of the demonstration catalogue, byte for byte: one deterministic function of family and version, which
/// the script that signs the catalogue has as well.
public enum DemonstrationFirmware {
    /// What fresh ears run.
    public static let factoryVersion = "1.4.0"

    public static func image(family: BoardFamily, version: String) -> [UInt8] {
        var image = header(of: family)
        for (number, segment) in segments(of: family).enumerated() {
            append(segment, number: number, to: &image, family: family, version: version)
        }
        return sealed(image, from: segmentsStart)
    }

    /// `project_name` of the application descriptor.
    static func project(of family: BoardFamily) -> String { "espurr-\(family.rawValue)" }

    private static let segmentsStart = 24

    private enum Address {
        case fixed(UInt32)
        /// The start of a mapped area; the place within its 64 KiB page is that of the data in the file.
        case mapped(UInt32)
    }

    private struct Segment {
        let address: Address
        let length: Int
    }

    private static func segments(of family: BoardFamily) -> [Segment] {
        let isESP32 = family.chip == .esp32
        let code =
            switch family {
            case .esp32: 0x7_A000
            case .s3: 0xA_8000
            case .v2With8MB: 0xD_0000
            case .v2With16MB: 0x12_0000
            }
        return [
            Segment(address: .fixed(isESP32 ? 0x3F40_0020 : 0x3C00_0020), length: 0x2_0000),
            Segment(address: .fixed(isESP32 ? 0x3FFB_0000 : 0x3FC9_0000), length: 0x3000),
            Segment(address: .fixed(isESP32 ? 0x4008_0000 : 0x4037_4000), length: 0x1_0000),
            Segment(address: .mapped(isESP32 ? 0x400D_0000 : 0x4200_0000), length: code),
        ]
    }

    private static func header(of family: BoardFamily) -> [UInt8] {
        let speedAndSize: UInt8 =
            switch family {
            case .esp32: 0x2F
            case .s3, .v2With8MB: 0x3F
            case .v2With16MB: 0x4F
            }
        var header: [UInt8] = [0xE9, 4, 2, speedAndSize]
        header.append(littleEndian: UInt32(family.chip == .esp32 ? 0x4008_1000 : 0x4037_5000))
        header.append(contentsOf: [0xEE, 0, 0, 0])
        header.append(littleEndian: family.chip.identifier)
        header.append(0)
        header.append(littleEndian: UInt16(0))
        header.append(littleEndian: UInt16.max)
        return header + [0, 0, 0, 0, 1]
    }

    private static func append(
        _ segment: Segment, number: Int, to image: inout [UInt8], family: BoardFamily, version: String
    ) {
        let address =
            switch segment.address {
            case .fixed(let address): address
            case .mapped(let base): base + UInt32((image.count + 8) % 0x1_0000)
            }
        image.append(littleEndian: address)
        image.append(littleEndian: UInt32(segment.length))
        let descriptor = number == 0 ? descriptor(of: family, version: version) : []
        image.append(contentsOf: descriptor)
        let seed = fnv1a("\(project(of: family))/\(version)/\(number)")
        image.append(contentsOf: noise(seed: seed, count: segment.length - descriptor.count))
    }

    private static func descriptor(of family: BoardFamily, version: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: ApplicationDescriptor.magic)
        bytes.append(contentsOf: repeatElement(0, count: 12))
        bytes.append(text: version, paddedTo: 32)
        bytes.append(text: project(of: family), paddedTo: 32)
        bytes.append(text: "12:00:00", paddedTo: 16)
        bytes.append(text: "Jan  1 2026", paddedTo: 16)
        bytes.append(text: "v6.1", paddedTo: 32)
        bytes.append(contentsOf: HashAlgorithm.sha256.hash(of: Array("\(project(of: family))/\(version)".utf8)))
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt16(199))
        bytes.append(contentsOf: [16, 2])
        return bytes + repeatElement(0, count: ApplicationDescriptor.size - bytes.count)
    }

    /// Checksum over the segments' data, then the digest over everything.
    private static func sealed(_ image: [UInt8], from start: Int) -> [UInt8] {
        var image = image
        var checksum: UInt8 = 0xEF
        var position = start
        while position < image.count {
            let end = position + 8 + Int(image.littleEndian(at: position + 4, as: UInt32.self))
            checksum ^= image.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[position + 8..<end]).exclusiveOr }
            position = end
        }
        image.append(contentsOf: repeatElement(0, count: 15 - image.count % 16))
        image.append(checksum)
        return image + HashAlgorithm.sha256.hash(of: image)
    }

    /// FNV-1a, 64 bits.
    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// Outputs of the generator, little endian, one after the other.
    private static func noise(seed: UInt64, count: Int) -> [UInt8] {
        let words = (count + 7) / 8
        var generator = SplitMix64(seed: seed)
        let bytes = [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for word in 0..<words {
                raw.storeBytes(of: generator.next().littleEndian, toByteOffset: word * 8, as: UInt64.self)
            }
            initialized = words * 8
        }
        return Array(bytes.prefix(count))
    }
}

extension Flash {
    /// As the maker delivers it: a partition table, blank otadata, firmware in the first slot.
    static func factory(of configuration: EarsConfiguration) -> Flash {
        let family = configuration.family
        let table = PartitionTable.standard(for: family)
        let image = DemonstrationFirmware.image(family: family, version: configuration.firmwareVersion)
        var flash = Flash(size: family.flashSize)
        flash.write(table.encoded(), at: PartitionTable.offset)
        flash.write(image, at: table.slots[0].offset)
        return flash
    }
}
