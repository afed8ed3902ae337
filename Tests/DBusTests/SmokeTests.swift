import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct SmokeTests {
    @Test func `call, export, name, signal`() async throws {
        let bus = try PrivateBus()
        let server = try await BusConnection(to: .explicit(bus.address), deadline: .seconds(5))
        let client = try await BusConnection(to: .explicit(bus.address), deadline: .seconds(5))
        try await server.requestName("org.example.Echo")
        try await server.export(at: "/a") { .values($0.arguments) }
        let answer = try await client.call(
            MethodCall(
                "Echo", of: "org.example.Echo", at: "/a/b", to: "org.example.Echo", [.string("x"), .bytes([1])]),
            deadline: .seconds(5))
        #expect(answer == [.string("x"), .bytes([1])])
        let signals = try await client.signals(MatchRule(sender: "org.example.Echo"), deadline: .seconds(5))
        try await server.emit(Signal("Changed", of: "org.example.Echo", at: "/a", [.uint32(7)]))
        var iterator = signals.makeAsyncIterator()
        #expect(
            await iterator.next()
                == Signal("Changed", of: "org.example.Echo", at: "/a", [.uint32(7)], sender: server.uniqueName))
        await server.close()
        await client.close()
        #expect(await iterator.next() == nil)
    }
}
