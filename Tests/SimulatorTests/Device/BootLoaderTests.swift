import Testing

@testable import Simulator

@Suite struct BootLoaderTests {
    typealias State = OTAData.State

    /// A boot with both slots bootable.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: [OTAData.Entry?]
        var hasRollback = true
        let slot: Int
        let after: [OTAData.Entry?]
    }

    static func entry(_ sequence: UInt32, _ state: UInt32) -> OTAData.Entry {
        OTAData.Entry(sequence: sequence, state: state)
    }

    static let cases = [
        Case(
            testDescription: "blank otadata: the first slot, marked valid", before: [nil, nil], slot: 0,
            after: [entry(1, State.valid), nil]),
        Case(
            testDescription: "valid: stays as it is", before: [entry(1, State.valid), nil], slot: 0,
            after: [entry(1, State.valid), nil]),
        Case(
            testDescription: "the higher sequence wins", before: [entry(3, State.valid), entry(2, State.valid)],
            slot: 0, after: [entry(3, State.valid), entry(2, State.valid)]),
        Case(
            testDescription: "new becomes pending", before: [entry(1, State.valid), entry(2, State.new)], slot: 1,
            after: [entry(1, State.valid), entry(2, State.pendingVerify)]),
        Case(
            testDescription: "pending again is aborted, the other slot boots",
            before: [entry(1, State.valid), entry(2, State.pendingVerify)], slot: 0,
            after: [entry(1, State.valid), entry(2, State.aborted)]),
        Case(
            testDescription: "aborted is passed over", before: [entry(1, State.valid), entry(2, State.aborted)],
            slot: 0, after: [entry(1, State.valid), entry(2, State.aborted)]),
        Case(
            testDescription: "invalid is passed over", before: [entry(3, State.invalid), entry(2, State.valid)],
            slot: 1, after: [entry(3, State.invalid), entry(2, State.valid)]),
        Case(
            testDescription: "both out: the first slot", before: [entry(3, State.invalid), entry(2, State.aborted)],
            slot: 0, after: [entry(3, State.invalid), entry(2, State.aborted)]),
        Case(
            testDescription: "undefined boots as it is",
            before: [entry(1, State.undefined), entry(2, State.undefined)],
            slot: 1, after: [entry(1, State.undefined), entry(2, State.undefined)]),
        Case(
            testDescription: "without rollback new stays new", before: [entry(1, State.valid), entry(2, State.new)],
            hasRollback: false, slot: 1, after: [entry(1, State.valid), entry(2, State.new)]),
        Case(
            testDescription: "without rollback pending boots again", before: [nil, entry(2, State.pendingVerify)],
            hasRollback: false, slot: 1, after: [nil, entry(2, State.pendingVerify)]),
    ]

    private static let otaDataOffset = 0xE000

    private static func flash(_ entries: [OTAData.Entry?], _ first: [UInt8], _ second: [UInt8]) -> Flash {
        var flash = TestImage.flash(first, second)
        for (position, entry) in entries.enumerated() {
            flash.write(entry?.encoded() ?? [], at: otaDataOffset + position * Flash.sectorSize)
        }
        return flash
    }

    @Test(arguments: cases)
    func `a boot chooses the slot and moves the state`(given: Case) {
        var flash = Self.flash(given.before, TestImage.ears("1.0.0"), TestImage.ears("1.1.0"))
        let loader = BootLoader(chip: .esp32, hasRollback: given.hasRollback)
        #expect(loader.boot(&flash) == given.slot)
        #expect(OTAData(in: flash, at: Self.otaDataOffset).entries == given.after)
    }

    @Test func `a slot that does not pass the check is not booted, the other one is`() {
        let broken = [UInt8](TestImage.ears("1.1.0").dropLast())
        var flash = Self.flash(
            [Self.entry(1, State.valid), Self.entry(2, State.new)], TestImage.ears("1.0.0"), broken)
        let loader = BootLoader(chip: .esp32, hasRollback: true)
        #expect(loader.boot(&flash) == 0)
        #expect(loader.boot(&flash) == 0)
        #expect(
            OTAData(in: flash, at: Self.otaDataOffset).entries
                == [Self.entry(1, State.valid), Self.entry(2, State.aborted)])
    }

    @Test func `a blank first slot: the second boots, and otadata says so`() {
        var flash = Self.flash([nil, nil], [], TestImage.ears("1.1.0"))
        #expect(BootLoader(chip: .esp32, hasRollback: true).boot(&flash) == 1)
        #expect(OTAData(in: flash, at: Self.otaDataOffset).entries == [Self.entry(2, State.valid), nil])
    }

    @Test func `nothing bootable: nothing boots`() {
        var flash = Self.flash([nil, nil], [], [])
        #expect(BootLoader(chip: .esp32, hasRollback: true).boot(&flash) == nil)
        #expect(flash == Self.flash([nil, nil], [], []))
    }

    @Test func `an entry whose checksum is wrong counts for nothing`() {
        var flash = Self.flash(
            [Self.entry(1, State.valid), Self.entry(2, State.valid)], TestImage.ears("1.0.0"), TestImage.ears("1.1.0"))
        flash.write([0], at: Self.otaDataOffset + Flash.sectorSize + 28)
        #expect(BootLoader(chip: .esp32, hasRollback: true).boot(&flash) == 0)
    }

    @Test(arguments: [(UInt32(1), 1, UInt32(2)), (2, 1, 4), (2, 0, 3), (5, 0, 7), (.max - 1, 0, .max)])
    func `selecting takes the next sequence that means the slot`(current: UInt32, slot: Int, sequence: UInt32) {
        var flash = Self.flash([Self.entry(current, State.valid), nil], [], [])
        var otaData = OTAData(in: flash, at: Self.otaDataOffset)
        otaData.select(slot: slot, of: 2, state: State.new, in: &flash)
        #expect(otaData.entries[1]?.sequence == sequence)
    }
}
