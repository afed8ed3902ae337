import Threads
import Glibc
import Synchronization

/// How a process ended.
public enum ProcessEnd: Hashable, Sendable {
    case exited(status: Int32)
    case signalled(Int32)

    /// As a shell reports it: 128 + n for a signal.
    public var status: Int32 {
        switch self {
        case .exited(let status): status
        case .signalled(let number): 128 + number
        }
    }
}

/// A child process in a process group of its own, waited for on a thread of its own.
final class SpawnedProcess: Sendable {
    let identifier: pid_t
    private let state = Mutex(State())

    private struct State {
        var end: ProcessEnd?
        var waiters: [CheckedContinuation<ProcessEnd, Never>] = []
    }

    /// What a child is started with besides its arguments.
    struct Setting {
        /// `NAME=value`
        var environment: [String]
        var descriptors: [Descriptor] = []
        /// Signals that the child finds as they are in this process; all others do what they do by default.
        var keptSignals: [Int32] = []
        /// The child has the standard streams and ``descriptors``, and nothing else that this process has open.
        var closesOthers = false

        /// Where the child's PATH has the program.
        func path(of name: String) -> String? {
            guard !name.contains("/") else { return name }
            let path = environment.first { $0.hasPrefix("PATH=") }?.dropFirst("PATH=".count) ?? ""
            return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
        }
    }

    /// A descriptor of this process, and the number that it has in the child.
    struct Descriptor {
        var own: Int32
        var child: Int32
    }

    /// Starts `name`, looked up in the child's PATH unless it has a slash. No signal is blocked in the child, and none
    /// ignored but what is kept.
    ///
    /// - Parameter onStop: is called with the child and the signal where it was stopped (Ctrl-Z), on the waiting
    ///   thread.
    init(
        _ name: String, _ arguments: [String], _ setting: Setting,
        onStop: @escaping @Sendable (pid_t, Int32) -> Void = { _, _ in }
    ) throws(SimulationError) {
        let (code, identifier) = Self.spawn(name, arguments, setting)
        guard code == 0 else { throw .commandNotStarted(name: name, errno: code) }
        self.identifier = identifier
        DetachedThread.startOrBorrow { [self] in finish(Self.waitForEnd(of: identifier, onStop)) }
    }

    private static func spawn(_ name: String, _ arguments: [String], _ setting: Setting) -> (Int32, pid_t) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let inherited = Set(setting.descriptors.map(\.child) + [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO])
        for descriptor in setting.descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptor.own, descriptor.child)
        }
        if setting.closesOthers {
            for number in openDescriptors() where !inherited.contains(number) {
                posix_spawn_file_actions_addclose(&actions, number)
            }
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        for number in setting.keptSignals { sigdelset(&all, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        guard let path = setting.path(of: name) else { return (ENOENT, 0) }
        var identifier: pid_t = 0
        let code = withStrings([name] + arguments) { arguments in
            withStrings(setting.environment) { environment in
                posix_spawn(&identifier, path, &actions, &attributes, arguments, environment)
            }
        }
        return (code, identifier)
    }

    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var numbers: [Int32] = []
        while let entry = readdir(folder) {
            if let number = Int32(entry.name), number != dirfd(folder) { numbers.append(number) }
        }
        return numbers
    }

    private static func waitForEnd(of identifier: pid_t, _ onStop: (pid_t, Int32) -> Void) -> ProcessEnd {
        while true {
            var status: Int32 = 0
            guard waitpid(identifier, &status, WUNTRACED) == identifier else {
                if errno == EINTR { continue }
                return .exited(status: 0)
            }
            // The macros of <sys/wait.h> are not imported.
            if status & 0xFF == 0x7F {
                onStop(identifier, status >> 8 & 0xFF)
            } else if status & 0x7F == 0 {
                return .exited(status: status >> 8 & 0xFF)
            } else {
                return .signalled(status & 0x7F)
            }
        }
    }

    private func finish(_ end: ProcessEnd) {
        let waiters = state.withLock { state in
            state.end = end
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }

    /// Waits for its end, as often as asked.
    func wait() async -> ProcessEnd {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state -> ProcessEnd? in
                if state.end == nil { state.waiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Waits until the process writes something to a pipe, as it does when it is ready.
    ///
    /// - Parameter descriptor: the pipe's read end, which does not block.
    /// - Returns: false where it ended, or did not within the limit.
    func hasAnnounced(on descriptor: Int32, within limit: Duration) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + limit
        var byte: UInt8 = 0
        while clock.now < end, !hasEnded {
            if read(descriptor, &byte, 1) == 1 { return true }
            try? await Task.sleep(for: .milliseconds(2), clock: clock)
        }
        return false
    }

    /// Sends a signal to the whole group.
    func signalGroup(_ number: Int32) { kill(-identifier, number) }

    /// Ends what is left of the group: asks, and after the grace kills.
    func endGroup(grace: Duration) async {
        guard kill(-identifier, SIGTERM) == 0 else { return }
        signalGroup(SIGCONT)
        if await groupIsGone(within: grace) { return }
        signalGroup(SIGKILL)
        _ = await groupIsGone(within: Self.killing)
    }

    /// How long the system may take to end what was killed.
    private static let killing = Duration.seconds(1)

    private func groupIsGone(within limit: Duration) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while ProcessGroup(identifier).hasLivingMember {
            guard clock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(5), clock: clock)
        }
        return true
    }
}

private func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
        return body(UnsafePointer(base))
    }
}
