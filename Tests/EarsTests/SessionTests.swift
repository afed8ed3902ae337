import Bluetooth
import ControlProtocol
import Ears
import TestSupport
import Testing

@Suite struct `Opening a session` {
    @Test func `ears with application protocol 2 are opened in their mode`() async throws {
        let peripheral = try FakeEars.peripheral()
        let session = try await EarsSession.open(on: peripheral)
        #expect(session.mode == .normal)
        #expect(session.document.localControlVersion == "v1.0")
        #expect(peripheral.violations == [])
    }

    @Test func `a link without a bond is left before anything is read from it`() async throws {
        let peripheral = try FakeEars.peripheral()
        peripheral.loseBond()
        await #expect(throws: EarsError.bluetooth(.notBonded(peripheral.address))) {
            try await EarsSession.open(on: peripheral)
        }
        #expect(peripheral.requests == [])
    }

    @Test(arguments: [
        (
            #"{"local_ctrl":{"ver":"v1.0","sec_ver":2,"sec_patch_ver":1}}"#, UnsupportedEars.securityVersion(2)
        ),
        (#"{"local_ctrl":{"ver":"v1.0","sec_ver":0}}"#, .noApplicationProtocol),
        (
            #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":3}}"#, .applicationProtocol(3)
        ),
        (
            #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"party"}}"#, .mode("party")
        ),
        (#"{"local_ctrl":{"ver":"v1.0"}}"#, .versionDocument(.malformed)),
        (#"{"local_ctrl":{"ver":"v1.0","sec_ver":0}"#, .versionDocument(.malformed)),
    ])
    func `firmware of another protocol is refused`(version: String, expected: UnsupportedEars) async throws {
        let peripheral = try FakeEars.peripheral(version: version)
        await #expect(throws: EarsError.unsupported(expected)) { try await EarsSession.open(on: peripheral) }
    }

    @Test func `an endpoint's name on another UUID is refused`() async throws {
        let stray = try #require(BluetoothUUID("8a47ff60-2c0d-4f6a-9b3e-71d05c98a6f4"))
        var characteristic = EndpointPeripheral.characteristic(.update)
        characteristic.uuid = stray
        let peripheral = try FakeEars.peripheral(extra: [(characteristic, name: "espurr/update")])
        await #expect(throws: EarsError.unsupported(.endpointMismatch(.update, found: stray))) {
            try await EarsSession.open(on: peripheral)
        }
    }

    @Test func `two characteristics of one name are refused`() async throws {
        var second = EndpointPeripheral.characteristic(.control)
        second.handle = "second"
        let peripheral = try FakeEars.peripheral(extra: [(second, name: "ESP_local_ctrl/control")])
        await #expect(throws: EarsError.unsupported(.duplicateEndpoint(.control))) {
            try await EarsSession.open(on: peripheral)
        }
    }

    @Test func `characteristics of other names are never written to`() async throws {
        var other = EndpointPeripheral.characteristic(.update)
        other.handle = "other"
        let peripheral = try FakeEars.peripheral(extra: [(other, name: "maker/secret")])
        let session = try await EarsSession.open(on: peripheral)
        #expect(session.has(.update) == false)
        await #expect(throws: EarsError.unsupported(.missingEndpoint(.update))) { try await session.updateReading() }
        #expect(peripheral.requests == [.version])
    }
}

@Suite struct `Exchanges` {
    @Test func `concurrent callers never overlap on the link`() async throws {
        let peripheral = try FakeEars.peripheral()
        let session = try await EarsSession.open(on: peripheral)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await session.settings() } }
            for _ in 0..<20 { group.addTask { _ = try await session.state() } }
            try await group.waitForAll()
        }
        #expect(peripheral.violations == [])
    }

    @Test func `a cancelled exchange that has begun is finished, and its reply is its own`() async throws {
        let (began, release) = (Gate(), Gate())
        let settings = FakeSettings()
        let peripheral = try FakeEars.peripheral(more: [
            .control: { bytes in
                began.open()
                await release.opened()
                return await settings.handler(bytes)
            }
        ])
        let session = try await EarsSession.open(on: peripheral)
        let first = Task { try await session.deviceInformation() }
        await began.opened()
        first.cancel()
        let second = Task { try await session.capabilities() }
        release.open()
        // The count was under way when it was cancelled; the next exchange was not begun any more.
        await #expect(throws: EarsError.bluetooth(.cancelled)) { try await first.value }
        #expect(try await second.value == Capabilities(names: ["motion"]))
        #expect(peripheral.violations == [])
    }

    @Test func `a cancelled exchange that waits sends nothing`() async throws {
        let (began, release) = (Gate(), Gate())
        let settings = FakeSettings()
        let peripheral = try FakeEars.peripheral(more: [
            .control: { bytes in
                began.open()
                await release.opened()
                return await settings.handler(bytes)
            },
            .update: { _ in .reply([]) },
        ])
        let session = try await EarsSession.open(on: peripheral)
        let first = Task { try await session.properties() }
        await began.opened()
        let second = Task { try await session.abortUpdate(session: 9) }
        second.cancel()
        release.open()
        await #expect(throws: EarsError.bluetooth(.cancelled)) { try await second.value }
        _ = try await first.value
        #expect(peripheral.requests.contains(.update) == false)
    }

    @Test func `after a lost link nothing more is sent`() async throws {
        let peripheral = try FakeEars.peripheral(more: [.update: { _ in .linkEndsBeforeReply }])
        let session = try await EarsSession.open(on: peripheral)
        let lost = EarsError.bluetooth(.linkLost(during: .read))
        await #expect(throws: lost) { try await session.updateReading() }
        let sent = peripheral.requests
        await #expect(throws: lost) { try await session.state() }
        #expect(peripheral.requests == sent)
    }

    @Test func `after a deadline nothing more is sent, for its reply may still come`() async throws {
        let late = BluetoothError.deadline(.write, after: .seconds(32))
        let peripheral = try FakeEars.peripheral(more: [.update: { _ in .writeFails(late) }])
        let session = try await EarsSession.open(on: peripheral)
        await #expect(throws: EarsError.bluetooth(late)) { try await session.updateReading() }
        let sent = peripheral.requests
        await #expect(throws: EarsError.bluetooth(late)) { try await session.state() }
        #expect(peripheral.requests == sent)
    }

    @Test func `an ATT error leaves the session usable`() async throws {
        let refused = BluetoothError.attribute(code: 0x04, during: .write)
        let peripheral = try FakeEars.peripheral(more: [.update: { _ in .writeFails(refused) }])
        let session = try await EarsSession.open(on: peripheral)
        await #expect(throws: EarsError.bluetooth(refused)) { try await session.updateReading() }
        #expect(try await session.state().revision == 7)
    }

    @Test func `a reply that is no message is a fault of the wire`() async throws {
        let peripheral = try FakeEars.peripheral(more: [.update: { _ in .reply([0xFF]) }])
        let session = try await EarsSession.open(on: peripheral)
        await #expect(throws: EarsError.wire(.undecodable(.update))) { try await session.updateReading() }
    }

    @Test func `a request longer than the endpoint takes is not sent`() async throws {
        let peripheral = try FakeEars.peripheral(more: [.update: { _ in .reply([]) }])
        let session = try await EarsSession.open(on: peripheral)
        let data = [UInt8](repeating: 1, count: 300)
        await #expect(throws: EarsError.wire(.requestTooLong(.update, bytes: 308, limit: 257))) {
            try await session.sendChunk(session: 1, offset: 0, data: data)
        }
        #expect(peripheral.requests == [.version])
    }
}
