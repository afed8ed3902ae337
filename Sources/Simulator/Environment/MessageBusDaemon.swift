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
        /// Nobody may come in.
        case closed

        init(_ faults: Set<DaemonFault>) {
            if faults.contains(.busDenied) {
                self = .closed
            } else if faults.contains(.accessDenied) {
                self = .denied
            } else {
                self = faults.contains(.activatableDaemon) ? .activatable : .open
            }
        }
    }

    /// For the daemon to say that it listens.
    static let startDeadline = Duration.seconds(30)
    private static let grace = Duration.seconds(2)

    /// Bytes of what the daemon says on its standard error while it starts.
    private static let logLimit = 64 << 10
    /// The descriptor that the daemon writes its address to.
    private static let announcement: Int32 = 3

    /// `unix:path=…`
    let address: String
    let policy: Policy
    private let process: SpawnedProcess
    /// The write end of the pipe that an activated program waits on: it ends with this process at the latest.
    private let leash: Mutex<Int32?>
    /// The write end of the pipe that the daemon's keeper waits on.
    private let life: Int32

    /// Starts the daemon and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: for its files; not removed.
    ///   - path: PATH, where the daemon is looked for.
    init(in folder: String, policy: Policy, path: String) async throws(SimulationError) {
        address = Self.address(in: folder)
        self.policy = policy
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
        guard let ends = Pipe.make(nonBlocking: false) else { throw .file(path: folder, errno: errno) }
        life = ends.write
        do throws(SimulationError) {
            defer { close(ends.read) }
            process = try await Self.start(in: folder, path: path, livingAsLongAs: ends.read)
        } catch {
            close(ends.write)
            throw error
        }
    }

    static func path(in folder: String) -> String { folder + "/bus" }

    static func address(in folder: String) -> String { "unix:path=" + escaped(path(in: folder)) }

    /// As a value of an address has to be (D-Bus specification, "Server Addresses").
    private static func escaped(_ value: String) -> String {
        value.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isWord = character.isASCII && (character.isLetter || character.isNumber)
            if isWord || #"-_/.\*"#.contains(character) { return String(character) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

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
        close(life)
    }

    /// Starts the daemon, and waits beside it for the end of the pipe that it finds as descriptor 4: this process has
    /// ended then, however it did, and daemon and folder go too. A signal on the parent's death would not do: it comes
    /// with the end of the thread that started the child.
    private static let keeper = """
        folder=$1; shift
        "$@" 4<&- & bus=$!
        { cat <&4 >/dev/null; kill "$bus"; rm -rf "$folder"; } 3>&- 2>/dev/null &
        wait "$bus"
        """
    private static let lifeline: Int32 = 4

    private static func start(
        in folder: String, path: String, livingAsLongAs life: Int32
    ) async throws(SimulationError) -> SpawnedProcess {
        let configuration = folder + "/bus.conf"
        guard let program = SpawnedProcess.Setting(environment: ["PATH=\(path)"]).path(of: "dbus-daemon") else {
            throw .busDaemonMissing
        }
        let logPath = configuration + ".log"
        let log = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else { throw .file(path: logPath, errno: errno) }
        defer { close(log) }
        guard let ends = Pipe.make(nonBlocking: true) else { throw .file(path: configuration, errno: errno) }
        defer { close(ends.read) }
        let process: SpawnedProcess
        do throws(SimulationError) {
            defer { close(ends.write) }
            process = try spawnKeeper(
                of: folder,
                daemon: [
                    program, "--nofork", "--nopidfile", "--print-address=\(announcement)",
                    "--config-file=\(configuration)",
                ],
                [
                    .init(own: log, child: STDERR_FILENO), .init(own: ends.write, child: announcement),
                    .init(own: life, child: lifeline),
                ])
        } catch {
            throw error
        }
        guard await process.hasAnnounced(on: ends.read, within: startDeadline) else {
            await process.endGroup(grace: .zero)
            let text = try Folder.read(logPath, limit: logLimit) ?? []
            throw .busDaemonFailed(log: String(decoding: text, as: UTF8.self))
        }
        return process
    }

    private static func spawnKeeper(
        of folder: String, daemon: [String], _ descriptors: [SpawnedProcess.Descriptor]
    ) throws(SimulationError) -> SpawnedProcess {
        do throws(SimulationError) {
            return try SpawnedProcess(
                "/bin/sh", ["-c", keeper, "sh", folder] + daemon,
                .init(environment: ["PATH=/usr/bin:/bin"], descriptors: descriptors, closesOthers: true))
        } catch {
            // It is not the command of the run that could not be started.
            guard case .commandNotStarted(let name, let number) = error else { throw error }
            throw .busDaemonFailed(log: "\(name): \(String(cString: strerror(number)))")
        }
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

    private static func inXML(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func configuration(address: String, policy: Policy, services: String) -> String {
        let activation = policy == .activatable ? "<servicedir>\(inXML(services))</servicedir>" : ""
        let denial =
            switch policy {
            case .open, .activatable: ""
            case .denied: "<deny send_destination=\"org.bluez\"/>"
            case .closed: "<deny user=\"*\"/>"
            }
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
