import Glibc
import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct ConnectingTests {
    @Test func `the system bus is where the environment says, or else at the well-known address`() {
        let wellKnown = "unix:path=/var/run/dbus/system_bus_socket"
        #expect(BusAddress.system.text { _ in nil } == wellKnown)
        #expect(BusAddress.system.text { _ in "" } == wellKnown)
        #expect(BusAddress.system.text { $0 == "DBUS_SYSTEM_BUS_ADDRESS" ? "unix:path=/x" : nil } == "unix:path=/x")
        #expect(BusAddress.explicit("tcp:").text { _ in "unix:path=/x" } == "tcp:")
    }

    @Test(arguments: ["", "nonsense", "unix:path=/no/such/socket", "unix:", "unix:path=/tmp\0/x"])
    func `an address that nobody listens at is named`(address: String) async {
        do throws(DBusError) {
            _ = try await BusConnection(to: .explicit(address), deadline: patience)
            Issue.record("connected")
        } catch .connectionFailed(address, let reason) {
            #expect(!reason.isEmpty)
        } catch { Issue.record(error) }
    }

    @Test func `a bus that does not want this user is told from one that is not there`() async throws {
        let bus = try PrivateBus(policy: "<deny user=\"*\"/>")
        do throws(DBusError) {
            _ = try await bus.connect()
            Issue.record("connected")
        } catch .connectionRefused(bus.address, _) {
        } catch { Issue.record(error) }
    }

    @Test func `a bus that accepts and never speaks is given up at the deadline, on as many threads as it takes`()
        async throws
    {
        let mute = try MuteListener()
        let clock = TestClock()
        let attempts = (0..<8).map { _ in
            Task { try await BusConnection(to: .explicit(mute.address), deadline: .seconds(3), clock: clock) }
        }
        // That the sleepers run at all shows that no thread of the pool is blocked.
        try await clock.sleepers(attempts.count)
        clock.advance(by: .seconds(3))
        for attempt in attempts { #expect(await failure(of: attempt) == .deadline(.seconds(3))) }
    }

    @Test func `a cancelled attempt ends at once`() async throws {
        let mute = try MuteListener()
        let clock = TestClock()
        let attempt = Task {
            try await BusConnection(to: .explicit(mute.address), deadline: .seconds(3), clock: clock)
        }
        try await clock.sleepers(1)
        attempt.cancel()
        #expect(await failure(of: attempt) == .cancelled)
    }

    @Test func `of several results the first counts, and a success that is late is disposed of`() async {
        let (disposed, continuation) = AsyncStream.makeStream(of: Int.self)
        let race = FirstResult<Int> { continuation.yield($0) }
        race.settle(.failure(.cancelled))
        race.settle(.success(1))
        #expect(await race.value == .failure(.cancelled))
        race.settle(.success(2))
        race.settle(.failure(.disconnected))
        continuation.finish()
        var late: [Int] = []
        for await number in disposed { late.append(number) }
        #expect(late == [1, 2])
    }

    @Test func `a result is awaited until it is there`() async {
        let race = FirstResult<Int> { _ in }
        let waiting = Task.immediate { await race.value }
        race.settle(.success(1))
        #expect(await waiting.value == .success(1))
    }

    @Test func `connections come and go, closed or merely dropped`() async throws {
        let bus = try PrivateBus()
        let watcher = try await bus.connect()
        var names: Set<String> = []
        for round in 0..<50 {
            let connection = try await bus.connect()
            names.insert(connection.uniqueName)
            #expect(try await connection.owner(of: connection.uniqueName) == connection.uniqueName)
            if round.isMultiple(of: 2) { await connection.close() }
        }
        #expect(names.count == 50)
        for name in names {
            while try await watcher.owner(of: name) != nil { await Task.yield() }
        }
        await watcher.close()
    }
}

/// A socket that connects and says nothing.
private final class MuteListener: Sendable {
    let address: String
    private let folder: TemporaryFolder
    private let socket: OwnedDescriptor

    init() throws {
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.path)/mute"
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        socket = OwnedDescriptor(owning: number)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: "\(folder.path)/mute".utf8) }
        let bound = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        try #require(listen(number, 64) == 0)
    }
}
