import Bluetooth
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import Ears

/// This side against Espressif's own handler code, which was built for a host: `esp_local_ctrl`, `protocomm`, Security 0.
///
/// What is theirs: the handling of every request, and every byte of a reply. What stands in for their GATT transport
/// (one stored reply, 512 bytes each way, ATT 0x04 for a handler that fails, 0x0D for what is too long) is ours.
@Suite(.timeLimit(.minutes(1))) struct `Espressif's handler` {
    @Test func `counts, reads in batches, sets and refuses, as it was recorded`() async throws {
        let handler = RecordedHandler(try HandlerExchange.recorded())
        try await converse(with: handler)
        #expect(handler.isSpent)
    }

    @Test(.enabled(if: RunningHandler.program != nil, "ESPURR_ESPRESSIF_HANDLER names no program"))
    func `does the same now`() async throws {
        let handler = try RunningHandler(try #require(RunningHandler.program))
        try await converse(with: handler)
        if ProcessInfo.processInfo.environment["ESPURR_UPDATE_SNAPSHOTS"] != nil {
            let comments = try String(contentsOf: HandlerExchange.fixture, encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("#") }
            let lines = comments.map(String.init) + handler.exchanges.map(\.line)
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: HandlerExchange.fixture)
        }
        #expect(handler.exchanges == (try HandlerExchange.recorded()))
    }

    private func converse(with handler: any EspressifHandler) async throws {
        try await refuseStockFirmware(handler)
        let session = try await EarsSession.open(on: try peripheral(handler))
        try await greet(session)
        try await readEverything(session)
        try await set(session)
        try await beRefused(session)
        try await failAndGoOn(session)
    }

    /// Their version document alone is no application protocol.
    private func refuseStockFirmware(_ handler: any EspressifHandler) async throws {
        let document = try #require(try await handler.reply(to: Array("---".utf8), at: EndpointName.version.rawValue))
        #expect(throws: UnsupportedEars.noApplicationProtocol) { try VersionDocument(parsing: document) }
    }

    private func greet(_ session: EarsSession) async throws {
        let reply = try await session.exchange(SecurityZeroMessage.command.encoded(), on: .session)
        #expect(try SecurityZeroMessage(decoding: reply) == .response(status: .success))
    }

    private func readEverything(_ session: EarsSession) async throws {
        #expect(try await session.propertyCount() == 40)
        let properties = try await session.properties()
        let first = [
            PropertyInfo(
                name: "timestamp (us)", type: .timestamp, flags: .readOnly,
                value: PropertyScalar.timestamp(1_700_000_000_123_456).encoded()),
            PropertyInfo(name: "brightness", type: .int32, value: PropertyScalar.int32(60).encoded()),
            PropertyInfo(name: "flashlight", type: .boolean, value: PropertyScalar.boolean(true).encoded()),
            PropertyInfo(name: "name", type: .string, value: PropertyScalar.string("espurr-7A3F").encoded()),
        ]
        let numbers = (0..<36).map { number in
            PropertyInfo(
                name: "one-of-the-numbers-" + (number < 10 ? "0" : "") + "\(number)", type: .int32,
                value: PropertyScalar.int32(Int32(number) * -1000).encoded())
        }
        #expect(properties == first + numbers)
    }

    private func set(_ session: EarsSession) async throws {
        let values = [
            PropertyValue(index: 1, value: PropertyScalar.int32(-42).encoded()),
            PropertyValue(index: 2, value: PropertyScalar.boolean(false).encoded()),
            PropertyValue(index: 3, value: PropertyScalar.string("ears of many names \u{1F431}").encoded()),
        ]
        #expect(try await session.control(.setPropertyValues(values)) == .setPropertyValues(status: .success))
        #expect(try await session.propertyValues([1, 2, 3]).map(\.value) == values.map(\.value))
        // Zeros are values too.
        let zeros = [
            PropertyValue(index: 1, value: PropertyScalar.int32(0).encoded()), PropertyValue(index: 3, value: []),
        ]
        #expect(try await session.control(.setPropertyValues(zeros)) == .setPropertyValues(status: .success))
        #expect(try await session.propertyValues([3, 1]).map(\.value) == [[], [0, 0, 0, 0]])
    }

    /// Status 4 in a normal reply, and nothing has changed: read only, a wrong size, no such index.
    private func beRefused(_ session: EarsSession) async throws {
        let refused = [
            PropertyValue(index: 0, value: PropertyScalar.timestamp(1).encoded()),
            PropertyValue(index: 1, value: [1, 2, 3]),
            PropertyValue(index: 40, value: [1]),
        ]
        for value in refused {
            #expect(
                try await session.control(.setPropertyValues([value])) == .setPropertyValues(status: .invalidArgument))
        }
        #expect(try await session.propertyValues([1]).map(\.value) == [[0, 0, 0, 0]])
        await #expect(throws: EarsError.refused(.invalidArgument)) { try await session.propertyValues([40]) }
    }

    /// Bytes that are no message, an unknown `msg`, and a payload that does not match it: the handler fails, the link
    /// stays, and the next exchange is like any other.
    private func failAndGoOn(_ session: EarsSession) async throws {
        let failed = EarsError.bluetooth(.attribute(code: 0x04, during: .write))
        for request: [UInt8] in [[0x08, 0x06, 0x72, 0x08], [0x08, 0x63], [0x08, 0x04, 0x52, 0x00], [0x08, 0x06]] {
            await #expect(throws: failed) { try await session.exchange(request, on: .control) }
            #expect(try await session.propertyCount() == 40)
        }
    }

    private func peripheral(_ handler: any EspressifHandler) throws -> EndpointPeripheral {
        func answer(_ endpoint: EndpointName) -> EndpointPeripheral.Handler {
            { request in
                guard request.count <= 512 else { return .writeFails(.attribute(code: 0x0D, during: .write)) }
                do {
                    guard let reply = try await handler.reply(to: request, at: endpoint.rawValue) else {
                        return .writeFails(.attribute(code: 0x04, during: .write))
                    }
                    return reply.count <= 512 ? .reply(reply) : .readFails(.attribute(code: 0x0D, during: .read))
                } catch {
                    Issue.record(error)
                    return .linkEnds
                }
            }
        }
        return EndpointPeripheral(
            address: try #require(BluetoothAddress("F0:00:00:00:00:02")), adapter: try #require(AdapterName("hci0")),
            handlers: [
                // Theirs has no room for an application's members; firmware of ours serves its own.
                .version: { _ in .reply(Array(FakeEars.version.utf8)) },
                .session: answer(.session), .control: answer(.control),
            ])
    }
}
