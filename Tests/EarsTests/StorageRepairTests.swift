import Bluetooth
import ControlProtocol
import Ears
import Synchronization
import TestSupport
import Testing

@Suite struct `Repairing the storage` {
    private static let changeID: UInt32 = 0xC0FFEE

    private let good = StorageState(health: .good, lostByRepair: ["settings"], repairedBy: Self.changeID)
    private let repairing = StorageState(health: .repairing, lostByRepair: ["settings"])
    private let begun = FakeSettings.Course.stages([.pending, .applied])

    private func session(_ fake: FakeSettings, clock: LeapingClock = LeapingClock()) async throws -> EarsSession {
        try await EarsSession.open(
            on: FakeEars.peripheral(settings: fake), clock: clock, makeChangeID: { Self.changeID })
    }

    private func outcome(_ course: FakeSettings.Course, _ after: [StorageState]) async throws -> RepairOutcome {
        try await session(FakeSettings(course, storageAfter: after)).repairStorage { _, _ in }
    }

    @Test func `it is done when the ears call the storage good by this change, and each look until then is told`()
        async throws
    {
        let fake = FakeSettings(begun, storageAfter: [repairing, repairing, good])
        let looks = Mutex<[Duration]>([])
        let outcome = try await session(fake).repairStorage { state, elapsed in
            #expect(state == repairing)
            looks.withLock { $0.append(elapsed) }
        }
        #expect(outcome == .repaired(good))
        #expect(looks.withLock(\.self) == [.zero, RepairDeadlines.pollInterval])
        let request = ChangeRequest(id: Self.changeID, basedOnRevision: 7).encoded()
        let command = UInt32(fake.state.withLock { $0.properties.count - 1 })
        #expect(
            fake.setRequests == [
                [
                    PropertyValue(index: 3, value: request),
                    PropertyValue(index: command, value: StorageCommand.repair.encoded()),
                ]
            ])
    }

    @Test(arguments: [StorageHealth.repairFailed, .damaged])
    func `a repair that failed says so`(health: StorageHealth) async throws {
        let state = StorageState(health: health)
        #expect(try await outcome(begun, [repairing, state]) == .failed(state))
    }

    @Test(arguments: [0, 9] as [UInt32])
    func `storage that is good by another change is not called repaired by this one`(id: UInt32) async throws {
        let state = StorageState(health: .good, repairedBy: id)
        #expect(try await outcome(begun, [state]) == .goodOtherwise(state))
    }

    @Test func `a repair that does not end is overdue, not done`() async throws {
        let clock = LeapingClock()
        let fake = FakeSettings(begun, storageAfter: [repairing])
        #expect(try await session(fake, clock: clock).repairStorage { _, _ in } == .overdue(repairing))
        // The change itself was pending at the first look.
        #expect(clock.now.offset == SettingDeadlines.pollInterval + RepairDeadlines.repaired)
    }

    @Test func `a refused repair never began`() async throws {
        guard case .notBegun(.refused(let refusal, _)) = try await outcome(.refused(.busy), [good]) else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal?.reason == .busy)
    }

    @Test func `a lost reply is unknown, and settled over a new link by the storage`() async throws {
        let fake = FakeSettings(.lostReply(applied: true), storageAfter: [repairing, good])
        guard case .unknown(let change, let error) = try await session(fake).repairStorage(report: { _, _ in }) else {
            Issue.record("it is known")
            return
        }
        #expect(error.endsSession)
        fake.state.withLock { $0.stagesLeft = [.applied] }
        #expect(try await session(fake).settleRepair(change) { _, _ in } == .repaired(good))
        #expect(fake.setRequests.count == 1)
    }

    @Test func `a request that was lost is read as not applied`() async throws {
        let fake = FakeSettings(.lostReply(applied: false), storageAfter: [good])
        guard case .unknown(let change, _) = try await session(fake).repairStorage(report: { _, _ in }) else {
            Issue.record("it is known")
            return
        }
        #expect(try await session(fake).settleRepair(change) { _, _ in } == .notBegun(.notApplied))
    }

    @Test func `another change that came after does not hide how the repair ended`() async throws {
        let fake = FakeSettings(.lostReply(applied: true), storageAfter: [good])
        guard case .unknown(let change, _) = try await session(fake).repairStorage(report: { _, _ in }) else {
            Issue.record("it is known")
            return
        }
        fake.state.withLock { $0.ears.lastChange = Change(id: 1, revision: 9, stage: .saved, properties: []) }
        fake.state.withLock { $0.ears.revision = 9 }
        #expect(try await session(fake).settleRepair(change) { _, _ in } == .repaired(good))
    }

    @Test func `cancelled, it is read once more and goes on`() async throws {
        let session = try await session(FakeSettings(begun, storageAfter: [repairing]))
        let task = Task {
            try await session.repairStorage { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        #expect(try await task.value == .left(repairing))
    }

    @Test func `ears that do not report their storage are sent nothing`() async throws {
        let fake = FakeSettings()
        let session = try await session(fake)
        let expected = SettingError(setting: "storage", reason: .capabilityMissing("storage.state"))
        await #expect(throws: EarsError.setting(expected)) { try await session.repairStorage { _, _ in } }
        #expect(fake.setRequests == [])
    }

    @Test(arguments: [(UInt8(0), false), (1, true)])
    func `whether the access point has a password of its own`(byte: UInt8, isSet: Bool) async throws {
        let fake = FakeSettings()
        fake.state.withLock {
            $0.properties.append(
                PropertyInfo(name: "wifi-password.is-set", type: .boolean, flags: .readOnly, value: [byte]))
        }
        #expect(try await session(fake).isAccessPointPasswordSet() == isSet)
        #expect(try await session(FakeSettings()).isAccessPointPasswordSet() == nil)
    }

    @Test func `neither set nor not set is no answer`() async throws {
        let fake = FakeSettings()
        fake.state.withLock {
            $0.properties.append(
                PropertyInfo(name: "wifi-password.is-set", type: .boolean, flags: .readOnly, value: [2]))
        }
        let session = try await session(fake)
        await #expect(throws: EarsError.wire(.malformedProperty("wifi-password.is-set"))) {
            try await session.isAccessPointPasswordSet()
        }
    }
}
