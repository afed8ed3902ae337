import Glibc
import Synchronization

/// A `dbus-daemon` of one's own on a Unix socket.
final class MessageBusDaemon: Sendable {
    /// How the bus treats `org.bluez`.
    enum Policy: Hashable, Sendable {
        case open
        /// A service file names a program that never takes the name.
        case activatable
        /// Nobody may call it.
        case denied
    }

    /// For the daemon to say that it listens.
    static let startDeadline = Duration.seconds(10)
    private static let grace = Duration.seconds(2)

    /// Bytes of what the daemon says on its standard error while it starts.
    private static let logLimit = 64 << 10
    /// The descriptor that the daemon writes its address to.
    private static let announcement: Int32 = 3

    /// `unix:path=…`
    let address: String
    private let process: SpawnedProcess
    /// The write end of the pipe that an activated program waits on: it ends with this process at the latest.
    private let leash: Mutex<Int32?>

    /// Starts the daemon and waits until it listens.
    ///
    /// - Parameter folder: for its files; not removed.
    init(in folder: String, policy: Policy) async throws(SimulationError) {
        address = Self.address(in: folder)
        let fifo = folder + "/never"
        if policy == .activatable {
            leash = Mutex(try Self.layLeash(fifo))
            try Folder.make(folder + "/services")
            try Folder.write(Array(Self.service(waitingOn: fifo).utf8), to: folder + "/services/org.bluez.service")
        } else {
            leash = Mutex(nil)
        }
        let configuration = Self.configuration(address: address, policy: policy, services: folder + "/services")
        try Folder.write(Array(configuration.utf8), to: folder + "/bus.conf")
        process = try await Self.start(configuration: folder + "/bus.conf")
    }

    static func address(in folder: String) -> String { "unix:path=\(folder)/bus" }

    /// Ends the daemon and reaps it.
    func stop() async {
        let leash = self.leash.withLock { leash in
            defer { leash = nil }
            return leash
        }
        if let leash { close(leash) }
        process.signalGroup(SIGTERM)
        await process.endGroup(grace: Self.grace)
        _ = await process.wait()
    }

    private static func start(configuration: String) async throws(SimulationError) -> SpawnedProcess {
        let logPath = configuration + ".log"
        let log = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else { throw .file(path: logPath, errno: errno) }
        defer { close(log) }
        guard let ends = Pipe.make(nonBlocking: true) else { throw .file(path: configuration, errno: errno) }
        defer { close(ends.read) }
        let process: SpawnedProcess
        do throws(SimulationError) {
            defer { close(ends.write) }
            process = try SpawnedProcess(
                "dbus-daemon",
                ["--nofork", "--nopidfile", "--print-address=\(announcement)", "--config-file=\(configuration)"],
                .init(
                    environment: ["PATH=/usr/bin:/bin:/usr/local/bin"],
                    descriptors: [.init(own: log, child: STDERR_FILENO), .init(own: ends.write, child: announcement)],
                    closesOthers: true))
        } catch .commandNotStarted(_, ENOENT) {
            throw .busDaemonMissing
        }
        guard await hasAnnounced(on: ends.read, process) else {
            await process.endGroup(grace: .zero)
            let text = try Folder.read(logPath, limit: logLimit) ?? []
            throw .busDaemonFailed(log: String(decoding: text, as: UTF8.self))
        }
        return process
    }

    private static func hasAnnounced(on descriptor: Int32, _ process: SpawnedProcess) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + startDeadline
        var byte: UInt8 = 0
        while clock.now < end, !process.hasEnded {
            if read(descriptor, &byte, 1) == 1 { return true }
            try? await Task.sleep(for: .milliseconds(2), clock: clock)
        }
        return false
    }

    private static func layLeash(_ fifo: String) throws(SimulationError) -> Int32 {
        guard mkfifo(fifo, 0o600) == 0 else { throw .file(path: fifo, errno: errno) }
        // Both ends, so that opening does not wait.
        let descriptor = open(fifo, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: fifo, errno: errno) }
        return descriptor
    }

    private static func service(waitingOn fifo: String) -> String {
        "[D-BUS Service]\nName=org.bluez\nExec=/bin/cat \(fifo)\n"
    }

    private static func configuration(address: String, policy: Policy, services: String) -> String {
        let activation = policy == .activatable ? "<servicedir>\(services)</servicedir>" : ""
        let denial = policy == .denied ? "<deny send_destination=\"org.bluez\"/>" : ""
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              \(activation)
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                \(denial)
              </policy>
            </busconfig>

            """
    }
}
