import Bluetooth
import ControlProtocol
import Ears
import Synchronization
import TestSupport
import Testing

@Suite struct `Changes` {
    private static let changeID: UInt32 = 0xC0FFEE

    private func session(
        _ fake: FakeSettings, clock: LeapingClock = LeapingClock()
    ) async throws -> EarsSession {
        try await EarsSession.open(
            on: FakeEars.peripheral(settings: fake), clock: clock, makeChangeID: { Self.changeID })
    }

    private let brightness = SettingReading(setting: "brightness", wanted: .integer(40), read: .integer(40))

    @Test func `a change is done when the ears say saved and read back the value`() async throws {
        let fake = FakeSettings(.stages([.pending, .applied, .saving, .saved]))
        let outcome = try await session(fake).set([("brightness", .text("40"))])
        #expect(outcome == .saved([brightness]))
        let request = ChangeRequest(id: Self.changeID, basedOnRevision: 7)
        #expect(
            fake.setRequests == [
                [
                    PropertyValue(index: 3, value: request.encoded()),
                    PropertyValue(index: 4, value: PropertyScalar.int32(40).encoded()),
                ]
            ])
    }

    @Test func `several settings are one change`() async throws {
        let fake = FakeSettings()
        let outcome = try await session(fake).set([("wiring", .text("right")), ("effect", .value(.choice("comet")))])
        #expect(
            outcome
                == .saved([
                    SettingReading(setting: "wiring", wanted: .choice("right"), read: .choice("right")),
                    SettingReading(setting: "effect", wanted: .choice("comet"), read: .choice("comet")),
                ]))
        #expect(fake.setRequests.count == 1)
    }

    @Test func `a temporary setting ends at applied`() async throws {
        let outcome = try await session(FakeSettings(.stages([.pending, .applied]))).set([("flashlight", .text("on"))])
        let reading = SettingReading(setting: "flashlight", wanted: .boolean(true), read: .boolean(true))
        #expect(outcome == .appliedTemporary([reading]))
    }

    @Test func `a failed save is applied, not saved`() async throws {
        let outcome = try await session(FakeSettings(.stages([.saving, .saveFailed]))).set([
            ("brightness", .text("40"))
        ])
        #expect(outcome == .appliedNotSaved(.saveFailed(nil), [brightness]))
    }

    @Test(arguments: [StorageHealth.damaged, .good]) func `after a failed save the storage is read, where there is one`(
        health: StorageHealth
    ) async throws {
        let fake = FakeSettings(.stages([.saving, .saveFailed]), storageAfter: [StorageState(health: health)])
        let outcome = try await session(fake).set([("brightness", .text("40"))])
        #expect(outcome == .appliedNotSaved(.saveFailed(health), [brightness]))
    }

    @Test func `a save that does not end is applied, not saved, at the deadline`() async throws {
        let clock = LeapingClock()
        let outcome = try await session(FakeSettings(.stages([.saving])), clock: clock).set([
            ("brightness", .text("40"))
        ])
        #expect(outcome == .appliedNotSaved(.deadline, [brightness]))
        #expect(clock.now.offset == SettingDeadlines.saved)
    }

    @Test func `a change that stays pending is unknown at the deadline`() async throws {
        let outcome = try await session(FakeSettings(.stages([.pending]))).set([("brightness", .text("40"))])
        guard case .unknown(let pending, .stillPending) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(pending.id == Self.changeID)
    }

    @Test(arguments: [SettingRefusalReason.staleRevision, .busy, .outOfRange])
    func `what the ears refuse is refused with their reason, and not sent again`(
        reason: SettingRefusalReason
    ) async throws {
        let fake = FakeSettings(.refused(reason))
        let outcome = try await session(fake).set([("brightness", .text("40"))])
        guard case .refused(let refusal, let change) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(refusal == SettingRefusal(changeID: Self.changeID, property: 4, reason: reason))
        #expect(refusal.flatMap(change.item)?.setting == "brightness")
        #expect(change.items.map(\.wanted) == [.integer(40)])
        #expect(fake.setRequests.count == 1)
    }

    @Test func `a refusal of an earlier change is not taken for this one's`() async throws {
        let fake = FakeSettings(.refused(nil))
        fake.state.withLock {
            $0.ears.lastRefusal = SettingRefusal(changeID: 5, property: 4, reason: .staleRevision)
        }
        guard case .refused(nil, _) = try await session(fake).set([("brightness", .text("40"))]) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `saved with another value is not called saved`() async throws {
        let outcome = try await session(FakeSettings(.savesSomethingElse)).set([("brightness", .text("40"))])
        #expect(
            outcome
                == .differs([SettingReading(setting: "brightness", wanted: .integer(40), read: .integer(0x0101_0129))]))
    }

    @Test func `a reply that cannot be read is settled by the state`() async throws {
        let fake = FakeSettings(.unreadableReply)
        #expect(try await session(fake).set([("brightness", .text("40"))]) == .saved([brightness]))
        #expect(fake.setRequests.count == 1)
    }

    @Test(arguments: [true, false])
    func `after a lost link the outcome is unknown until a new session settles it`(applied: Bool) async throws {
        let fake = FakeSettings(.lostReply(applied: applied))
        let outcome = try await session(fake).set([("brightness", .text("40"))])
        guard case .unknown(let pending, .lost(let error)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error == .bluetooth(.linkLost(during: .read)))
        let settled = try await session(fake).settle(pending)
        #expect(settled == (applied ? .saved([brightness]) : .notApplied))
        #expect(fake.setRequests.count == 1)
    }

    /// Where a change stood at a look, and at the one look after the cancellation that came then.
    private func cancelled(_ stages: [ChangeStage]) async throws -> SettingOutcome {
        let clock = TestClock()
        let session = try await EarsSession.open(
            on: FakeEars.peripheral(settings: FakeSettings(.stages(stages))), clock: clock,
            makeChangeID: { Self.changeID })
        let change = Task { try await session.set([("brightness", .text("40"))]) }
        try await clock.sleepers(1)
        change.cancel()
        return try await change.value
    }

    @Test(arguments: [[ChangeStage.saving], [.pending, .saving], [.applied]])
    func `cancelled while it is saved, a change is applied, and whether it is saved is not known`(
        stages: [ChangeStage]
    ) async throws {
        guard case .appliedUnsettled(let change, let error, let readings) = try await cancelled(stages) else {
            Issue.record("not told as applied")
            return
        }
        #expect(change.id == Self.changeID)
        #expect(error == .bluetooth(.cancelled))
        #expect(readings == [brightness])
    }

    @Test func `what the look after a cancellation says is how it ended`() async throws {
        #expect(try await cancelled([.saving, .saved]) == .saved([brightness]))
        #expect(try await cancelled([.saving, .saveFailed]) == .appliedNotSaved(.saveFailed(nil), [brightness]))
    }

    @Test func `nobody waits long for the look after a cancellation`() async throws {
        let clock = TestClock()
        let peripheral = try FakeEars.peripheral(settings: FakeSettings(.stages([.saving])))
        let session = try await EarsSession.open(on: peripheral, clock: clock)
        let change = Task { try await session.set([("brightness", .text("40"))]) }
        try await clock.sleepers(1)
        let before = peripheral.deadlines
        change.cancel()
        _ = try await change.value
        #expect(Set(before) == [EarsDeadlines.controlStep])
        #expect(Set(peripheral.deadlines.dropFirst(before.count)) == [EarsDeadlines.lastLook])
    }

    @Test func `cancelled while it is pending, a change is unknown`() async throws {
        guard case .unknown(let change, .lost(.bluetooth(.cancelled))) = try await cancelled([.pending]) else {
            Issue.record("not told as unknown")
            return
        }
        #expect(change.id == Self.changeID)
    }

    @Test(arguments: [true, false])
    func `a link that is lost under a change leaves what was seen of it before`(isApplied: Bool) async throws {
        let clock = TestClock()
        let fake = FakeSettings(.stages([isApplied ? .saving : .pending]))
        let peripheral = try FakeEars.peripheral(settings: fake)
        let session = try await EarsSession.open(on: peripheral, clock: clock, makeChangeID: { Self.changeID })
        let change = Task { try await session.set([("brightness", .text("40"))]) }
        try await clock.sleepers(1)
        peripheral.endLink()
        clock.advance(by: SettingDeadlines.pollInterval)
        let outcome = try await change.value
        let lost = EarsError.bluetooth(.linkLost(during: .write))
        let pending = try #require(outcome.unsettled)
        #expect(outcome == (isApplied ? .appliedUnsettled(pending, lost, []) : .unknown(pending, .lost(lost))))
        fake.state.withLock { $0.stagesLeft = [.saved] }
        #expect(try await self.session(fake).settle(pending) == .saved([brightness]))
    }

    @Test(arguments: [true, false])
    func `a change whose exchange was abandoned is unknown, unless it was seen applied`(isSent: Bool) async throws {
        let fake = FakeSettings(.stages([.saving]))
        let abandoned = BluetoothError.abandoned(.read)
        let peripheral = try FakeEars.peripheral(more: [
            .control: { bytes in
                let wasSent = !fake.setRequests.isEmpty
                let answer = await fake.handler(bytes)
                // The reply to the change itself, or to the second look at what became of it.
                let isLost = isSent ? !fake.setRequests.isEmpty && !wasSent : wasSent && fake.looks > 1
                return isLost ? .readFails(abandoned) : answer
            }
        ])
        let session = try await EarsSession.open(
            on: peripheral, clock: LeapingClock(), makeChangeID: { Self.changeID })
        let outcome = try await session.set([("brightness", .text("40"))])
        let pending = try #require(outcome.unsettled)
        let error = EarsError.bluetooth(abandoned)
        #expect(outcome == (isSent ? .unknown(pending, .lost(error)) : .appliedUnsettled(pending, error, [])))
        // What is left of the exchange could be read as another's.
        await #expect(throws: error) { try await session.state() }
    }

    @Test func `a change that another one came after stays unknown, with what is in force`() async throws {
        let fake = FakeSettings(.lostReply(applied: true))
        let outcome = try await session(fake).set([("brightness", .text("40"))])
        guard case .unknown(let pending, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        fake.state.withLock {
            $0.ears.revision += 1
            $0.ears.lastChange = Change(id: 77, revision: 9, stage: .saved, properties: [4])
            $0.stagesLeft = []
        }
        #expect(try await session(fake).settle(pending) == .unknown(pending, .superseded([brightness])))
    }
}
