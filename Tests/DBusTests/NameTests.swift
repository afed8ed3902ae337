import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct NameTests {
    @Test func `a name has one owner, who may give it back`() async throws {
        let pair = try await Pair()
        let name = "org.example.Name"
        #expect(try await pair.client.owner(of: name) == nil)
        try await pair.server.requestName(name)
        try await pair.server.requestName(name)
        #expect(try await pair.client.owner(of: name) == pair.server.uniqueName)
        await #expect(throws: DBusError.nameTaken(name)) { try await pair.client.requestName(name) }
        try await pair.client.releaseName(name)
        #expect(try await pair.client.owner(of: name) == pair.server.uniqueName)
        try await pair.server.releaseName(name)
        #expect(try await pair.client.owner(of: name) == nil)
        // Not queued for it either.
        try await pair.client.requestName(name)
        await pair.close()
    }

    @Test func `the changes of an owner are told, its death among them`() async throws {
        let pair = try await Pair()
        let name = "org.example.Name"
        let changes = try await pair.client.signals(.nameOwnerChanges(of: name), deadline: patience)
        try await pair.server.requestName(name)
        let server = pair.server.uniqueName
        await pair.server.close()
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.arguments == [.string(name), .string(""), .string(server)])
        #expect(await iterator.next()?.arguments == [.string(name), .string(server), .string("")])
        await pair.close()
    }

    @Test(arguments: ["", "nodots", "a..b", "a.b\0c", "1.2"]) func `what is no name is refused`(
        name: String
    ) async throws {
        let bus = try PrivateBus()
        let connection = try await bus.connect()
        await #expect(throws: DBusError.self) { try await connection.requestName(name) }
        await #expect(throws: DBusError.self) { try await connection.releaseName(name) }
        await #expect(throws: DBusError.self) { try await connection.owner(of: name) }
        #expect(await connection.isOpen)
        await connection.close()
    }
}
