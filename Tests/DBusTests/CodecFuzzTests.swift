import CDBus
import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct CodecFuzzTests {
    @Test(arguments: 0..<4) func `random values come back as they were, as long as was computed`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                DBusType.random(depth: 0, &random).randomValue(&random)
            }
            guard let body = try? MessageBody(values) else { continue }
            let bytes = try Wire.bytes(values)
            #expect(Wire.bodyLength(bytes) == body.length)
            #expect(try Wire.received(bytes) == values)
        }
    }

    @Test(arguments: 0..<4) func `changed bytes are refused or read into values that can be sent again`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var read = 0
        for _ in 0..<1500 {
            let values = [DBusType.random(depth: 0, &random).randomValue(&random)]
            guard var bytes = try? Wire.bytes(values) else { continue }
            for _ in 0...Int.random(in: 0...1, using: &random) { mutate(&bytes, &random) }
            guard let received = try? Wire.received(bytes) else { continue }
            read += 1
            let again = try Wire.received(try Wire.bytes(received))
            // Not the values: a changed double may be NaN.
            #expect(try again?.map { try $0.signature() } == received.map { try $0.signature() })
        }
        #expect(read > 100)
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        // Mostly the body: next to all headers that are changed are refused.
        let body = bytes.count - min(Wire.bodyLength(bytes), bytes.count - 1)
        let start = Int.random(in: 0..<8, using: &random) == 0 ? 0 : min(body, bytes.count - 1)
        let place = Int.random(in: start..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes[place] = "ybnqiuxtdsogvh(){}a".utf8.randomElement(using: &random) ?? 0
        default: if bytes.count > 1 { bytes.removeLast() }
        }
    }

    @Test(arguments: 0..<4) func `a signature is taken exactly when libdbus takes it, and is printed as it was`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var taken = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...10, using: &random)
            let text = String(
                (0..<length).compactMap { _ in "ybdsovhaaa(({{}}))ss?\u{E9}".randomElement(using: &random) })
            let types = try? DBusType.list(text)
            #expect((types != nil) == (dbus_signature_validate(text, nil) != 0), "\(text)")
            guard let types else { continue }
            taken += 1
            #expect(types.map(\.signature).joined() == text)
        }
        #expect(taken > 100)
    }

    @Test(arguments: [
        String(repeating: "a", count: 32) + "y", String(repeating: "a", count: 33) + "y",
        String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32),
        String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
        String(repeating: "a(", count: 32) + "y" + String(repeating: ")", count: 32),
        String(repeating: "a{y", count: 32) + "y" + String(repeating: "}", count: 32),
        String(repeating: "a{y", count: 33) + "y" + String(repeating: "}", count: 33),
        String(repeating: "y", count: 255), String(repeating: "y", count: 256),
    ]) func `the limits of a signature are libdbus'`(text: String) {
        #expect(((try? DBusType.list(text)) != nil) == (dbus_signature_validate(text, nil) != 0))
    }
}

extension DBusType {
    static func random(depth: Int, _ random: inout SeededRandom) -> DBusType {
        switch Int.random(in: 0..<(depth > 4 ? 6 : 10), using: &random) {
        case 0..<6: return .basic(basic(&random))
        case 6: return .variant
        case 7: return .array(.random(depth: depth + 1, &random))
        case 8: return .dictionary(key: basic(&random), value: .random(depth: depth + 1, &random))
        default:
            let count = Int.random(in: 1...3, using: &random)
            return .structure((0..<count).map { _ in .random(depth: depth + 1, &random) })
        }
    }

    /// Any but the descriptor, which has no bytes of its own.
    private static func basic(_ random: inout SeededRandom) -> BasicType {
        BasicType.allCases.filter { $0 != .fileDescriptor }.randomElement(using: &random) ?? .byte
    }

    func randomValue(_ random: inout SeededRandom) -> DBusValue {
        let count = Int.random(in: 0...4, using: &random)
        switch self {
        case .basic(let type): return type.randomValue(&random)
        case .variant: return .variant(DBusType.random(depth: 3, &random).randomValue(&random))
        case .array(.basic(.byte)): return .bytes((0..<count).map { _ in .random(in: 0...255, using: &random) })
        case .array(let element):
            return .array(element: element.signature, (0..<count).map { _ in element.randomValue(&random) })
        case .structure(let members): return .structure(members.map { $0.randomValue(&random) })
        case .dictionary(let key, let value):
            var entries: [DBusValue: DBusValue] = [:]
            for _ in 0..<count { entries[key.randomValue(&random)] = value.randomValue(&random) }
            return .dictionary(key: key.signature, value: value.signature, entries)
        }
    }
}

extension BasicType {
    fileprivate func randomValue(_ random: inout SeededRandom) -> DBusValue {
        switch self {
        case .byte: .byte(.random(in: 0 ... .max, using: &random))
        case .boolean: .boolean(.random(using: &random))
        case .int16: .int16(.random(in: .min ... .max, using: &random))
        case .uint16: .uint16(.random(in: 0 ... .max, using: &random))
        case .int32: .int32(.random(in: .min ... .max, using: &random))
        case .uint32: .uint32(.random(in: 0 ... .max, using: &random))
        case .int64: .int64(.random(in: .min ... .max, using: &random))
        case .uint64: .uint64(.random(in: 0 ... .max, using: &random))
        case .double: .double(.random(in: -1e9...1e9, using: &random))
        case .string: .string(String(repeating: "ä", count: .random(in: 0...9, using: &random)))
        case .objectPath: .objectPath(["/", "/a", "/a/b_1"].randomElement(using: &random) ?? "/")
        case .signature: .signature(DBusType.random(depth: 3, &random).signature)
        case .fileDescriptor: .fileDescriptor(OwnedDescriptor(owning: -1))
        }
    }
}
