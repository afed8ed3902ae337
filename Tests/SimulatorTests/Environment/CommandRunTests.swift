import Threads
import Glibc
import TestSupport
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(1))) struct SpawnedProcessTests {
    private func shell(_ script: String, _ word: Word? = nil) throws -> SpawnedProcess {
        var setting = SpawnedProcess.Setting(environment: ["PATH=/usr/bin:/bin"])
        if let word { setting.descriptors = [.init(own: word.writing, child: 4)] }
        return try SpawnedProcess("sh", ["-c", script], setting)
    }

    @Test(arguments: [
        ("exit 0", ProcessEnd.exited(status: 0), Int32(0)), ("exit 7", .exited(status: 7), 7),
        ("kill -9 $$", .signalled(SIGKILL), 137), ("kill -TERM $$", .signalled(SIGTERM), 143),
    ])
    func `an end is told as a shell tells it`(script: String, end: ProcessEnd, status: Int32) async throws {
        let process = try shell(script)
        #expect(await process.wait() == end)
        #expect(end.status == status)
        #expect(await process.wait() == end)
    }

    @Test func `no signal is blocked or ignored in a child`() async throws {
        // The C library ignores two signals of its own (32 and 33) in what it spawns.
        let process = try shell(
            "set -- $(grep -E '^Sig(Blk|Ign):' /proc/self/status); "
                + "test $2 = 0000000000000000 && test ${4%80000000} = 00000001 -o $4 = 0000000000000000")
        #expect(await process.wait() == .exited(status: 0))
    }

    @Test func `a command is looked up in its own PATH`() {
        #expect(throws: SimulationError.commandNotStarted(name: "sh", errno: ENOENT)) {
            _ = try SpawnedProcess("sh", [], .init(environment: ["PATH=/nonexistent"]))
        }
    }

    @Test func `what is left of a group ends, also where it ignores the asking`() async throws {
        let word = try Word()
        let process = try shell("(trap '' TERM; echo ready >&4; exec 4>&-; exec sleep 60) &", word)
        #expect(await process.wait() == .exited(status: 0))
        #expect(await word.arrives() == "ready\n")
        #expect(ProcessGroup(process.identifier).hasLivingMember)
        await process.endGroup(grace: .milliseconds(50))
        #expect(!ProcessGroup(process.identifier).hasLivingMember)
    }

    @Test func `signals are passed on to the command, and the first is remembered`() async throws {
        let word = try Word()
        let process = try shell(
            "trap '' INT; trap 'exit 9' TERM; echo ready >&4; while :; do sleep 0.01; done", word)
        let relay = SignalRelay()
        relay.attach(process)
        #expect(await word.arrives() == "ready\n")
        relay.receive(SIGTERM)
        relay.receive(SIGINT)
        #expect(await process.wait() == .exited(status: 9))
        #expect(relay.first == SIGTERM)
    }
}

/// What a child says on its descriptor 4.
private final class Word: Sendable {
    let writing: Int32
    private let reading: Int32

