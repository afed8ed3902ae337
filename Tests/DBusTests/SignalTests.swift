import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    @Test func `signals come complete and in order, before the reply that was sent after them`() async throws {
        let pair = try await Pair()
        let stream = try await pair.client.signals(MatchRule(interface: "org.example.Thing"), deadline: patience)
        for number in 0..<UInt32(1000) { try await pair.server.emit(pair.signal([.uint32(number)])) }
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await stream.collect().map(\.arguments) == (0..<1000).map { [.uint32($0)] })
        await pair.close()
    }

    @Test func `a signal names its sender, path, interface and member`() async throws {
        let pair = try await Pair()
        let stream = try await pair.client.signals(MatchRule(), deadline: patience)
        try await pair.server.emit(pair.signal([.byte(1)], at: "/x/y"))
        var sent = pair.signal([.byte(1)], at: "/x/y")
        sent.sender = pair.server.uniqueName
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == sent)
        await pair.close()
    }

    static let rules: [(MatchRule, [UInt32])] = [
        (MatchRule(), [0, 1, 2, 3, 4]),
        (MatchRule(path: "/a"), [0, 4]),
        (MatchRule(pathNamespace: "/a"), [0, 1, 3, 4]),
        (MatchRule(pathNamespace: "/"), [0, 1, 2, 3, 4]),
        (MatchRule(interface: "x.z"), [3]),
        (MatchRule(member: "N"), [4]),
        (MatchRule(path: "/a", interface: "x.y", member: "M"), [0]),
        (MatchRule(firstArgument: "it's"), [4]),
        (MatchRule(firstArgument: "a,b='c\\'"), [3]),
    ]

    @Test(arguments: rules) func `each stream gets what its rule asks for, beside others`(
        rule: MatchRule, expected: [UInt32]
    ) async throws {
        let pair = try await Pair()
        let everything = try await pair.client.signals(MatchRule(sender: pair.server.uniqueName), deadline: patience)
        var ruleOfServer = rule
        ruleOfServer.sender = pair.server.uniqueName
        let stream = try await pair.client.signals(ruleOfServer, deadline: patience)
        let signals = [
            Signal("M", of: "x.y", at: "/a", [.string("0"), .uint32(0)]),
            Signal("M", of: "x.y", at: "/a/b", [.string("0"), .uint32(1)]),
            Signal("M", of: "x.y", at: "/ab", [.byte(0), .uint32(2)]),
            Signal("M", of: "x.z", at: "/a/c", [.string("a,b='c\\'"), .uint32(3)]),
            Signal("N", of: "x.y", at: "/a", [.string("it's"), .uint32(4)]),
        ]
        for signal in signals { try await pair.server.emit(signal) }
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await stream.collect().map(\.arguments.last) == expected.map { .uint32($0) })
        #expect(await everything.collect().count == signals.count)
        await pair.close()
    }

    @Test(arguments: rules.map(\.0)) func `the daemon reads a rule as it is meant`(rule: MatchRule) async throws {
        let pair = try await Pair()
        let signals = try await pair.client.signals(rule, deadline: patience)
        for (path, argument) in [("/a", "it's"), ("/a", "a,b='c\\'")] {
            for interface in ["x.y", "x.z"] {
                for member in ["M", "N"] {
                    try await pair.server.emit(Signal(member, of: interface, at: path, [.string(argument)]))
                }
            }
        }
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await signals.collect().contains { $0.sender == pair.server.uniqueName })
        await pair.close()
    }

    @Test(arguments: [
        MatchRule(sender: "x"), MatchRule(path: "a"), MatchRule(pathNamespace: "/a/"), MatchRule(interface: "x"),
        MatchRule(member: "a.b"), MatchRule(path: "/a", pathNamespace: "/a"), MatchRule(firstArgument: "\0"),
    ]) func `a rule that the bus would not take is refused`(rule: MatchRule) {
        #expect(throws: DBusError.self) { try rule.text() }
    }

    // MARK: Senders

    @Test func `a signal from another than the owner of the name is not delivered`() async throws {
        let pair = try await Pair()
        try await pair.server.requestName("org.example.Real")
        let spoofer = try await pair.bus.connect()
        // This one brings the spoofer's signals to the connection.
        let everything = try await pair.client.signals(MatchRule(interface: "org.example.Thing"), deadline: patience)
        let stream = try await pair.client.signals(MatchRule(sender: "org.example.Real"), deadline: patience)
        try await spoofer.emit(pair.signal([.string("spoofed")]))
        _ = try await spoofer.owner(of: "org.example.Real")
        try await pair.server.emit(pair.signal([.string("real")]))
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await everything.collect().map(\.arguments) == [[.string("spoofed")], [.string("real")]])
        #expect(await stream.collect().map(\.arguments) == [[.string("real")]])
        await spoofer.close()
        await pair.close()
    }

    @Test func `signals follow the name to its next owner`() async throws {
        let pair = try await Pair()
        let other = try await pair.bus.connect()
        let everything = try await pair.client.signals(MatchRule(interface: "org.example.Thing"), deadline: patience)
        let stream = try await pair.client.signals(MatchRule(sender: "org.example.Moving"), deadline: patience)
        let nobody = try await pair.client.owner(of: "org.example.Moving")
        #expect(nobody == nil)
        try await pair.server.emit(pair.signal([.byte(0)]))
        try await pair.server.requestName("org.example.Moving")
        try await pair.server.emit(pair.signal([.byte(1)]))
        try await pair.server.releaseName("org.example.Moving")
        try await pair.server.emit(pair.signal([.byte(2)]))
        _ = try await pair.server.owner(of: "org.example.Moving")
        try await other.requestName("org.example.Moving")
        try await other.emit(pair.signal([.byte(3)]))
        _ = try await other.owner(of: "org.example.Moving")
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await everything.collect().map(\.arguments) == (0..<4).map { [.byte($0)] })
        #expect(await stream.collect().map(\.arguments) == [[.byte(1)], [.byte(3)]])
        await other.close()
        await pair.close()
    }

    // MARK: The end of a stream

    @Test(arguments: [true, false]) func `the end of the connection ends the streams`(byDaemon: Bool) async throws {
        let pair = try await Pair()
        let stream = try await pair.client.signals(MatchRule(interface: "org.example.Thing"), deadline: patience)
        if byDaemon { pair.bus.stop() } else { await pair.client.close() }
        #expect(await stream.collect() == [])
        await pair.close()
    }

    @Test func `a stream that nobody reads ends after what it can hold, with nothing missing before`() async throws {
        let pair = try await Pair()
        let stream = try await pair.client.signals(MatchRule(interface: "org.example.Thing"), deadline: patience)
        let count = UInt32(DBusLimits.bufferedSignals)
        for number in 0...count { try await pair.server.emit(pair.signal([.uint32(number)])) }
        try await pair.roundTrip()
        #expect(await stream.collect().map(\.arguments) == (0..<count).map { [.uint32($0)] })
        #expect(await pair.client.isOpen)
        #expect(await pair.client.subscriptions.isEmpty)
        await pair.close()
    }

    @Test func `a dropped stream takes its rules back`() async throws {
        let pair = try await Pair()
        let rule = MatchRule(sender: "org.example.Thing", member: "Changed")
        var stream: AsyncStream<Signal>? = try await pair.client.signals(rule, deadline: patience)
        #expect(stream != nil)
        stream = nil
        for rule in [rule, .nameOwnerChanges(of: "org.example.Thing")] {
            let removal = MessageBus.call("RemoveMatch", [.string(try rule.text())])
            let call = Task { try await pair.client.call(removal, deadline: patience) }
            guard case .remote(name: "org.freedesktop.DBus.Error.MatchRuleNotFound", _)? = await failure(of: call)
            else {
                Issue.record("the rule was still there")
                continue
            }
        }
        #expect(await pair.client.trackedNames.isEmpty)
        await pair.close()
    }

    @Test func `of two equal rules one goes without the other`() async throws {
        let pair = try await Pair()
        let rule = MatchRule(sender: "org.example.Thing", member: "Changed")
        try await pair.server.requestName("org.example.Thing")
        var first: AsyncStream<Signal>? = try await pair.client.signals(rule, deadline: patience)
        let second = try await pair.client.signals(rule, deadline: patience)
        #expect(first != nil)
        first = nil
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.client.signals(rule, deadline: patience)
        }
        #expect(await failure(of: cancelled) == .cancelled)
        try await pair.roundTrip()
        try await pair.server.emit(pair.signal([.byte(1)]))
        try await pair.roundTrip()
        await pair.client.close()
        #expect(await second.collect().map(\.arguments) == [[.byte(1)]])
        await pair.close()
    }

    @Test func `of several rules in one stream a signal that two ask for comes once, in its place`() async throws {
        let pair = try await Pair()
        let rules = [MatchRule(path: "/a"), MatchRule(interface: "org.example.Thing", firstArgument: "x")]
        let stream = try await pair.client.signals(rules, deadline: patience)
        try await pair.server.emit(pair.signal([.string("x")], at: "/a"))
        try await pair.server.emit(pair.signal([.string("y")], at: "/b"))
        try await pair.server.emit(pair.signal([.string("x")], at: "/b"))
        try await pair.server.emit(pair.signal([.string("y")], at: "/a"))
        try await pair.roundTrip()
        await pair.client.close()
        let found = await stream.collect()
        #expect(found.map(\.path) == ["/a", "/b", "/a"])
        #expect(found.map(\.arguments) == [[.string("x")], [.string("x")], [.string("y")]])
        await pair.close()
    }

    @Test func `of several rules in one stream none is left where the bus refuses one`() async throws {
        let bus = try PrivateBus(limits: ["max_match_rules_per_connection": 3])
        let connection = try await bus.connect()
        let names = ["org.example.One", "org.example.Two"]
        await #expect(throws: DBusError.self) {
            try await connection.signals(names.map { MatchRule(sender: $0) }, deadline: patience)
        }
        _ = try await connection.owner(of: "org.example.Thing")
        #expect(await connection.subscriptions.isEmpty)
        #expect(await connection.trackedNames.isEmpty)
        // There is room for as many as before.
        let streams = [
            try await connection.signals(MatchRule(member: "A"), deadline: patience),
            try await connection.signals(MatchRule(member: "B"), deadline: patience),
            try await connection.signals(MatchRule(member: "C"), deadline: patience),
        ]
        await connection.close()
        for stream in streams { #expect(await stream.collect() == []) }
    }

    @Test func `a rule that the bus refuses is nobody's`() async throws {
        let bus = try PrivateBus(limits: ["max_match_rules_per_connection": 1])
        let connection = try await bus.connect()
        let first = try await connection.signals(MatchRule(member: "A"), deadline: patience)
        await #expect(throws: DBusError.self) { try await connection.signals(MatchRule(), deadline: patience) }
        _ = try await connection.owner(of: "org.example.Thing")
        #expect(await connection.subscriptions.count == 1)
        await connection.close()
        #expect(await first.collect() == [])
    }

    @Test func `a cancelled subscription leaves nothing behind`() async throws {
        let pair = try await Pair()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.client.signals(MatchRule(sender: "org.example.Thing"), deadline: patience)
        }
        #expect(await failure(of: task) == .cancelled)
        try await pair.roundTrip()
        #expect(await pair.client.subscriptions.isEmpty)
        #expect(await pair.client.trackedNames.isEmpty)
        await pair.close()
    }
}

extension AsyncStream<Signal> {
    /// All there is until the stream ends.
    func collect() async -> [Signal] {
        var signals: [Signal] = []
        for await signal in self { signals.append(signal) }
        return signals
    }
}
