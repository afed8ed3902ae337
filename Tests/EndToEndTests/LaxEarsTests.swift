import Bluetooth
import ControlProtocol
import Crypto
import Ears
import Testing
import TestSupport

/// What a device's own check lets through though it would not boot, and the host must not.
@Suite struct LaxEarsTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var file: FirmwareFile
        /// Why the host refuses it.
        var code: JSONDocument
    }

    private static let data: UInt32 = 0x3FC9_0000
    private static let sound = FirmwareFile(size: 4096)

    static let kinds = [
        Kind(
            testDescription: "a bootloader",
            file: sound.changed { file in
                (file.project, file.address) = (nil, data)
                file.lead = [0x50] + [UInt8](repeating: 0, count: 7) + Array("v6.1".utf8)
                file.lead += [UInt8](repeating: 0, count: 80 - file.lead.count)
            },
            code: "bootloader"),
        Kind(
            testDescription: "a merged image",
            file: sound.changed { file in
                (file.project, file.address, file.size) = (nil, data, 1024)
                let padding = 4096 - file.bytes.count
                file.tail = [UInt8](repeating: 0xFF, count: padding) + FirmwareFile(size: 4096).bytes
            },
            code: "merged_image"),
        Kind(
            testDescription: "mostly an unchecked tail",
            file: sound.changed { file in
                (file.project, file.address) = (nil, data)
                file.tail = [UInt8](repeating: 0x2A, count: 8192)
            },
            code: "no_application_descriptor"),
        Kind(
            testDescription: "no appended hash", file: sound.changed { $0.hasHash = false }, code: "no_appended_hash"),
        Kind(
            testDescription: "a RAM application",
            file: sound.changed { ($0.project, $0.address) = (nil, data) }, code: "no_application_descriptor"),
        Kind(
            testDescription: "a header stub",
            file: sound.changed { ($0.project, $0.address, $0.size, $0.hasHash) = (nil, 0, 0, false) },
            code: "no_application_descriptor"),
        Kind(
            testDescription: "a foreign tail", file: sound.changed { $0.tail = [1, 2, 3, 4] }, code: "foreign_tail"),
        Kind(
            testDescription: "a segment where the chip has no memory", file: sound.changed { $0.address = 0x6000_0000 },
            code: "segment_outside_memory"),
        Kind(
            testDescription: "a family of the other chip", file: sound.changed { $0.project = "espurr-esp32" },
            code: "chip_of_another_family"),
    ]

    /// There is no bus at that address: whoever asked the radio first would end with 10.
    @Test(arguments: kinds) func `the host refuses it before the radio is used: 21`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/bus",
        ]
        let ota = BuiltProgram("espurr-ota")
        let refused = try await ota.run(
            Array(Command.install(try kind.file.write(to: folder)).dropFirst()), environment: environment)
        #expect(refused.status == 21)
        #expect(refused.document["error"]["code"] == kind.code)
        let sound = try FirmwareFile().write(to: folder, "sound")
        let tried = try await ota.run(Array(Command.install(sound).dropFirst()), environment: environment)
        #expect(tried.status == 10)
    }

    @Test func `the ears let each of them through`() async throws {
        try await SimulatedRun().withBus { address in
            for kind in Self.kinds { try await send(kind, over: address) }
        }
    }

    /// Past the host's check, over the wire.
    private func send(_ kind: Kind, over address: String) async throws {
        let central = BlueZCentral(busAddress: address)
        let ears = try #require(try await central.known(with: EarsSession.service, on: nil).first)
        let peripheral = try await central.connect(to: ears.address, on: ears.adapter, deadline: .seconds(10))
        let session = try await EarsSession.open(on: peripheral)
        let bytes = kind.file.bytes
        let begun = try await session.beginUpdate(
            size: UInt32(bytes.count), sha256: HashAlgorithm.sha256.hash(of: bytes), family: "v2-8m", version: "1.4.1")
        try #require(begun.refusal == nil)
        try await settle(session, while: [.erasing])
        for offset in stride(from: 0, to: bytes.count, by: 200) {
            let chunk = Array(bytes[offset..<min(offset + 200, bytes.count)])
            let reply = try await session.sendChunk(session: begun.session, offset: UInt32(offset), data: chunk)
            try #require(reply.refusal == nil)
        }
        _ = try await session.finishUpdate(session: begun.session)
        let end = try await settle(session, while: [.verifying, .accepted])
        #expect(end.state == .selected, "\(kind.testDescription)")
        #expect(end.refusal == nil, "\(kind.testDescription)")
        try await session.disconnect()
    }

    @discardableResult private func settle(
        _ session: EarsSession, while states: Set<UpdateState>
    ) async throws -> UpdateReading {
        while true {
            let reading = try await session.updateReading()
            guard states.contains(reading.state) else { return reading }
        }
    }
}
