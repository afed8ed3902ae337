import Testing

@testable import Simulator

@Suite struct FaultSelectionTests {
    @Test func `faults of both sides are taken by name`() throws {
        var faults = FaultSelection()
        for text in ["no-adapter", "drop-at=70%", "stale-bond"] { try faults.add(text) }
        #expect(faults.machine == [.noAdapter])
        #expect(faults.ears == [.dropAt(percent: 70), .staleBond])
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
        ("stale-bond=1", .ears(.valueUnexpected(.staleBond))), ("", .ears(.unknownName(""))),
    ])
    func `what cannot be read is refused with its reason`(text: String, problem: FaultSelection.Problem) {
        var faults = FaultSelection()
        #expect(throws: problem) { try faults.add(text) }
        #expect(faults == FaultSelection())
    }
}