    init() throws {
        let ends = try #require(Pipe.make(nonBlocking: false))
        (reading, writing) = (ends.read, ends.write)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Waits for it on a thread of its own.
    func arrives() async -> String {
        await withCheckedContinuation { continuation in
            DetachedThread.startOrBorrow { [reading] in
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = max(0, read(reading, &buffer, buffer.count))
                continuation.resume(returning: String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }
}

/// `espurr-sim` itself, as a process.
@Suite(.timeLimit(.minutes(2))) struct EspurrSimTests {
    private static let program = BuiltProgram("espurr-sim")

    private func environment(_ folder: TemporaryFolder) -> [String: String] {
        ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": folder.path]
    }

    private func leftovers(in folder: TemporaryFolder) -> [String] {
        guard let stream = opendir(folder.path) else { return ["?"] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            if entry.name.hasPrefix("espurr-sim") { names.append(entry.name) }
        }
        return names
    }

    private func start(_ arguments: [String], in folder: TemporaryFolder) throws -> RunningProgram {
        try Self.program.start(arguments, environment: environment(folder), in: folder)
    }

    @Test(arguments: [("exit 5", Int32(5)), ("kill -9 $$", 137)])
    func `a run has its command's status, and leaves nothing`(script: String, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let output = try await start(["run", "--family", "esp32", "--", "sh", "-c", script], in: folder)
            .end(within: .seconds(30))
        #expect(output.status == status)
        #expect(leftovers(in: folder).isEmpty)
    }

    @Test(arguments: [(SIGTERM, 9), (SIGINT, 8), (SIGHUP, 7)] as [(Int32, Int32)])
    func `a signal reaches the command once, and the run ends after it`(signal: Int32, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let script =
            "n=0; trap 'n=$((n+1)); s=9' TERM; trap 'n=$((n+1)); s=8' INT; trap 'n=$((n+1)); s=7' HUP; echo ready; "
            + "while [ $n = 0 ]; do sleep 0.01; done; sleep 0.1; echo $n times; exit $s"
        let program = try start(["run", "--family", "esp32", "--", "sh", "-c", script], in: folder)
        _ = try await program.line(within: .seconds(30)) { $0 == "ready" }
        program.send(signal)
        let output = try await program.end(within: .seconds(30))
        #expect(output.status == status)
        #expect(output.output == "ready\n1 times\n")
        #expect(leftovers(in: folder).isEmpty)
    }

    @Test func `a hang-up that nohup has ignored is ignored by the command too`() async throws {
        let folder = try TemporaryFolder()
        let script = "kill -HUP $$ $PPID; echo lives"
        let output = try await BuiltProgram(path: "/usr/bin/nohup").start(
            [Self.program.path, "run", "--family", "esp32", "--", "sh", "-c", script],
            environment: environment(folder), in: folder
        ).end(within: .seconds(30))
        #expect(output.status == 0)
        #expect(output.output == "lives\n")
        #expect(leftovers(in: folder).isEmpty)
    }

    @Test func `the command finds bus, configuration and console`() async throws {
        let folder = try TemporaryFolder()
        let script =
            "cat $XDG_CONFIG_HOME/espurr/config.json; test -S ${DBUS_SYSTEM_BUS_ADDRESS#unix:path=} && "
            + "test -f $ESPURR_SIM_SERIAL && test -d $XDG_RUNTIME_DIR && command -v espurr-sim"
        let output = try await start(["run", "--family", "esp32", "--", "sh", "-c", script], in: folder)
            .end(within: .seconds(30))
        #expect(output.status == 0)
        let lines = output.output.split(separator: "\n")
        #expect(lines.first?.contains("\"schema\":\"espurr.config/1\"") == true)
        #expect(lines.last.map(String.init) == Self.program.path)
    }

    @Test(
        arguments: [
            ([], "what to do is missing"), (["run"], "“run” needs -- COMMAND…"),
            (["run", "--family", "x", "--", "true"], "no board family “x”"),
            (["run", "--ears", "17", "--", "true"], "“--ears” cannot be “17”"),
            (["run", "--adapters", "0", "--", "true"], "“--adapters” cannot be “0”"),
            (["run", "--fault", "rain", "--", "true"], "no fault “rain”"),
            (["run", "--fault", "drop-at", "--", "true"], "fault “drop-at” needs a value: drop-at=PERCENT"),
            (["run", "--fault", "drop-at=200", "--", "true"], "fault “drop-at” takes PERCENT, not “200”"),
            (["run", "--ears", "2", "--fault", "3:stale-bond", "--", "true"], "there is no pair 3 to have a fault"),
            (["run", "--fault", "0:stale-bond", "--", "true"], "there is no pair 0 to have a fault"),
            (
                ["run", "--fault", "1:no-bus", "--", "true"],
                "fault “no-bus” is of this machine's side, and of no one pair"
            ),
            (["run", "--fault", "no-bus=1", "--", "true"], "fault “no-bus” takes no value"),
            (["run", "--", "no-such-command"], "“no-such-command” cannot be started: No such file or directory"),
            (["catalogue"], "“catalogue” needs DIR"),
        ] as [([String], String)])
    func `bad usage is one clear line and status 2`(arguments: [String], line: String) async throws {
        let folder = try TemporaryFolder()
        let output = try await start(arguments, in: folder).end(within: .seconds(30))
        #expect(output.status == 2)
        #expect(output.messages.split(separator: "\n").first == "espurr-sim: \(line)")
        #expect(leftovers(in: folder).isEmpty)
    }

    @Test func `the help explains every fault`() async throws {
        let folder = try TemporaryFolder()
        let output = try await start(["run", "--help"], in: folder).end(within: .seconds(30))
        #expect(output.status == 0)
        for fault in FaultSelection.all { #expect(output.output.contains("\n" + fault.name)) }
    }
}
