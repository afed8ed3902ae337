public import Glibc
import Foundation
import Synchronization

/// A dbus-daemon of the test's own, ended and reaped when the value is dropped.
///
/// Started by `posix_spawn`, not Foundation's `Process`: a child of a concurrency thread inherits that thread's blocked
/// signals, SIGTERM among them, unless the mask is set.
public final class PrivateBus: Sendable {
    public enum Failure: Error {
        case system(call: String, errno: Int32)
        /// The daemon printed no address: it is not installed, or did not like its configuration.
        case noAddress(log: String)
    }

    /// A service that the daemon starts when a message is sent to its name.
    public struct ActivatableService: Sendable {
        public var name: String
        public var command: String

        public init(name: String, command: String) {
            self.name = name
            self.command = command
        }
    }

    /// Such as `unix:path=/tmp/…,guid=…`.
    public let address: String
    /// The daemon's process.
    public let processID: pid_t
    /// Where the daemon's files are; a test may put its own there.
    public let folder: TemporaryFolder
    private let isRunning = Mutex(true)

    /// - Parameters:
    ///   - policy: XML within `<policy context="default">`; everything is allowed by default.
    ///   - limits: of the daemon, by their names in dbus-daemon(1).
    public init(
        activatable: [ActivatableService] = [], policy: String = PrivateBus.everything, limits: [String: Int] = [:]
    ) throws {
        folder = try TemporaryFolder()
        for service in activatable {
            try folder.write(
                "[D-BUS Service]\nName=\(service.name)\nExec=\(service.command)\n", to: "\(service.name).service")
        }
        let configuration = try folder.write(
            PrivateBus.configuration(folder: folder.path, policy: policy, limits: limits), to: "bus.conf")
        (processID, address) = try PrivateBus.spawn(configuration, log: "\(folder.path)/daemon.log")
        RunningBuses.add(processID, folder.path)
    }

    deinit { stop() }

    /// Kills the daemon and waits for its end; every connection to it is cut.
    public func stop() {
        isRunning.withLock { isRunning in
            guard isRunning else { return }
            isRunning = false
            kill(processID, SIGKILL)
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            RunningBuses.remove(processID)
        }
    }

    public static let everything = """
        <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
        """

    private static func configuration(folder: String, policy: String, limits: [String: Int]) -> String {
        let limits = limits.map { "<limit name=\"\($0.key)\">\($0.value)</limit>" }.joined()
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder)/bus</listen>
              <auth>EXTERNAL</auth>
              <servicedir>\(folder)</servicedir>
              <policy context="default">\(policy)</policy>
              \(limits)
            </busconfig>

            """
    }

    private static func spawn(_ configuration: String, log: String) throws -> (pid_t, address: String) {
        var ends: [Int32] = [-1, -1]
        // Not `pipe`: with it a daemon that is started beside this one could inherit the writing end.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure.system(call: "socketpair", errno: errno) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let process: pid_t
        do {
            defer { close(writing) }
            process = try spawnDaemon(configuration, standardOutput: writing, log: log)
        }
        guard let address = firstLine(reading) else {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            throw Failure.noAddress(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
        }
        return (process, address)
    }

    private static func spawnDaemon(_ configuration: String, standardOutput: Int32, log: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT, 0o600)
        closeOtherDescriptors(by: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["dbus-daemon", "--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "dbus-daemon", &actions, &attributes, &arguments, environ)
        guard result == 0 else { throw Failure.system(call: "posix_spawnp", errno: result) }
        return process
    }

    private static func firstLine(_ descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}

/// The daemons of buses that were not dropped when the tests end: a test that waits for what never comes keeps its own.
private enum RunningBuses {
    private static let folders = Mutex<[pid_t: String]>([:])
    private static let atExit: Int32 = atexit {
        for (process, folder) in RunningBuses.folders.withLock({ $0 }) {
            kill(process, SIGKILL)
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    static func add(_ process: pid_t, _ folder: String) {
        _ = atExit
        folders.withLock { $0[process] = folder }
    }

    static func remove(_ process: pid_t) { folders.withLock { $0[process] = nil } }
}
