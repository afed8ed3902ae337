import Dispatch
import DurableFiles
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Catalogue

/// What of a refresh's files is written, and what is not any more.
@Suite(.timeLimit(.minutes(1))) struct OrderedWritesTests {
    /// Takes for each thing that it is asked until it is let go once more.
    private final class SlowDisk: Sendable {
        private let begun = Mutex<[String]>([])
        private let turns = DispatchSemaphore(value: 0)
        private let gates = ["root": Gate(), "folder": Gate()]
        private let full: String?
        private let givenUp = Gate()

        /// - Parameter full: a file that there is no space for.
        init(full: String? = nil) { self.full = full }

        var asked: [String] { begun.withLock { $0 } }

        func letGo(_ count: Int) { for _ in 0..<count { turns.signal() } }

        func isAsked(for name: String) async { await gates[name]?.opened() }

        func isGivenUp() async { await givenUp.opened() }

        /// Three files and their folder, on their way.
        func settlement() -> Settlement {
            let writes = OrderedWrites(
                replace: { [self] path, _, _ throws(DurableFileError) in
                    take(path)
                    if path == full { throw .failed(.write, path: path, errno: ENOSPC) }
                },
                synchronise: { [self] folder throws(DurableFileError) in take(folder) })
            let settlement = Settlement { [self] in
                writes.giveUp()
                givenUp.open()
            }
            for name in ["root", "timestamp", "snapshot"] {
                writes.replace(name, with: [], surviving: .powerCutOnceFolderIsSynchronised)
            }
            writes.finish(in: "folder") { settlement.end($0) }
            return settlement
        }

        private func take(_ name: String) {
            begun.withLock { $0.append(name) }
            gates[name]?.open()
            turns.wait()
        }
    }

    /// How a wait ends whose task is cancelled.
    private func cancelled(
        _ wait: @escaping @Sendable () async throws(CatalogueError) -> Void
    ) -> Task<CatalogueError?, Never> {
        let task = Task { () -> CatalogueError? in
            do throws(CatalogueError) { try await wait() } catch { return error }
            return nil
        }
        task.cancel()
        return task
    }

    @Test func `they are written in their order, and their folder is synced`() async throws {
        let disk = SlowDisk()
        let settlement = disk.settlement()
        disk.letGo(4)
        try await settlement.wait()
        #expect(disk.asked == ["root", "timestamp", "snapshot", "folder"])
    }

    @Test
    func `a cancelled wait ends with the write under way, none behind it is begun, and all who wait are told`()
        async
    {
        let disk = SlowDisk()
        let settlement = disk.settlement()
        await disk.isAsked(for: "root")
        let waiting = cancelled(settlement.wait)
        await disk.isGivenUp()
        disk.letGo(1)
        #expect(await waiting.value == .cancelled)
        #expect(disk.asked == ["root"])
        await #expect(throws: CatalogueError.cancelled) { try await settlement.wait() }
    }

    @Test func `the sync of the folder is waited for where it is under way`() async {
        let disk = SlowDisk()
        let settlement = disk.settlement()
        disk.letGo(3)
        await disk.isAsked(for: "folder")
        let waiting = cancelled(settlement.wait)
        await disk.isGivenUp()
        disk.letGo(1)
        #expect(await waiting.value == nil)
        #expect(disk.asked == ["root", "timestamp", "snapshot", "folder"])
    }

    @Test func `a full disk is told, cancelled or not`() async {
        let disk = SlowDisk(full: "root")
        let settlement = disk.settlement()
        disk.letGo(1)
        await disk.isAsked(for: "folder")
        let waiting = cancelled(settlement.wait)
        await disk.isGivenUp()
        disk.letGo(1)
        #expect(await waiting.value == .localState(.failed(.write, path: "root", errno: ENOSPC)))
        #expect(disk.asked == ["root", "folder"])
    }

    @Test func `what was settled stays that`() async throws {
        let disk = SlowDisk()
        let settlement = disk.settlement()
        disk.letGo(4)
        try await settlement.wait()
        #expect(await cancelled(settlement.wait).value == nil)
    }

    @Test func `what has to be finished is, cancelled or not`() async {
        let disk = SlowDisk()
        let settlement = disk.settlement()
        let waiting = cancelled(settlement.waitWhatever)
        disk.letGo(4)
        #expect(await waiting.value == nil)
        #expect(disk.asked == ["root", "timestamp", "snapshot", "folder"])
    }
}
