import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
    /// What is isolated to the event loop.
    private actor Resident {
        nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }

        func thread() -> UInt { UInt(pthread_self()) }

        func thread(after other: Resident) async -> (UInt, UInt, UInt) {
            (thread(), await other.thread(), thread())
        }

        func isIsolated() { EventLoop.shared.checkIsolated() }
    }

    private static func thread() async -> UInt {
        await withCheckedContinuation { continuation in
            EventLoop.shared.async { continuation.resume(returning: UInt(pthread_self())) }
        }
    }

    @Test func `what was given runs in its order, from whichever thread it came`() async {
        let ran = Mutex<[Int]>([])
        for number in 0..<1000 { EventLoop.shared.async { ran.withLock { $0.append(number) } } }
        _ = await Self.thread()
        #expect(ran.withLock { $0 } == Array(0..<1000))
    }

    @Test func `without an eventfd it runs what it is given, whenever that comes, and says why it waits for nothing`()
        async
    {
        let loop = EventLoop(waker: .failure(EventLoop.Fault(errno: EMFILE)))
        #expect(loop.fault == EMFILE)
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in loop.async { continuation.resume() } }
        }
        #expect(EventLoop.shared.fault == nil)
    }

    @Test func `actors on the event loop are on one thread, and stay there`() async {
        let (here, there, again) = await Resident().thread(after: Resident())
        let thread = await Self.thread()
        #expect(here == thread && there == thread && again == thread)
        await Resident().isIsolated()
    }

    @Test func `a task that runs on the event loop is there again after it waited`() async {
        let thread = await Self.thread()
        await EventLoop.running {
            await withCheckedContinuation { continuation in DetachedThread.startOrBorrow { continuation.resume() } }
            #expect(Self.current == thread)
            #expect(await Resident().thread() == thread)
            #expect(Self.current == thread)
        }
    }

    private static var current: UInt { UInt(pthread_self()) }

    private func pipe() throws -> (near: OwnedDescriptor, far: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
    }

    /// After this the event loop has looked at its descriptors once more.
    private func aLook() async throws {
        let (near, far) = try pipe()
        let told = AsyncStream<Void>.makeStream()
        let readiness = Readiness(of: near, for: .writing) { told.continuation.yield() }
        readiness.watch(true)
        var iterator = told.stream.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        withExtendedLifetime(far) {}
    }

    @Test func `readiness is told as long as it is wanted`() async throws {
        let (near, far) = try pipe()
        let count = Mutex(0)
        let readiness = Readiness(of: near, for: .reading) { count.withLock { $0 += 1 } }
        #expect(write(far.number, "x", 1) == 1)
        try await aLook()
        #expect(count.withLock { $0 } == 0)
        readiness.watch(true)
        while count.withLock({ $0 }) < 2 { try await aLook() }
        readiness.watch(false)
        _ = await Self.thread()
        let last = count.withLock { $0 }
        try await aLook()
        #expect(count.withLock { $0 } == last)
    }

    @Test func `the end of the other side counts as readiness`() async throws {
        let (near, far) = try pipe()
        let told = AsyncStream<Void>.makeStream()
        let readiness = Readiness(of: near, for: .reading) { told.continuation.yield() }
        readiness.watch(true)
        shutdown(far.number, Int32(SHUT_RDWR))
        var iterator = told.stream.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test func `a watch that is over is not told again, though its descriptor is ready`() async throws {
        let (near, far) = try pipe()
        let count = Mutex(0)
        var readiness: Readiness? = Readiness(of: near, for: .reading) { count.withLock { $0 += 1 } }
        readiness?.watch(true)
        #expect(write(far.number, "x", 1) == 1)
        while count.withLock({ $0 }) == 0 { try await aLook() }
        readiness = nil
        #expect(readiness == nil)
        _ = await Self.thread()
        let last = count.withLock { $0 }
        try await aLook()
        #expect(count.withLock { $0 } == last)
    }
}
