import ControlProtocol
import Testing

@testable import Simulator

/// Recovery mode, and the ways into it and out of it.
@Suite struct RecoveryTests {
    private static func mode(_ link: inout TestLink) throws -> String {
        let document = String(decoding: try link.exchange([1], at: .version), as: UTF8.self)
        return document.contains(#""mode":"recovery""#) ? "recovery" : "normal"
    }

    private static func emptied(_ faults: [Fault] = []) -> TestLink {
        var link = TestLink(faults, mode: .recovery)
        for slot in PartitionTable(in: link.ears.flash)?.slots ?? [] {
            link.ears.flash.write([UInt8](repeating: 0xFF, count: slot.size), at: slot.offset)
        }
        return link
    }

    @Test func `restart leaves it for the firmware that boots`() throws {
        var link = TestLink(mode: .recovery)
        #expect(try Self.mode(&link) == "recovery")
        let before = try link.status()
        try link.restart()
        #expect(try Self.mode(&link) == "normal")
        let after = try link.status()
        #expect(after.runningSlot == 0)
        #expect(after.bootCount == before.bootCount + 1)
    }

    @Test func `a power cut ends it too`() throws {
        var link = TestLink(mode: .recovery)
        link.ears.powerOff(at: link.now)
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        #expect(try Self.mode(&link) == "normal")
    }

    @Test func `without anything to boot restart is refused, and a reset comes to it again`() throws {
        var link = Self.emptied()
        let refused = try link.update(.restart)
        #expect(refused.refusal == .wrongState)
        #expect(refused.deviceError == 0x1503)
        link.ears.powerOff(at: link.now)
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        #expect(try Self.mode(&link) == "recovery")
        #expect(try link.status().slots.allSatisfy { $0.imageDigest.isEmpty })
    }

    @Test func `an upload into empty ears boots, on trial, out of it`() throws {
        var link = Self.emptied()
        #expect(try link.install(TestImage.ears(TestImage.newVersion)).state == .selected)
        try link.restart()
        #expect(try Self.mode(&link) == "normal")
        let status = try link.status()
        #expect(status.runningSlot == 1)
        #expect(status.slots[1].otaState == .pendingVerify)
        link.wait(.seconds(3))
        #expect(try link.status().slots[1].otaState == .valid)
    }

    /// Brought into it again in the middle of a trial: the slot on trial is neither what normal firmware was nor erased.
    @Test func `a slot that was selected and never booted is not that of normal firmware`() throws {
        var link = TestLink(mode: .recovery)
        #expect(try link.install(TestImage.ears(TestImage.newVersion)).state == .selected)
        link.ears.powerOff(at: link.now)
        link.ears.entersRecovery = true
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        let status = try link.status()
        #expect(status.runningSlot == 0)
        #expect(status.selectedSlot == 1)
        #expect(status.slots[1].otaState == .new)
    }

    @Test func `what runs there is on no trial, so a begin is taken`() throws {
        var link = TestLink()
        #expect(try link.install(TestImage.ears(TestImage.newVersion)).state == .selected)
        try link.restart(waiting: .milliseconds(1500))
        #expect(try link.status().slots[1].otaState == .pendingVerify)
        link.ears.entersRecovery = true
        _ = try link.update(.restart)
        link.wait(.seconds(2))
        link.connect()
        #expect(try Self.mode(&link) == "recovery")
        #expect(try link.begin(TestImage.ears(TestImage.newVersion)).refusal == nil)
    }

    @Test func `with the fault no-firmware fresh ears hold nothing and have recovery mode alone`() throws {
        let configuration = EarsConfiguration(
            family: .v2With8MB, address: "C0:FF:EE:00:AB:CD", faults: [.noFirmware], seed: 1)
        let ears = SimulatedEars(configuration: configuration)
        let slots = try #require(PartitionTable(in: ears.flash)).slots
        #expect(slots.allSatisfy { ears.flash[$0.offset] == 0xFF })
        #expect(try Fault(parsing: "no-firmware") == .noFirmware)
    }
}
