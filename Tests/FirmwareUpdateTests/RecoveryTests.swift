import Bluetooth
import Catalogue
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `The way out of recovery mode` {
    private func bench(_ faults: Set<EarsFault> = []) throws -> Bench {
        let bench = try Bench(faults)
        bench.ears.state.withLock { $0.isInRecovery = true }
        return bench
    }

    private func exit(
        _ bench: Bench, report: @escaping @Sendable (InstallationEvent) -> Void = { _ in }
    ) async throws -> RecoveryExit {
        let session = try await bench.session()
        let central = FakeCentral(ears: bench.ears)
        return try await RecoveryExit.take(over: session, central: central, clock: bench.clock, report: report)
    }

    private func bootCount(_ bench: Bench) -> UInt32 { bench.ears.state.withLock(\.bootCount) }

    @Test func `the ears restart, and are read in normal mode over a new link`() async throws {
        let bench = try bench()
        let phases = Mutex<[InstallationPhase]>([])
        let exit = try await exit(bench) { event in
            if case .phase(let phase) = event { phases.withLock { $0.append(phase) } }
        }
        guard case .left(let reading) = exit else {
            Issue.record("\(exit)")
            return
        }
        #expect(reading.mode == .normal)
        #expect(reading.bootCount == 4)
        #expect(reading.running?.version == "1.4.0")
        #expect(phases.withLock(\.self) == [.restarting, .reconnecting])
        #expect(bench.ears.requests == [.status, .restart, .status])
    }

    @Test func `where no slot holds anything to boot nothing is sent`() async throws {
        let bench = try bench()
        bench.ears.state.withLock { $0.slots[0].imageDigest = [] }
        guard case .nothingBootable(let reading) = try await exit(bench) else {
            Issue.record("it left")
            return
        }
        #expect(reading.mode == .recovery)
        #expect(bench.ears.requests == [.status])
    }

    @Test(arguments: [OTAState.invalid, .aborted])
    func `what was given up is nothing to boot`(state: OTAState) async throws {
        let bench = try bench()
        bench.ears.state.withLock { $0.slots[0].otaState = state }
        guard case .nothingBootable = try await exit(bench) else {
            Issue.record("it left")
            return
        }
    }

    @Test func `the ears' refusal is told`() async throws {
        let bench = try bench([.refuses(.restart, .busy, deviceError: 7)])
        #expect(try await exit(bench) == .refused(EarsRefusal(refusal: .busy, deviceError: 7)))
    }

    @Test func `acknowledged and ignored is no way out`() async throws {
        let bench = try bench([.restartIgnored])
        guard case .notRestarted(let reading) = try await exit(bench) else {
            Issue.record("it left")
            return
        }
        #expect(reading.bootCount == 3)
    }

    @Test func `in recovery again is told apart from not restarted`() async throws {
        let bench = try bench([.recoversAgain])
        guard case .recoveryAgain(let reading) = try await exit(bench) else {
            Issue.record("it left")
            return
        }
        #expect(reading.bootCount == 4)
    }

    @Test(arguments: [EarsFault.replyLost(.restart), .restartsLate, .replyUnreadable(.restart)])
    func `a lost reply is settled by a reading, and the restart is sent once`(fault: EarsFault) async throws {
        let bench = try bench([fault])
        let exit = try await exit(bench)
        switch fault {
        // It took effect on nothing: the fake answers without a boot.
        case .replyUnreadable:
            guard case .notRestarted = exit else {
                Issue.record("\(exit)")
                return
            }
        default:
            guard case .left = exit else {
                Issue.record("\(exit)")
                return
            }
            #expect(bootCount(bench) == 4)
        }
        #expect(bench.ears.requests.count { $0 == .restart } == 1)
    }

    @Test func `ears that do not come back are unknown`() async throws {
        let bench = try bench([.neverComesBack])
        guard case .unknown(let error) = try await exit(bench) else {
            Issue.record("it is known")
            return
        }
        #expect(error == .bluetooth(.connectFailed(.notInRange)))
    }

    @Test func `cancelled before the restart nothing is sent; cancelled after it, it is unknown`() async throws {
        let early = try bench()
        let session = try await early.session()
        let central = FakeCentral(ears: early.ears)
        let start = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in start.stream {}
            return try await RecoveryExit.take(over: session, central: central, clock: early.clock) { event in
                if event == .phase(.restarting) { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        start.continuation.finish()
        await #expect(throws: EarsError.bluetooth(.cancelled)) { try await task.value }
        #expect(early.ears.requests == [.status])

        let late = try bench()
        let again = try await late.session()
        let other = FakeCentral(ears: late.ears)
        let second = Task {
            try await RecoveryExit.take(over: again, central: other, clock: late.clock) { event in
                if event == .phase(.reconnecting) { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        #expect(try await second.value == .unknown(.bluetooth(.cancelled)))
    }
}

@Suite struct `An update in recovery mode` {
    @Test func `comes to confirmed in normal mode`() async throws {
        let bench = try Bench()
        bench.ears.state.withLock {
            $0.isInRecovery = true
            $0.slots[0].imageDigest = []
            $0.slots[0].otaState = .undefined
        }
        let lock = try EarsLock(
            adapter: bench.ears.adapter, address: bench.ears.address, in: "\(bench.folder.path)/runtime")
        let result = try await Installation(
            of: bench.image, release: try release(of: bench.image), on: try await bench.session(), holding: lock,
            in: bench.surroundings, report: { _ in }
        ).run()
        #expect(result.verdict == .confirmed)
        #expect(result.attempt.fromVersion == "recovery")
        #expect(result.attempt.before.mode == .recovery)
        #expect(result.readings.latest?.mode == .normal)
    }

    @Test func `a reading in recovery mode never confirms, whatever its slot says`() throws {
        let digest = [UInt8](repeating: 0xB1, count: 32)
        let target = UpdateTarget(slot: 1, imageDigest: digest, fileSHA256: digest, version: "1.5.0")
        func reading(_ mode: EarsMode, boots: UInt32) -> FirmwareReading {
            FirmwareReading(
                runningSlot: 1, selectedSlot: 1,
                slots: [
                    .init(index: 0, digest: [], version: "", otaState: .undefined),
                    .init(index: 1, digest: digest, version: "1.5.0", otaState: .valid),
                ], bootCount: boots, mode: mode)
        }
        func verdict(_ latest: FirmwareReading) -> Verdict {
            Verdict(
                Readings(
                    target: target, before: reading(.recovery, boots: 3), milestone: .booted,
                    selection: reading(.recovery, boots: 3),
                    firstValid: .init(reading: latest, age: Readings.confirmationGap), latest: latest,
                    ending: .watched))
        }
        #expect(verdict(reading(.normal, boots: 4)) == .confirmed)
        #expect(verdict(reading(.recovery, boots: 4)) != .confirmed)
    }

    @Test func `the record keeps the mode, and one without it is of normal mode`() throws {
        let slots = [FirmwareReading.SlotReading(index: 0, digest: [], version: "", otaState: .undefined)]
        for mode in [EarsMode.normal, .recovery] {
            let reading = FirmwareReading(runningSlot: 0, selectedSlot: 0, slots: slots, bootCount: 1, mode: mode)
            let written = try JSONEncoder().encode(reading)
            #expect(String(decoding: written, as: UTF8.self).contains("mode") == (mode == .recovery))
            #expect(try JSONDecoder().decode(FirmwareReading.self, from: written) == reading)
        }
    }

    @Test func `nothing runs there, so nothing is older and nothing is what runs already`() throws {
        var shape = StatusShape()
        shape.runningState = .pendingVerify
        shape.mode = .recovery
        let ears = try report(shape)
        #expect(ears.runningVersion == nil)
        #expect(Preflight.refusals(.file(try soundImage()), on: ears) == [])
        shape.mode = .normal
        #expect(Preflight.refusals(.file(try soundImage()), on: try report(shape)) == [.trialPending])

        let none = OfferPolicy()
        #expect(OfferReason.comparing("1.0.0", running: nil, policy: none) == .success(.newest))
        #expect(
            OfferReason.comparing("nightly", running: nil, policy: none)
                == .failure(.unordered(offered: "nightly", running: "")))
        #expect(
            OfferReason.comparing("nightly", running: nil, policy: OfferPolicy(allowsOlder: true)) == .success(.newest))
    }

    @Test func `what boots is the selected slot, else another that can`() {
        func reading(_ first: OTAState, _ second: OTAState, secondIsEmpty: Bool = false) -> FirmwareReading {
            let digest = [UInt8](repeating: 1, count: 32)
            return FirmwareReading(
                runningSlot: 0, selectedSlot: 1,
                slots: [
                    .init(index: 0, digest: digest, version: "1", otaState: first),
                    .init(index: 1, digest: secondIsEmpty ? [] : digest, version: "2", otaState: second),
                ], bootCount: 1, mode: .recovery)
        }
        #expect(reading(.valid, .new).bootableSlot?.index == 1)
        #expect(reading(.valid, .aborted).bootableSlot?.index == 0)
        #expect(reading(.valid, .undefined, secondIsEmpty: true).bootableSlot?.index == 0)
        #expect(reading(.invalid, .aborted).bootableSlot == nil)
    }
}
