import DBus
import Glibc
import Logind
import Synchronization
import TestSupport
import Testing

/// Against a logind of the test's own, on a bus of its own.
@Suite(.timeLimit(.minutes(1))) struct SleepInhibitorTests {
    private let bus: PrivateBus

    init() throws { bus = try PrivateBus() }

    private func service(answering answer: @escaping @Sendable (IncomingCall) -> MethodAnswer) async throws
        -> BusConnection
    {
        let connection = try await BusConnection(to: .explicit(bus.address), deadline: .seconds(10))
        try await connection.export(at: "/org/freedesktop/login1") { answer($0) }
        try await connection.requestName("org.freedesktop.login1")
        return connection
    }

    private func inhibit(by inhibitor: SleepInhibitor) async throws -> SleepLock {
        try await inhibitor.inhibit(who: "espurr-ota", why: "an update of the ears")
    }

    /// A lock as logind gives it: one end of a pipe; the other end sees when it is closed.
    private struct Pipe {
        let reading: Int32
        let writing: OwnedDescriptor

        init() {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (reading, writing) = (ends[0], OwnedDescriptor(owning: ends[1]))
        }
    }

    private func isHeld(_ reading: Int32, after patience: Duration = .zero) -> Bool {
        var poll = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, Int32(patience.components.seconds * 1000)) == 0
    }

    @Test func `sleep is blocked until the lock is released, and nothing else is asked for`() async throws {
        let calls = Mutex<[IncomingCall]>([])
        let reading: Int32
        let lock: SleepLock
        do {
            let pipe = Mutex<Pipe?>(Pipe())
            reading = pipe.withLock { $0?.reading ?? -1 }
            let service = try await service { call in
                calls.withLock { $0.append(call) }
                return pipe.withLock { pipe in
                    defer { pipe = nil }
                    return .values(pipe.map { [.fileDescriptor($0.writing)] } ?? [])
                }
            }
            lock = try await inhibit(by: SleepInhibitor(busAddress: bus.address))
            // The service's own end is gone with its connection: what holds the lock now is ours.
            await service.close()
        }
        let all = calls.withLock { $0 }
        let call = try #require(all.first)
        #expect(call.interface == "org.freedesktop.login1.Manager")
        #expect(call.member == "Inhibit")
        #expect(
            call.arguments == [
                .string("sleep"), .string("espurr-ota"), .string("an update of the ears"), .string("block"),
            ])
        #expect(isHeld(reading))
        lock.release()
        lock.release()
        // What another test starts has a copy of every descriptor for a moment.
        #expect(!isHeld(reading, after: .seconds(10)))
        close(reading)
    }

    @Test func `without logind that is said, and nothing started`() async throws {
        await #expect(throws: SleepInhibitionError.absent) {
            try await inhibit(by: SleepInhibitor(busAddress: bus.address))
        }
    }

    @Test func `without a bus there is no logind`() async throws {
        await #expect(throws: SleepInhibitionError.absent) {
            try await inhibit(by: SleepInhibitor(busAddress: "unix:path=\(bus.folder.path)/nothing"))
        }
    }

    @Test(arguments: [
        "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
    ])
    func `what policy does not allow is refused`(name: String) async throws {
        let service = try await service { _ in .error(name: name, message: "no") }
        await #expect(throws: SleepInhibitionError.refused(name: name)) {
            try await inhibit(by: SleepInhibitor(busAddress: bus.address))
        }
        await service.close()
    }

    @Test func `an answer without a descriptor is a failure`() async throws {
        let service = try await service { _ in .values([.string("locked")]) }
        let error = await #expect(throws: SleepInhibitionError.self) {
            try await inhibit(by: SleepInhibitor(busAddress: bus.address))
        }
        guard case .failed? = error else { return #expect(error == .failed(reason: "")) }
        await service.close()
    }

    @Test func `one that never answers is not waited for beyond the deadline`() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        let service = try await service { _ in
            asked.continuation.yield()
            return .silence
        }
        let clock = TestClock()
        let inhibitor = SleepInhibitor(busAddress: bus.address, deadline: .seconds(2), clock: clock)
        let attempt = Task { try await inhibit(by: inhibitor) }
        for await _ in asked.stream { break }
        try await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        await #expect(throws: SleepInhibitionError.noAnswer(within: .seconds(2))) { try await attempt.value }
        await service.close()
    }
}
