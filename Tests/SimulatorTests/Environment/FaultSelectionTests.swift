import Testing

@testable import Simulator

@Suite struct FaultSelectionTests {
    @Test func `faults of both sides are taken by name`() throws {
        var faults = FaultSelection()
        for text in ["no-adapter", "drop-at=70%", "stale-bond"] { try faults.add(text) }
        #expect(faults.machine == [.noAdapter])
        #expect(faults.ears == [.dropAt(percent: 70), .staleBond])
    }

    @Test func `a number before a fault is of the pair that has it, beside what all have`() throws {
        var faults = FaultSelection()
        for text in ["battery=80", "3:boot-fails", "12:battery=5%", "3:lose-last-reply"] { try faults.add(text) }
        #expect(faults.ears == [.battery(percent: 80)])
        #expect(faults.faults(ofPair: 1) == [.battery(percent: 80)])
        #expect(faults.faults(ofPair: 3) == [.bootFails(after: .zero), .loseLastReply, .battery(percent: 80)])
        #expect(faults.faults(ofPair: 12).first == .battery(percent: 5))
    }

    @Test func `a name stands for one fault, and every fault is explained`() {
        let names = FaultSelection.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count == DaemonFault.allCases.count + FaultName.allCases.count)
        #expect(FaultSelection.all.allSatisfy { !$0.explanation.isEmpty })
    }

    @Test(arguments: [
        ("nonsense", FaultSelection.Problem.ears(.unknownName("nonsense"))),
        ("no-adapter=1", .valueUnexpected(.noAdapter)), ("no-adapter=", .valueUnexpected(.noAdapter)),
        ("drop-at", .ears(.valueMissing(.dropAt))), ("drop-at=x", .ears(.valueInvalid(.dropAt, value: "x"))),
        ("2:no-adapter", .notOfPair(.noAdapter)), ("2:nonsense", .ears(.unknownName("nonsense"))),
        (":stale-bond", .ears(.unknownName(":stale-bond"))), ("-1:stale-bond", .ears(.unknownName("-1:stale-bond"))),
        ("stale-bond=1", .ears(.valueUnexpected(.staleBond))), ("", .ears(.unknownName(""))),
    ])
    func `what cannot be read is refused with its reason`(text: String, problem: FaultSelection.Problem) {
        var faults = FaultSelection()
        #expect(throws: problem) { try faults.add(text) }
        #expect(faults == FaultSelection())
    }
}
