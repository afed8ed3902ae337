import DBus
import Glibc

/// Another program that answers pairings for everybody: a process of its own, since that is how it is told from ours.
final class DefaultAgent: Sendable {
    /// The process has the name of the program that is known for it (bluez-tools).
    static let program = "bt-agent"
    private static let startDeadline = Duration.seconds(10)
    private static let grace = Duration.seconds(1)

    private let process: SpawnedProcess
    /// The write end of its standard input: it ends with it, and so with this process at the latest.
    private let leash: Int32

    /// Starts it and waits until it is the default agent.
    ///
    /// - Parameter folder: for a link with the program's name to this executable; not removed.
    init(on bus: String, in folder: String) async throws(SimulationError) {
        let path = folder + "/" + Self.program
        guard symlink(try Self.ownPath(), path) == 0 else { throw .file(path: path, errno: errno) }
        guard let input = Pipe.make(nonBlocking: false), let output = Pipe.make(nonBlocking: true) else {
            throw .file(path: path, errno: errno)
        }
        defer { close(output.read) }
        do throws(SimulationError) {
            defer {
                close(input.read)
                close(output.write)
            }
            process = try SpawnedProcess(
                path, ["-c", DefaultAgentProgram.capability],
                .init(
                    environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus)"],
                    descriptors: [
                        .init(own: input.read, child: STDIN_FILENO), .init(own: output.write, child: STDOUT_FILENO),
                    ],
                    closesOthers: true))
        } catch {
            close(input.write)
            throw error
        }
        leash = input.write
        guard await process.hasAnnounced(on: output.read, within: Self.startDeadline) else {
            await stop()
            throw .commandNotStarted(name: Self.program, errno: ETIMEDOUT)
        }
    }

    func stop() async {
        close(leash)
        await process.endGroup(grace: Self.grace)
        _ = await process.wait()
    }

    private static func ownPath() throws(SimulationError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0 else { throw .file(path: "/proc/self/exe", errno: errno) }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The program behind ``DefaultAgent``: this executable under another name.
public enum DefaultAgentProgram {
    static let capability = "NoInputNoOutput"
    private static let path = "/agent"
    private static let deadline = Duration.seconds(5)

    public static func isAskedFor(by arguments: [String]) -> Bool {
        arguments.first?.split(separator: "/").last.map(String.init) == DefaultAgent.program
    }

    /// Registers on the system bus, says so with a byte on standard output, and ends with its standard input.
    public static func run() async -> Never {
        do throws(DBusError) {
            let connection = try await BusConnection(to: .system, deadline: deadline)
            try await connection.export(at: path) { _ in .error(name: "org.bluez.Error.Rejected", message: "") }
            try await register("RegisterAgent", [.objectPath(path), .string(capability)], on: connection)
            try await register("RequestDefaultAgent", [.objectPath(path)], on: connection)
            print("ready")
            fflush(nil)
            while getchar() != EOF {}
            await connection.close()
        } catch {
            exit(1)
        }
        exit(0)
    }

    private static func register(
        _ member: String, _ arguments: [DBusValue], on connection: BusConnection
    ) async throws(DBusError) {
        let call = MethodCall(
            member, of: BlueZInterface.agentManager, at: "/org/bluez", to: BlueZService.name, arguments)
        _ = try await connection.call(call, deadline: deadline)
    }
}
