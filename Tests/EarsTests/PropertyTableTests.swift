import ControlProtocol
import Synchronization
import TestSupport
import Testing

@testable import Ears

@Suite struct `A table of properties` {
    @Test func `hashes to what Python makes of the bytes that wire.md describes`() {
        let table = PropertyTable([
            PropertyInfo(name: "device", type: .message, flags: .readOnly, value: [1, 2, 3]),
            PropertyInfo(
                name: "capabilities", type: .message, flags: .readOnly, value: Capabilities(names: ["motion"]).encoded()
            ),
            PropertyInfo(name: "brightness", type: .int32, value: [60, 0, 0, 0]),
            PropertyInfo(
                name: "brightness.descriptor", type: .message, flags: .readOnly,
                value: [0x0A, 0x0A] + "brightness".utf8),
            PropertyInfo(name: "wifi-password", type: .string, flags: .writeOnly, value: []),
        ])
        #expect(PropertyTableHash(of: table).description == "150c95dd188c1b8e107bfa24534d9c09")
    }

    @Test(arguments: [
        "", "150c95dd188c1b8e107bfa24534d9c0", "150c95dd188c1b8e107bfa24534d9c099", "150C95DD188C1B8E107BFA24534D9C09",
        "+50c95dd188c1b8e107bfa24534d9c09", "150c95dd188c1b8e107bfa24534d9cé",
    ])
    func `what is no hash is none`(text: String) {
        #expect(PropertyTableHash(text) == nil)
    }

    @Test func `that was read once is not read again, and nothing else of the ears changes`() async throws {
        let bench = Bench()
        let first = try await bench.session(stating: bench.hash)
        let whole = try await first.session.setting("effect")
        let second = try await bench.session(stating: bench.hash)
        #expect(try await second.session.setting("effect") == whole)
        #expect(second.peripheral.requests == [.version, .control])
        let outcome = try await second.session.set([("effect", .text("comet"))])
        guard case .saved(let readings) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(readings.map(\.read) == [.choice("comet")])
        // The setting before, the state, the change, the state after, and the setting read back.
        #expect(second.peripheral.requests.count == 2 + 5)
        #expect(first.peripheral.requests.count > 3)
    }

    @Test func `of other firmware is not taken`() async throws {
        let bench = Bench()
        _ = try await bench.session(stating: bench.hash).session.settings()
        let updated = try await bench.session(stating: "00112233445566778899aabbccddeeff")
        _ = try await updated.session.setting("effect")
        #expect(updated.peripheral.requests.count > 3)
        #expect(bench.memory.tables.count == 1)
    }

    @Test func `that was damaged in the memory is read anew`() async throws {
        let bench = Bench()
        _ = try await bench.session(stating: bench.hash).session.settings()
        bench.memory.damage()
        let session = try await bench.session(stating: bench.hash)
        #expect(try await session.session.setting("brightness").value == .integer(60))
        #expect(session.peripheral.requests.count > 3)
    }

    @Test func `that the ears state and do not have is forgotten, and nothing is taken for another property`()
        async throws
    {
        let bench = Bench()
        _ = try await bench.session(stating: bench.hash).session.settings()
        let others = FakeSettings(settings: [FakeSetting].ordinary.reversed())
        let liar = try await bench.session(stating: bench.hash, settings: others)
        await #expect(throws: EarsError.wire(.unexpectedReply(.control))) {
            try await liar.session.setting("brightness")
        }
        let next = try await bench.session(stating: bench.hash, settings: others)
        #expect(try await next.session.setting("brightness").value == .integer(60))
    }

    @Test func `of ears in recovery mode is not kept`() async throws {
        let bench = Bench()
        let version = FakeEars.version.replacing("normal", with: "recovery")
        let session = try await EarsSession.open(on: try FakeEars.peripheral(version: version), memory: bench.memory)
        _ = try await session.properties()
        #expect(bench.memory.tables.isEmpty)
    }

    @Test func `describes its settings without a value`() throws {
        let settings = try #require(Bench().table.settings)
        #expect(settings.map(\.name).contains("brightness"))
        #expect(settings.allSatisfy { $0.value == nil })
    }

    private struct Bench {
        let memory = FakeMemory()
        let table = PropertyTable(FakeSettings().state.withLock(\.properties))

        var hash: String { PropertyTableHash(of: table).description }

        func session(
            stating hash: String, settings: FakeSettings = FakeSettings()
        ) async throws -> (session: EarsSession, peripheral: EndpointPeripheral) {
            let version = FakeEars.version.replacing(#""mode""#, with: #""properties":"\#(hash)","mode""#)
            let peripheral = try FakeEars.peripheral(version: version, settings: settings)
            return (try await EarsSession.open(on: peripheral, memory: memory), peripheral)
        }
    }

    private final class FakeMemory: PropertyTableMemory {
        private let state = Mutex<[PropertyTableHash: [UInt8]]>([:])

        var tables: [PropertyTableHash: [UInt8]] { state.withLock { $0 } }

        func recall(_ hash: PropertyTableHash) -> [UInt8]? { tables[hash] }
        func keep(_ table: [UInt8], as hash: PropertyTableHash) { state.withLock { $0[hash] = table } }
        func forget(_ hash: PropertyTableHash) { state.withLock { $0[hash] = nil } }
        func damage() { state.withLock { $0 = $0.mapValues { $0.dropLast() + [7] } } }
    }
}
