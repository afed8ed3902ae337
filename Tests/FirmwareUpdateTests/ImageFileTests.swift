import ControlProtocol
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

/// What befalls the file that an image is sent from, while it is sent.
@Suite struct `The file of an image that is sent` {
    @Test func `left alone, it is sent to its end`() async throws {
        let bench = try Bench(isInFile: true)
        #expect(try await bench.install().verdict == .confirmed)
    }

    @Test func `replaced, it is sent on as it was judged`() async throws {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            guard event.name == "progress" else { return false }
            _ = try? Data([1, 2, 3]).write(to: URL(filePath: bench.file), options: .atomic)
            return false
        }
        #expect(run.verdict == .confirmed)
    }

    @Test(arguments: ["erasing", "progress"])
    func `cut short, the session is aborted on the ears, they are read, and nothing was selected`(
        event: String
    ) async throws {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { happened in
            if happened.name == event { _ = truncate(bench.file, 100) }
            return false
        }
        #expect(run.verdict == .imageUnusable(.changedWhileRead))
        #expect(run.result.readings.latest?.running?.digest == FakeUpdateEars.oldDigest)
        #expect(run.result.readings.latest?.selectedSlot == 0)
        #expect(bench.ears.state.withLock { ($0.session, $0.connects) } == (0, 1))
        #expect(bench.ears.requests.contains(.abort))
        #expect(!bench.ears.requests.contains(.finish))
        #expect(try await bench.situation().verdict == nil)
    }

    @Test func `touched, it is not believed any more: the session is aborted by its id, and the record says so`()
        async throws
    {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            if event.name == "progress" {
                try? FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: bench.file)
            }
            return false
        }
        #expect(run.verdict == .imageUnusable(.changedWhileRead))
        #expect(bench.ears.requests.contains(.abort))
        let attempts = try bench.log.contents().attempts
        #expect(attempts.map(\.verdict) == [.imageUnusable])
        #expect(attempts.map(\.isUnsettled) == [false])
    }

    @Test func `written over with its time put back, it is not believed any more, nothing is asked to be verified`()
        async throws
    {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            if event.name == "progress" { try? overwriteKeepingTime(bench.file, at: 100, with: [0xA5, 0x5A]) }
            return false
        }
        #expect(run.verdict == .imageUnusable(.changedWhileRead))
        #expect(bench.ears.requests.contains(.abort))
        #expect(!bench.ears.requests.contains(.finish))
    }

    @Test func `written over once the last byte was sent, it does not matter any more`() async throws {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            if event.name == "sent" { try? overwriteKeepingTime(bench.file, at: 100, with: [0xA5, 0x5A]) }
            return false
        }
        #expect(run.verdict == .confirmed)
    }

    @Test(arguments: [false, true])
    func `ears that got other bytes than were announced are blamed only where the file is what it was`(
        isWrittenOver: Bool
    ) async throws {
        let refusal = EarsFault.refuses(.finish, .hashMismatch, deviceError: 0)
        let bench = try Bench([refusal], isInFile: true)
        let run = try await bench.install { event in
            guard isWrittenOver, event.name == "sent" else { return false }
            try? overwriteKeepingTime(bench.file, at: 100, with: [0xA5, 0x5A])
            return false
        }
        #expect(
            run.verdict
                == (isWrittenOver
                    ? .imageUnusable(.changedWhileRead) : .refused(EarsRefusal(refusal: .hashMismatch))))
    }

    @Test func `named anew and made read-only, it is sent to its end`() async throws {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            if event.name == "progress" { _ = (rename(bench.file, bench.file + "2"), chmod(bench.file + "2", 0o400)) }
            return false
        }
        #expect(run.verdict == .confirmed)
    }

    @Test func `changed after it was judged and before anything was sent: nothing is erased for it`() async throws {
        let bench = try Bench(isInFile: true)
        _ = truncate(bench.file, 100)
        #expect(try await bench.install().verdict == .imageUnusable(.changedWhileRead))
        #expect(!bench.ears.requests.contains(.begin))
    }

    @Test func `changed with the ears gone, the outcome is unknown`() async throws {
        let bench = try Bench(isInFile: true)
        let run = try await bench.install { event in
            guard event.name == "progress" else { return false }
            _ = truncate(bench.file, 100)
            bench.ears.state.withLock { state in
                state.isGone = true
                state.peripheral?.endLink()
            }
            return false
        }
        #expect(run.verdict == .unknown(.noReading))
    }
}
