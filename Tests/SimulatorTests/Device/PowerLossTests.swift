import ControlProtocol
import Testing

@testable import Simulator

@Suite struct PowerLossTests {
    private static let new = TestImage.ears(TestImage.newVersion, length: 4096 * 3)

    /// An update to the end, trial boot and confirmation included; ends early where the power goes.
    private static func update(_ link: inout TestLink) {
        guard (try? link.install(new))?.state == .selected else { return }
        try? link.restart()
        link.wait(.seconds(3))
    }

    /// Operations of flash that a whole update takes.
    private static func operationCount() -> Int {
        var link = TestLink()
        let plenty = 1_000_000
        link.ears.flash.operationsUntilPowerLoss = plenty
        update(&link)
        return plenty - (link.ears.flash.operationsUntilPowerLoss ?? plenty)
    }

    @Test func `power lost at any operation of flash leaves ears that come up, with old or new firmware`() throws {
        let count = Self.operationCount()
        #expect(count > 20)
        var confirmed = 0
        for operation in 1...count {
            var link = TestLink()
            link.ears.flash.operationsUntilPowerLoss = operation
            Self.update(&link)
            #expect(link.ears.flash.operationsUntilPowerLoss == nil, "power was lost at operation \(operation)")
            link.wait(.seconds(10))
            link.connect()
            let status = try link.status()
            let running = status.slots[Int(status.runningSlot)]
            #expect([TestImage.oldVersion, TestImage.newVersion].contains(running.version))
            #expect(status.selectedSlot == status.runningSlot)
            #expect(running.otaState == .valid)
            confirmed += running.version == TestImage.newVersion ? 1 : 0
        }
        // The new entry is whole with its one programming; before that the old firmware boots.
        #expect(confirmed == 0)
    }

    @Test func `a second attempt after power loss succeeds`() throws {
        for operation in stride(from: 1, through: 25, by: 6) {
            var link = TestLink()
            link.ears.flash.operationsUntilPowerLoss = operation
            Self.update(&link)
            link.wait(.seconds(10))
            link.connect()
            Self.update(&link)
            let status = try link.status()
            #expect(status.slots[Int(status.runningSlot)].version == TestImage.newVersion)
            #expect(status.slots[Int(status.runningSlot)].otaState == .valid)
        }
    }

    @Test func `the fault pulls the battery once, and the next attempt goes through`() throws {
        var link = TestLink([.powerLossAt(percent: 50)])
        #expect(throws: GATTFailure.linkLost) { try link.send(Self.new) }
        #expect(link.effects.contains(.linkDropped) || link.ears.advertisement == nil)
        link.wait(.seconds(3))
        link.connect()
        #expect(try link.status().resetReason == .powerOn)
        #expect(try link.install(Self.new).state == .selected)
    }
}
