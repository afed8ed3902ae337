import ControlProtocol
import Testing

@testable import Simulator

@Suite struct MotionTests {
    private static func begin(_ link: inout TestLink, id: UInt32 = 77) throws -> SettingRefusalReason? {
        try link.change(id: id, [("motion.command", MotionCommand.calibrate.encoded())])
    }

    @Test func `two seconds of stillness within five calibrate, are saved, and stay over a boot`() throws {
        var link = TestLink()
        #expect(try link.motion().isCalibrated == false)
        #expect(try Self.begin(&link) == nil)
        var seen: [CalibrationPhase] = []
        for wait in [100, 1900, 700, 500] {
            link.wait(.milliseconds(wait))
            seen.append(try #require(try link.motion().calibration).phase)
        }
        #expect(seen == [.running, .running, .saving, .saved])
        #expect(
            try link.motion().calibration
                == Calibration(
                    changeID: 77, phase: .saved, still: 2000, stillNeeded: 2000, elapsed: 2500, window: 5000))
        #expect(try link.state().lastChange?.stage == .applied)
        try link.restart()
        #expect(try link.motion().isCalibrated)
        #expect(try link.motion().calibration == nil)
    }

    @Test(arguments: [
        (Fault.calibration(.moved), CalibrationFailure.moved), (.calibration(.timedOut), .timedOut),
        (.sensorFails, .sensorFailed),
    ])
    func `a calibration that fails says why, and is not in force`(fault: Fault, failure: CalibrationFailure) throws {
        var link = TestLink([fault])
        #expect(try Self.begin(&link) == nil)
        link.wait(.seconds(6))
        let calibration = try #require(try link.motion().calibration)
        #expect(calibration.phase == .failed && calibration.failure == failure)
        #expect(calibration.still < calibration.stillNeeded && calibration.elapsed <= calibration.window)
        #expect(try link.motion().isCalibrated == false)
    }

    @Test func `a calibration can be cancelled, and begun once at a time`() throws {
        var link = TestLink()
        #expect(try Self.begin(&link) == nil)
        link.wait(.milliseconds(500))
        #expect(try Self.begin(&link, id: 78) == .busy)
        #expect(try link.change(id: 79, [("motion.command", MotionCommand.recentre.encoded())]) == .busy)
        #expect(try link.change(id: 80, [("motion.command", MotionCommand.cancel.encoded())]) == nil)
        link.wait(.seconds(6))
        let calibration = try #require(try link.motion().calibration)
        #expect(calibration.changeID == 77 && calibration.failure == .cancelled)
        #expect(try link.change(id: 81, [("motion.command", MotionCommand.cancel.encoded())]) == nil)
    }

    @Test func `a calibration that cannot be saved is in force until the next boot`() throws {
        var link = TestLink([.saveFails])
        #expect(try Self.begin(&link) == nil)
        link.wait(.seconds(4))
        #expect(try link.motion().calibration?.phase == .saveFailed)
        #expect(try link.motion().isCalibrated)
        try link.restart()
        #expect(try link.motion().isCalibrated == false)
    }

    @Test func `recentring is known by its change`() throws {
        var link = TestLink()
        #expect(try link.change(id: 5, [("motion.command", MotionCommand.recentre.encoded())]) == nil)
        link.wait(.seconds(1))
        #expect(try link.motion().recentredBy == 5)
    }

    @Test(arguments: [
        ([Fault.without(.motion)], MotionCommand.calibrate, SettingRefusalReason.capabilityMissing),
        ([.without(.motion)], .recentre, .capabilityMissing), ([.sensorFails], .recentre, .sensorFailed),
    ])
    func `without working sensors it is refused`(
        faults: [Fault], command: MotionCommand, reason: SettingRefusalReason
    ) throws {
        var link = TestLink(faults)
        #expect(try link.change([("motion.command", command.encoded())]) == reason)
    }
}

@Suite struct StorageTests {
    @Test func `damaged storage saves nothing, and a repair resets it and keeps the bond`() throws {
        var link = TestLink([.storageDamaged], mode: .recovery)
        #expect(try link.storage().health == .damaged)
        #expect(try link.change([("wifi-password", Array("12345678".utf8))]) == nil)
        link.wait(.seconds(1))
        #expect(try link.state().lastChange?.stage == .saveFailed)
        #expect(try link.change(id: 9, [("storage.command", StorageCommand.repair.encoded())]) == nil)
        link.wait(.milliseconds(100))
        #expect(try link.storage().health == .repairing)
        link.wait(.seconds(1))
        #expect(try link.storage().health == .good)
        #expect(try link.storage().repairedBy == 9)
        #expect(try link.change([("wifi-password", Array("12345678".utf8))]) == nil)
        link.wait(.seconds(1))
        #expect(try link.state().lastChange?.stage == .saved)
        try link.restart()
        #expect(try link.storage().health == .good)
    }

    @Test func `a repair that fails is told apart`() throws {
        var link = TestLink([.storageDamaged, .repairFails])
        #expect(try link.change([("storage.command", StorageCommand.repair.encoded())]) == nil)
        link.wait(.seconds(2))
        #expect(try link.storage().health == .repairFailed)
        #expect(try link.storage().repairedBy == 0)
    }
}
