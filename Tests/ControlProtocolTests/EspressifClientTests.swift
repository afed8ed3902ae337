import ControlProtocol
import Foundation
import Testing

/// What Espressif's own client sent and took (`Fixtures/espressif-client.tsv` says how it was recorded).
@Suite struct `Espressif's client` {
    private struct Exchange {
        var endpoint: String
        var request: [UInt8]
        var reply: [UInt8]
    }

    private let exchanges: [Exchange]

    init() throws {
        let file = Folder.tests.appending(path: "Fixtures/espressif-client.tsv")
        exchanges = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let columns = line.split(separator: "\t").map(String.init)
                try #require(columns.count == 3, "\(line)")
                return Exchange(endpoint: columns[0], request: bytes(columns[1]), reply: bytes(columns[2]))
            }
    }

    @Test func `is read, and its requests are the bytes that we write too`() throws {
        let requests = try control.map { try LocalControlRequest(decoding: $0.request) }
        #expect(requests.map { $0.encoded() } == control.map(\.request))
        #expect(requests.contains(.propertyCount))
        #expect(requests.contains { if case .propertyValues(let indices) = $0 { indices.count > 1 } else { false } })
        let brightness = PropertyValue(index: 6, value: PropertyScalar.int32(42).encoded())
        #expect(requests.contains { if case .setPropertyValues([brightness]) = $0 { true } else { false } })
    }

    @Test func `took replies that are the bytes that we write, refusals too`() throws {
        let replies = try control.map { try LocalControlResponse(decoding: $0.reply) }
        #expect(replies.map { $0.encoded() } == control.map(\.reply))
        #expect(replies.contains(.setPropertyValues(status: .success)))
        #expect(replies.count { $0 == .setPropertyValues(status: .invalidArgument) } == 2)
    }

    @Test func `opens a session of Security 0 with our bytes`() throws {
        let session = exchanges.filter { $0.endpoint == EndpointName.session.rawValue }
        #expect(session.map(\.request) == [SecurityZeroMessage.command.encoded()])
        #expect(session.map(\.reply) == [SecurityZeroMessage.response(status: .success).encoded()])
    }

    @Test func `asks for the version with what the ears ignore`() {
        let version = exchanges.filter { $0.endpoint == EndpointName.version.rawValue }
        #expect(version.map { String(decoding: $0.request, as: UTF8.self) } == ["v1.0", "---", "no_pop"])
        #expect(Set(version.map(\.reply)).count == 1)
    }

    private var control: [Exchange] { exchanges.filter { $0.endpoint == EndpointName.control.rawValue } }
}
