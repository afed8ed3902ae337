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
