import DBus
import TestSupport
import Testing

let patience = Duration.seconds(20)

/// Two connections on a bus of their own: one serves, the other calls.
struct Pair {
    let bus: PrivateBus
    let server: BusConnection
    let client: BusConnection

    init(clock: any Clock<Duration> = ContinuousClock()) async throws {
        bus = try PrivateBus()
        server = try await bus.connect()
        client = try await bus.connect(clock: clock)
    }

    func close() async {
        await client.close()
        await server.close()
    }

    func call(_ arguments: [DBusValue] = [], at path: String = "/", member: String = "Do") -> MethodCall {
        MethodCall(member, of: "org.example.Thing", at: path, to: server.uniqueName, arguments)
    }

    func signal(_ arguments: [DBusValue] = [], at path: String = "/", member: String = "Changed") -> Signal {
        Signal(member, of: "org.example.Thing", at: path, arguments)
    }

    /// Calls the server and waits for the reply: what the server sent before has arrived then.
    func roundTrip() async throws {
        await #expect(throws: DBusError.self) { try await client.call(call(at: "/no/such/object"), deadline: patience) }
    }

    /// Exports a handler at `/silent` that never answers, and tells of each call that reached it.
    func exportSilence() async throws -> AsyncStream<IncomingCall> {
        let (arrived, continuation) = AsyncStream.makeStream(of: IncomingCall.self)
        try await server.export(at: "/silent") { call in
            continuation.yield(call)
            return .silence
        }
        return arrived
    }
}

/// What the task threw, as the type that it always throws.
func failure<Success>(of task: Task<Success, any Error>) async -> DBusError? {
    do {
        _ = try await task.value
        return nil
    } catch { return error as? DBusError }
}
