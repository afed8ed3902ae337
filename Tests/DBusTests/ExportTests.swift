import Synchronization
import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct ExportTests {
    @Test func `a handler has its path and all below it, but for a longer prefix`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/a") { .values([.string("a"), .objectPath($0.path)]) }
        try await pair.server.export(at: "/a/b") { .values([.string("a/b"), .objectPath($0.path)]) }
        for (path, handler) in [("/a", "a"), ("/a/c/d", "a"), ("/a/b", "a/b"), ("/a/b/c", "a/b"), ("/a/bc", "a")] {
            #expect(
                try await pair.client.call(pair.call(at: path), deadline: patience)
                    == [.string(handler), .objectPath(path)])
        }
        for path in ["/", "/ab", "/b"] {
            let call = Task { try await pair.client.call(pair.call(at: path), deadline: patience) }
            guard case .remote(name: DBusErrorName.unknownObject, _)? = await failure(of: call) else {
                Issue.record("\(path) was answered")
                continue
            }
        }
        await pair.close()
    }

    @Test func `the root has every path, a path is taken once, and is free again after`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in .values([]) }
        #expect(try await pair.client.call(pair.call(at: "/x/y"), deadline: patience) == [])
        await #expect(throws: DBusError.pathTaken("/")) { try await pair.server.export(at: "/") { _ in .silence } }
        await #expect(throws: DBusError.self) { try await pair.server.export(at: "x") { _ in .silence } }
        await pair.server.unexport(prefix: "/")
        await #expect(throws: DBusError.self) { try await pair.client.call(pair.call(), deadline: patience) }
        try await pair.server.export(at: "/") { _ in .values([]) }
        #expect(try await pair.client.call(pair.call(), deadline: patience) == [])
        await pair.close()
    }

    @Test func `a handler is told who calls what`() async throws {
        let pair = try await Pair()
        let (calls, continuation) = AsyncStream.makeStream(of: IncomingCall.self)
        try await pair.server.export(at: "/") { call in
            continuation.yield(call)
            return .values([])
        }
        _ = try await pair.client.call(pair.call([.byte(1)], at: "/x"), deadline: patience)
        var iterator = calls.makeAsyncIterator()
        #expect(
            await iterator.next()
                == IncomingCall(
                    sender: pair.client.uniqueName, path: "/x", interface: "org.example.Thing", member: "Do",
                    arguments: [.byte(1)]))
        await pair.close()
    }

    @Test func `handlers are started in the order of the calls`() async throws {
        let pair = try await Pair()
        let started = Mutex<[DBusValue]>([])
        try await pair.server.export(at: "/") { call in
            started.withLock { $0 += call.arguments }
            await Task.yield()
            return .values([])
        }
        // Many rounds, because tasks that are merely created in order often start so too.
        for _ in 0..<20 {
            let numbers = (0..<UInt32(100)).map(DBusValue.uint32)
            let calls = await pair.client.startInOrder(numbers.map { pair.call([$0]) })
            for call in calls { _ = try await call.value }
            #expect(started.withLock { $0 } == numbers)
            started.withLock { $0 = [] }
        }
        await pair.close()
    }

    @Test func `a slow handler holds up no other call`() async throws {
        let pair = try await Pair()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await pair.server.export(at: "/slow") { _ in
            for await _ in gate {}
            return .values([.string("slow")])
        }
        try await pair.server.export(at: "/fast") { _ in .values([.string("fast")]) }
        let calls = await pair.client.startInOrder([pair.call(at: "/slow")])
        #expect(try await pair.client.call(pair.call(at: "/fast"), deadline: patience) == [.string("fast")])
        open.finish()
        #expect(try await calls[0].value == [.string("slow")])
        await pair.close()
    }

    @Test func `more calls under way than the limit are answered with LimitsExceeded`() async throws {
        let bus = try PrivateBus()
        let server = try await bus.connect()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let gateTask = Task { for await _ in gate {} }
        try await server.export(at: "/") { _ in
            await gateTask.value
            return .values([])
        }
        let call = MethodCall("Do", of: "org.example.Thing", at: "/", to: server.uniqueName)
        // The daemon allows each connection fewer calls than this limit.
        let clients = [try await bus.connect(), try await bus.connect(), try await bus.connect()]
        var calls: [Task<[DBusValue], any Error>] = []
        for client in clients { calls += await client.startInOrder(Array(repeating: call, count: 100)) }
        while await server.callsUnderWay < DBusLimits.callsUnderWay {
            try Task.checkCancellation()
            await Task.yield()
        }
        let one = try await bus.connect()
        await #expect(
            throws: DBusError.remote(name: DBusErrorName.limitsExceeded, message: "Too many calls under way")
        ) { try await one.call(call, deadline: patience) }
        open.finish()
        var answered = 0
        for call in calls where await failure(of: call) == nil { answered += 1 }
        #expect(answered == DBusLimits.callsUnderWay)
        for connection in clients + [server, one] { await connection.close() }
    }

    @Test(arguments: [
        MethodAnswer.error(name: "not a name", message: "x"), .error(name: "org.example.Error", message: "a\0b"),
        .values([.objectPath("no path")]), .values([.structure([])]),
    ]) func `an answer that cannot be sent becomes Failed`(answer: MethodAnswer) async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in answer }
        await #expect(
            throws: DBusError.remote(name: DBusErrorName.failed, message: "The answer is not a valid message")
        ) { try await pair.client.call(pair.call(), deadline: patience) }
        await pair.close()
    }

    @Test func `the end of the connection cancels its handlers`() async throws {
        let pair = try await Pair()
        let (events, continuation) = AsyncStream.makeStream(of: Bool.self)
        try await pair.server.export(at: "/") { _ in
            continuation.yield(Task.isCancelled)
            try? await Task.sleep(for: .seconds(3600))
            continuation.yield(Task.isCancelled)
            return .silence
        }
        let calls = await pair.client.startInOrder([pair.call()])
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == false)
        await pair.server.close()
        #expect(await iterator.next() == true)
        await pair.close()
        _ = await calls[0].result
    }
}

extension BusConnection {
    /// Calls that are sent in this order, without waiting for one another's reply.
    func startInOrder(_ calls: [MethodCall]) -> [Task<[DBusValue], any Error>] {
        calls.map { call in Task.immediate { try await self.call(call, deadline: patience) } }
    }
}
