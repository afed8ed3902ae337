import Foundation
import Glibc
import Testing
import TestSupport

/// `install` on several pairs of ears: verdicts, what is retried, what is fetched, and how a run is cancelled.
@Suite struct BenchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func address(_ pair: Int) -> JSONDocument { .string("02:E5:50:5C:1A:0\(pair)") }

    private static let all = ["espurr-ota", "install", "--all", "--json", "--yes"]
    private static let retry = ["espurr-ota", "install", "--retry-failed", "--json", "--yes"]

    /// The verdict of each pair of a run, by its address.
    private func verdicts(_ output: BuiltProgram.Output) -> [JSONDocument: JSONDocument] {
        let records = output.documents.filter { $0["event"] == "verdict" }
        return Dictionary(records.map { ($0["device"], $0["verdict"]) }) { _, _ in .string("two verdicts") }
    }

    private func expectNumbered(_ output: BuiltProgram.Output) {
        #expect(output.documents.map { $0["sequence"].integer } == Array(1...max(1, output.documents.count)))
        #expect(output.documents.allSatisfy { $0["schema"] == "espurr.install/1" })
        #expect(output.document["event"] == "summary")
    }

    @Test func `eight pairs on two adapters, one rolls back, one is unknown: 50, and the retry takes just those two`()
        async throws
    {
        let run = SimulatedRun(
            "--ears", "8", "--adapters", "2", "--fault", "3:boot-fails", "--fault", "6:power-loss-when-selected=40s")
        let steps = try await run(
            Self.all, Self.retry, ["espurr-ota", "history", "--json"])

        #expect(steps[0].status == 50)
        expectNumbered(steps[0])
        var expected = Dictionary(
            uniqueKeysWithValues: (1...8).map { (Self.address($0), JSONDocument.string("confirmed")) })
        expected[Self.address(3)] = "rolled_back"
        expected[Self.address(6)] = "unknown"
        #expect(verdicts(steps[0]) == expected)
        let summary = steps[0].document
        #expect(
            summary["verdicts"]
                == .object(["confirmed": .integer(6), "rolled_back": .integer(1), "unknown": .integer(1)]))
        #expect(summary["ears"] == 8)
        #expect(summary["failed"] == 2)
        #expect(summary["status"] == 50)
        expectOneAtATime(steps[0])

        #expect(steps[1].status == 50)
        expectNumbered(steps[1])
        #expect(verdicts(steps[1]) == [Self.address(3): "rolled_back", Self.address(6): "confirmed"])
        let sixth = steps[1].documents.filter { $0["device"] == Self.address(6) }.map { $0["event"] }
        #expect(sixth.first == "begin")
        #expect(Array(sixth.suffix(2)) == ["settled", "verdict"])
        // It ran already: nothing was sent to it again.
        #expect(!sixth.contains("upload_form"))
        let attempts = steps[2].documents.filter { $0["device"] == Self.address(6) }
        #expect(attempts.map { $0["verdict"] } == ["confirmed"])
    }

    /// A pair begins on an adapter only after the one before it there has its verdict; the adapters go side by side.
    private func expectOneAtATime(_ output: BuiltProgram.Output) {
        var underWay: [JSONDocument: JSONDocument] = [:]
        var most = 0
        for record in output.documents where ["begin", "verdict"].contains(record["event"]) {
            if record["event"] == "begin" {
                #expect(underWay[record["adapter"]] == nil)
                underWay[record["adapter"]] = record["device"]
                most = max(most, underWay.count)
            } else {
                #expect(underWay[record["adapter"]] == record["device"])
                underWay[record["adapter"]] = nil
            }
        }
        #expect(most == 2)
    }

    @Test func `the catalogue is refreshed once and the image fetched once for all`() async throws {
        let catalogue = folder.path + "/catalogue"
        #expect(try await BuiltProgram("espurr-sim").run(["catalogue", catalogue]).status == 0)
        let server = LoopbackHTTPServer { path, connection in
            let contents = FileManager.default.contents(atPath: catalogue + path)
            return connection.reply(contents == nil ? 404 : 200, contents.map(Array.init) ?? [])
        }
        let steps = try await SimulatedRun("--ears", "3", "--adapters", "3")(
            Self.all + ["--catalogue", server.address])
        #expect(steps[0].status == 0, "\(steps[0].messages)")
        #expect(steps[0].document["verdicts"] == .object(["confirmed": .integer(3)]))
        let images = server.paths.filter { $0.hasSuffix(".bin") }
        #expect(images.count == 1)
        #expect(server.paths.filter { $0.hasSuffix("/timestamp.json") }.count == 1)
    }

    @Test func `the first signal ends what is under way, and says what was not begun: all are to be retried`()
        async throws
    {
        let large = try FirmwareFile(size: 1 << 20).write(to: folder, "large")
        let run = SimulatedRun(
            "--ears", "4", "--adapters", "2", "--fault", "slow-link", "--fault", "without=update-stream")
        let steps = try await run.interrupting(
            Self.all + ["--unauthenticated", large], ["sh", "-c", "cat $XDG_STATE_HOME/espurr/bench.json; echo"],
            when: { $0.contains(#""phase":"sending","bytes""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps[0].status == 130)
        expectNumbered(steps[0])
        #expect(steps[0].has(event: "cancelling"))
        #expect(
            verdicts(steps[0]) == [
                Self.address(1): "cancelled", Self.address(2): "cancelled", Self.address(3): "not_begun",
                Self.address(4): "not_begun",
            ])
        #expect(steps[0].document["failed"] == 4)
        #expect(steps[0].document["status"] == 130)
        let record = try #require(JSONDocument(parsing: steps[1].output))
        let pairs = record["run"]["pairs"].elements
        #expect(pairs.map { $0["status"] } == [130, 130, nil, nil])
        #expect(record["run"]["wanted"]["file"]["path"] == .string(large))
    }

    @Test func `an image that changes under the first pair is begun on no other, and that is said`() async throws {
        let image = try FirmwareFile(size: 1 << 20).write(to: folder, "image")
        let steps = try await SimulatedRun("--ears", "3", "--fault", "slow-erase=5s").interrupting(
            Self.all + ["--unauthenticated", image], ["espurr-ota", "history", "--json"],
            when: { $0.contains(#""phase":"erasing""#) }
        ) { _ in #expect(truncate(image, 1 << 19) == 0) }
        #expect(steps[0].status == 50)
        let records = steps[0].documents.filter { $0["event"] == "verdict" }
        #expect(records.map { $0["verdict"] } == Array(repeating: "image_unusable", count: 3))
        #expect(records.map { $0["status"] } == [21, 21, 21])
        let (begun, others) = (
            "the image's file changed while it was sent; the upload was given up",
            "the image cannot be sent any more: it changed while it was read; nothing was begun"
        )
        #expect(
            records.map { $0["sentence"] }
                == [begun, others, others].map { .string($0 + ", and the old firmware runs") })
        #expect(Set(steps[1].documents.map { $0["milestone"] }) == ["begun", "checked"])
    }

    @Test func `ears that another command holds are told by name, and the others installed`() async throws {
        let small = try FirmwareFile().write(to: folder, "small")
        let install = (Self.all + ["--unauthenticated", small]).joined(separator: " ")
        let script = """
            mkdir -p -m 700 $XDG_RUNTIME_DIR/espurr
            exec 9> $XDG_RUNTIME_DIR/espurr/hci0-02-e5-50-5c-1a-02.lock; flock 9
            \(install) 9>&-
            """
        let steps = try await SimulatedRun("--ears", "2")(["bash", "-c", script])
        #expect(steps[0].status == 50)
        #expect(verdicts(steps[0]) == [Self.address(1): "confirmed", Self.address(2): "refused"])
        let refused = steps[0].documents.first { $0["device"] == Self.address(2) && $0["event"] == "verdict" }
        #expect(refused?["error"]["code"] == "ears_held")
    }

    @Test(.enabled(if: Python.plain != nil, "there is no python3"))
    func `no to all is 22 and sends nothing, and one bench at a time is seen where the locks are`() async throws {
        let small = try FirmwareFile().write(to: folder, "small")
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Terminal/answer.py"
        let install = ["espurr-ota", "install", "--all", "--unauthenticated", small]
        let held = """
            exec 9> $XDG_RUNTIME_DIR/espurr/bench.lock; flock 9
            \(install.joined(separator: " ")) --yes --json 9>&-
            """
        let steps = try await SimulatedRun("--ears", "2")(
            [python.path, script, "[y/N]", "n"] + install, ["sh", "-c", "ls $XDG_STATE_HOME/espurr"],
            ["bash", "-c", held], ["espurr-ota", "history", "--json"])
        #expect(steps.map(\.status) == [22, 0, 10, 0])
        #expect(steps[0].output.contains("the answer was no: nothing was done"))
        #expect(!steps[1].output.contains("bench"))
        #expect(steps[2].document["event"] == "summary")
        #expect(steps[2].document["error"]["code"] == "bench_under_way")
        #expect(steps[3].output == "")
    }

    @Test func `named pairs are taken, others left alone; one that is not there is a failure among them`() async throws
    {
        let small = try FirmwareFile().write(to: folder, "small")
        let steps = try await SimulatedRun("--ears", "3")(
            [
                "espurr-ota", "install", "--json", "--yes", "--unauthenticated", small, "--device", "espurr-1A03",
                "--device", "02:E5:50:5C:1A:01", "--device", "espurr-FFFF", "--timeout", "2s",
            ], ["espurr-ota", "status", "--json", "--device", "espurr-1A02"])
        #expect(steps[0].status == 50)
        #expect(
            verdicts(steps[0]) == [
                Self.address(3): "confirmed", Self.address(1): "confirmed", "espurr-FFFF": "refused",
            ])
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
    }

    @Test func `a killed run is retried where it was: what was confirmed is left alone`() async throws {
        let small = try FirmwareFile().write(to: folder, "small")
        let steps = try await SimulatedRun("--ears", "2", "--fault", "2:slow-confirm=30s").interrupting(
            Self.all + ["--unauthenticated", small], Self.retry + ["--unauthenticated"],
            when: { $0.contains(#""milestone":"booted""#) && $0.contains("1A:02") }
        ) { command in kill(command, SIGKILL) }
        #expect(steps[0].status == 137)
        // The trial of the second pair is watched to its end, and nothing is sent again.
        #expect(verdicts(steps[1]) == [Self.address(2): "confirmed"])
    }
}
