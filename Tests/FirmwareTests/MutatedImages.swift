import ImageInvariants
import TestSupport

/// Images changed at random, most of them with checksum and hash made right again. The same for the same seed.
enum MutatedImages {
    static func make(count: Int, seed: UInt64) -> [(name: String, bytes: [UInt8])] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { number in
            let (name, bytes) = mutate(bases[number % bases.count], using: &generator)
            return ("\(number)-\(name)", bytes)
        }
    }

    private static let bases: [[UInt8]] = {
        var erased = ImageBuilder.esp32s3()
        erased.tail = [UInt8](repeating: 0xFF, count: 37)
        var older = ImageBuilder.esp32(project: "hello_world")
        older.tail = SignedImages.secureBootV1Trailer()
        return [
            ImageBuilder.esp32().bytes, ImageBuilder.esp32s3(project: "espurr-v2-16m").bytes, erased.bytes, older.bytes,
            SignedImages.secureBootV2(ImageBuilder.esp32().bytes, blocks: 2),
        ]
    }()

    private static func mutate(_ base: [UInt8], using generator: inout SeededRandom) -> (String, [UInt8]) {
        var bytes = base
        var names: [String] = []
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let mutation = Mutation.allCases[Int.random(in: 0..<Mutation.allCases.count, using: &generator)]
            mutation.apply(to: &bytes, using: &generator)
            names.append(mutation.rawValue)
        }
        if UInt8.random(in: 0..<4, using: &generator) > 0, bytes.count > 2 {
            bytes = bytes.resealed()
            names.append("sealed")
        }
        return (names.joined(separator: "-"), bytes)
    }

    private enum Mutation: String, CaseIterable {
        case nothing, header, segment, descriptor, anywhere, append, cut, insert

        func apply(to bytes: inout [UInt8], using generator: inout SeededRandom) {
            guard bytes.count > 512 else { return }
            let odd = Mutation.oddWords[Int.random(in: 0..<Mutation.oddWords.count, using: &generator)]
            let byte = UInt8.random(in: 0...255, using: &generator)
            switch self {
            case .nothing: break
            case .header: bytes[Int.random(in: 1..<24, using: &generator)] = byte
            case .segment:
                let starts = [24, 28, 384, 388, 456, 460]
                bytes.put(odd, at: starts[Int.random(in: 0..<starts.count, using: &generator)])
            case .descriptor: bytes[Int.random(in: 32..<288, using: &generator)] = byte
            case .anywhere: bytes[Int.random(in: 0..<bytes.count, using: &generator)] = byte
            case .append: bytes += [UInt8](repeating: byte | 0xF0, count: Int.random(in: 1...90, using: &generator))
            case .cut: bytes.removeLast(Int.random(in: 1...48, using: &generator))
            case .insert: bytes.insert(byte, at: Int.random(in: 0..<bytes.count, using: &generator))
            }
        }

        private static let oddWords: [UInt32] = [
            0, 1, 4, 63, 64, 68, 0xFFFF_FFFF, 0x0100_0000, 0x00FF_FFFC, 0x0FFF_FFFC, 0x1000_0000, 0x3F40_0020,
            0x3F40_0024, 0x3F80_0020, 0x3FFB_0000, 0x3FFB_0010, 0x4008_0000, 0x4008_0040, 0x400D_0020, 0x3C00_0020,
            0x3FC9_0000, 0x4037_4000, 0x4200_0188, 0x5000_0000, 0x600F_E000, 0x3FFF_FFFC,
        ]
    }
}
