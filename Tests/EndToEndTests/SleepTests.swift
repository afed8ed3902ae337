import DBus
import Glibc
import Synchronization
import TestSupport
import Testing

/// `install` keeps this machine from sleeping, where there is a logind: one of the test's own, on the simulated bus.
@Suite struct SleepTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let isSending: @Sendable (String) -> Bool = { $0.contains(#""phase":"sending","bytes""#) }

    @Test func `each pair of a bench is held awake for, until its verdict`() async throws {
        let small = try FirmwareFile().write(to: folder, "small")
        let logind = FakeLogind()
        let heldWhileSending = Mutex<[Bool]>([])
        let steps = try await SimulatedRun("--ears", "2").beside(
            logind.appear,
            ["espurr-ota", "install", "--all", "--json", "--yes", "--unauthenticated", small],
            when: Self.isSending
        ) { _ in heldWhileSending.withLock { $0 = logind.held } }
        #expect(steps[0].status == 0, "\(steps[0].messages)")
        #expect(heldWhileSending.withLock { $0.first } == true)
        let inhibitions = logind.inhibitions
        #expect(inhibitions.map(\.heldBefore) == [[], [false]])
        for inhibition in inhibitions {
            #expect(inhibition.member == "org.freedesktop.login1.Manager.Inhibit")
            #expect(inhibition.arguments.first == .string("sleep"))
            #expect(inhibition.arguments.last == .string("block"))
        }
        #expect(logind.held == [false, false])
        await logind.disappear()
    }

    @Test func `cancelled, it lets go of it with the verdict`() async throws {
        let large = try FirmwareFile(size: 1 << 20).write(to: folder, "large")
        let logind = FakeLogind()
        let heldWhileSending = Mutex<[Bool]>([])
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").beside(
            logind.appear, Command.install(large), when: Self.isSending
        ) { command in
            heldWhileSending.withLock { $0 = logind.held }
            kill(command, SIGINT)
        }
        #expect(steps[0].status == 130)
        #expect(steps[0].verdict["verdict"] == "cancelled")
        #expect(heldWhileSending.withLock(\.self) == [true])
        #expect(logind.held == [false])
        await logind.disappear()
    }

    @Test func `without logind nothing is said of it, but with --verbose`() async throws {
        let small = try FirmwareFile().write(to: folder, "small")
        let install = ["espurr-ota", "install", "--yes", "--unauthenticated", small]
        let words = "this machine may fall asleep meanwhile: there is no logind"
        let steps = try await SimulatedRun()(install, install + ["--allow-reinstall", "--verbose"])
        #expect(steps.map(\.status) == [0, 0])
        #expect(!steps[0].messages.contains("asleep"))
        #expect(steps[1].messageLines.filter { $0 == words }.count == 1)
    }
}

/// Gives locks as logind does: one end of a pipe, and sees at the other when it is closed.
private final class FakeLogind: Sendable {
    struct Inhibition: Sendable {
        var member: String
        var arguments: [DBusValue]
        /// Whether the locks that were given before are held still.
        var heldBefore: [Bool]
    }

    private struct State {
        var inhibitions: [Inhibition] = []
        var ends: [Int32] = []
        var connection: BusConnection?
    }

    private let state = Mutex(State())

    deinit { state.withLock { state in for end in state.ends { close(end) } } }

    var inhibitions: [Inhibition] { state.withLock(\.inhibitions) }
    /// Of each lock that was given, whether somebody holds it.
    var held: [Bool] { state.withLock { $0.ends.map(Self.isHeld) } }

    func appear(on bus: String) async throws {
        let connection = try await BusConnection(to: .explicit(bus), deadline: .seconds(10))
        try await connection.export(at: "/org/freedesktop/login1") { [weak self] in self?.answer($0) ?? .silence }
        try await connection.requestName("org.freedesktop.login1")
        state.withLock { $0.connection = connection }
    }

    func disappear() async { await state.withLock(\.connection)?.close() }

    private func answer(_ call: IncomingCall) -> MethodAnswer {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return .silence
        }
        state.withLock { state in
            state.inhibitions.append(
                Inhibition(
                    member: "\(call.interface).\(call.member)", arguments: call.arguments,
                    heldBefore: state.ends.map(Self.isHeld)))
            state.ends.append(ends[0])
        }
        return .values([.fileDescriptor(OwnedDescriptor(owning: ends[1]))])
    }

    private static func isHeld(_ end: Int32) -> Bool {
        var poll = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }
}
