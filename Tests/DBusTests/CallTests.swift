import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct CallTests {
    @Test func `the bus lists our own name`() async throws {
        let bus = try PrivateBus()
        let connection = try await bus.connect()
        let reply = try await connection.call(
            MethodCall(
                "ListNames", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus"),
            deadline: patience)
        guard case .array(element: "s", let names)? = reply.only else {
            throw DBusError.unexpectedReply(signature: "as")
        }
        #expect(names.contains(.string(connection.uniqueName)))
        await connection.close()
    }

    @Test func `a hundred calls at once all get their own answer`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<UInt32(100) {
                group.addTask {
                    try await pair.client.call(pair.call([.uint32(number)]), deadline: patience) == [.uint32(number)]
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await pair.close()
    }

    @Test func `the name and the text of an error reply are kept`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in .error(name: "org.example.Error.No", message: "naïve") }
        await #expect(throws: DBusError.remote(name: "org.example.Error.No", message: "naïve")) {
            try await pair.client.call(pair.call(), deadline: patience)
        }
        await pair.close()
    }

    @Test func `a message larger than the socket's buffers passes whole`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        let large = DBusValue.bytes(Array(repeatElement([0, 1, 255, 7, 9], count: 400_000).joined()))
        #expect(try await pair.client.call(pair.call([large]), deadline: patience) == [large])
        await pair.close()
    }

    @Test func `a message beyond what we receive ends the connection, and nothing else`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in
            .values([.bytes([UInt8](repeating: 0, count: DBusLimits.receivedMessageLength))])
        }
        await #expect(throws: DBusError.disconnected) {
            try await pair.client.call(pair.call(), deadline: patience)
        }
        #expect(await pair.server.isOpen)
        await pair.close()
    }

    // MARK: Deadlines

    @Test func `a call without a reply ends at its deadline, and the connection goes on`() async throws {
        let clock = TestClock()
        let pair = try await Pair(clock: clock)
        var arrived = try await pair.exportSilence().makeAsyncIterator()
        let late = Task { try await pair.client.call(pair.call(at: "/silent"), deadline: .seconds(9)) }
        _ = await arrived.next()
        let early = Task { try await pair.client.call(pair.call(at: "/silent"), deadline: .seconds(5)) }
        _ = await arrived.next()
        try await clock.nextWake(in: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(await failure(of: early) == .deadline(.seconds(5)))
        try await clock.nextWake(in: .seconds(4))
        clock.advance(by: .seconds(4))
        #expect(await failure(of: late) == .deadline(.seconds(9)))
        try await pair.roundTrip()
        #expect(await pair.client.pendingCallCount == 0)
        await pair.close()
    }

    @Test func `a NoReply that the peer sent is not our deadline`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in .error(name: DBusErrorName.noReply, message: "mine") }
        await #expect(throws: DBusError.remote(name: DBusErrorName.noReply, message: "mine")) {
            try await pair.client.call(pair.call(), deadline: patience)
        }
        await pair.close()
    }

    @Test func `a peer that goes away under a call is told from a deadline`() async throws {
        let pair = try await Pair()
        var arrived = try await pair.exportSilence().makeAsyncIterator()
        let call = Task { try await pair.client.call(pair.call(at: "/silent"), deadline: patience) }
        _ = await arrived.next()
        await pair.server.close()
        guard case .remote(name: DBusErrorName.noReply, _)? = await failure(of: call) else {
            Issue.record("not a remote NoReply")
            return
        }
        await pair.close()
    }

    @Test func `a reply after the deadline is nobody's`() async throws {
        let clock = TestClock()
        let pair = try await Pair(clock: clock)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await pair.server.export(at: "/slow") { _ in
            for await _ in gate {}
            return .values([.string("late")])
        }
        let call = Task { try await pair.client.call(pair.call(at: "/slow"), deadline: .seconds(1)) }
        try await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await failure(of: call) == .deadline(.seconds(1)))
        open.finish()
        try await pair.roundTrip()
        #expect(await pair.client.isOpen)
        await pair.close()
    }

    @Test func `a deadline without end is a long one`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { _ in .values([]) }
        #expect(try await pair.client.call(pair.call(), deadline: .seconds(Int64.max)) == [])
        await pair.close()
    }

    // MARK: Cancellation

    @Test func `a cancelled call ends at once and leaves nothing pending`() async throws {
        let pair = try await Pair()
        var arrived = try await pair.exportSilence().makeAsyncIterator()
        let call = Task { try await pair.client.call(pair.call(at: "/silent"), deadline: patience) }
        _ = await arrived.next()
        call.cancel()
        #expect(await failure(of: call) == .cancelled)
        #expect(await pair.client.pendingCallCount == 0)
        await pair.close()
    }

    @Test func `a call of a task that is cancelled already is not sent`() async throws {
        let pair = try await Pair()
        var arrived = try await pair.exportSilence().makeAsyncIterator()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.client.call(pair.call(at: "/silent", member: "Cancelled"), deadline: patience)
        }
        #expect(await failure(of: call) == .cancelled)
        let next = Task { try await pair.client.call(pair.call(at: "/silent", member: "Next"), deadline: patience) }
        #expect(await arrived.next()?.member == "Next")
        next.cancel()
        await pair.close()
    }

    @Test func `calls cancelled at any moment are answered or cancelled, and none is left`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let call = Task { try await pair.client.call(pair.call(), deadline: patience) }
                    for _ in 0..<number % 7 { await Task.yield() }
                    call.cancel()
                    let failure = await failure(of: call)
                    #expect(failure == nil || failure == .cancelled)
                }
            }
        }
        #expect(await pair.client.pendingCallCount == 0)
        await pair.close()
    }

    // MARK: Disconnection

    @Test(arguments: [true, false]) func `the end of the connection fails every call under way`(
        byDaemon: Bool
    ) async throws {
        let pair = try await Pair()
        var arrived = try await pair.exportSilence().makeAsyncIterator()
        let calls = (0..<10).map { _ in
            Task { try await pair.client.call(pair.call(at: "/silent"), deadline: patience) }
        }
        for _ in calls { _ = await arrived.next() }
        if byDaemon { pair.bus.stop() } else { await pair.client.close() }
        for call in calls { #expect(await failure(of: call) == .disconnected) }
        #expect(await pair.client.isOpen == false)
        await #expect(throws: DBusError.disconnected) {
            try await pair.client.call(pair.call(at: "/silent"), deadline: patience)
        }
        await #expect(throws: DBusError.disconnected) { try await pair.client.emit(pair.signal()) }
        await #expect(throws: DBusError.disconnected) { try await pair.client.export(at: "/") { _ in .silence } }
        await #expect(throws: DBusError.disconnected) { try await pair.client.signals(MatchRule(), deadline: patience) }
        await pair.close()
    }

    @Test(arguments: 0..<10) func `whatever is under way when a connection closes comes to an end`(
        delay: Int
    ) async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        let stream = try await pair.client.signals(MatchRule(member: "Changed"), deadline: patience)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<UInt32(20) {
                group.addTask {
                    let call = Task { try await pair.client.call(pair.call([.uint32(number)]), deadline: patience) }
                    let failure = await failure(of: call)
                    #expect(failure == nil || failure == .disconnected)
                }
                group.addTask { try? await pair.server.emit(pair.signal([.uint32(number)])) }
                group.addTask {
                    let task = Task { try await pair.client.signals(MatchRule(sender: "a.b"), deadline: patience) }
                    let failure = await failure(of: task)
                    #expect(failure == nil || failure == .disconnected)
                }
            }
            group.addTask { for await _ in stream {} }
            group.addTask {
                for _ in 0..<delay * 20 { await Task.yield() }
                await pair.client.close()
            }
        }
        #expect(await pair.client.pendingCallCount == 0)
        #expect(await pair.client.subscriptions.isEmpty)
        await pair.close()
    }

    // MARK: Starting services

    @Test func `an activatable service is started only when the call says so`() async throws {
        let marker = try TemporaryFolder()
        let service = PrivateBus.ActivatableService(
            name: "org.example.Silent", command: "/bin/sh -c 'mkdir \(marker.path)/started; exit 1'")
        let bus = try PrivateBus(activatable: [service])
        let connection = try await bus.connect()
        var call = MethodCall("Do", of: "org.example.Thing", at: "/", to: service.name)
        await #expect(
            throws: DBusError.remote(
                name: DBusErrorName.nameHasNoOwner, message: "Name \"org.example.Silent\" does not exist")
        ) { try await connection.call(call, deadline: patience) }
        #expect(try await connection.owner(of: service.name) == nil)
        _ = try await connection.signals(MatchRule(sender: service.name), deadline: patience)
        #expect(!marker.contains("started"))
        call.startsService = true
        await #expect(throws: DBusError.self) { try await connection.call(call, deadline: patience) }
        #expect(marker.contains("started"))
        await connection.close()
    }

    // MARK: What cannot be sent

    @Test(arguments: [
        MethodCall("Do", of: "a.b", at: "/", to: ""), MethodCall("Do", of: "a.b", at: "/", to: "nodots"),
        MethodCall("Do", of: "a.b", at: "/", to: "a.b\0c"), MethodCall("Do", of: "a.b", at: "", to: "a.b"),
        MethodCall("Do", of: "a.b", at: "x", to: "a.b"), MethodCall("Do", of: "a.b", at: "/x/", to: "a.b"),
        MethodCall("Do", of: "a.b", at: "/ä", to: "a.b"), MethodCall("Do", of: "", at: "/", to: "a.b"),
        MethodCall("Do", of: "a..b", at: "/", to: "a.b"), MethodCall("", of: "a.b", at: "/", to: "a.b"),
        MethodCall("D o", of: "a.b", at: "/", to: "a.b"), MethodCall("1", of: "a.b", at: "/", to: "a.b"),
        MethodCall(String(repeating: "x", count: 256), of: "a.b", at: "/", to: "a.b"),
        MethodCall("Do", of: "org.freedesktop.DBus.Local", at: "/", to: "a.b"),
        MethodCall("Do", of: "a.b", at: "/org/freedesktop/DBus/Local", to: "a.b"),
        MethodCall("Do", of: "a.b", at: "/", to: "a.b", [.objectPath("no path")]),
        MethodCall("Do", of: "a.b", at: "/", to: "a.b", [.string("\0")]),
    ]) func `a message that libdbus would abort on is refused`(call: MethodCall) throws {
        do throws(DBusError) {
            _ = try RawMessage.call(call)
            Issue.record("was made")
        } catch .invalidMessage {
        } catch { Issue.record(error) }
    }
}
