import Bluetooth
import CommandLineTools
import Ears
import Testing

@testable import EarsCommandLine

/// What one look at a machine means.
@Suite struct MachineDiagnosisTests {
    static let old = BlueZVersion(major: 5, minor: 55)

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var survey: MachineSurvey
        var wanted: AdapterName?
        var switches: [RadioSwitches.Switch] = []
        var holders: [BluetoothAddress: Int32] = [:]
        var unfinished: [PairingRecords.Record] = []
        /// `!` before what is in the way.
        var found: [String]
        var status: Status = .done

        var testDescription: String { name }
    }

    static func survey(_ adapters: [Adapter] = [.working], _ devices: [SurveyedDevice] = []) -> MachineSurvey {
        MachineSurvey(adapters: adapters, devices: devices)
    }

    static let ears = SurveyedDevice(sighting: .ears())
    static let connected = SurveyedDevice(sighting: .ears(connected: true))
    static let bonded = survey([.working], [ears])

    static let cases: [Case] = [
        Case(name: "all is well", survey: bonded, found: []),
        Case(name: "nothing is paired", survey: survey(), found: ["nothing_paired"]),
        Case(name: "no adapter", survey: survey([]), found: ["!no_adapter"], status: .machine),
        Case(
            name: "no adapter, and a switch that is off", survey: survey([]),
            switches: [.init(name: "tpacpi_bluetooth_sw", block: .hard), .init(name: "other", block: nil)],
            found: ["!no_adapter", "!radio_switched_off"], status: .machine),
        Case(
            name: "off", survey: survey([Adapter(.zero, isPowered: false)], [ears]), found: ["!adapter_off"],
            status: .machine),
        Case(
            name: "blocked", survey: survey([Adapter(.zero, isPowered: false, isBlocked: true)], [ears]),
            found: ["!adapter_soft_blocked"], status: .machine),
        Case(
            name: "two that cannot be used",
            survey: survey(
                [Adapter(.zero, isPowered: false, isBlocked: true), Adapter(.one, isPowered: false)], [ears]),
            found: ["!adapter_soft_blocked", "!adapter_off"], status: .machine),
        Case(
            name: "one of two is off", survey: survey([Adapter(.zero, isPowered: false), Adapter(.one)], [ears]),
            found: ["several_adapters"]),
        Case(
            name: "the second is asked for", survey: survey([.working, Adapter(.one)], [ears]), wanted: .one, found: []),
        Case(
            name: "one that is not there is asked for", survey: bonded, wanted: .one, found: ["!no_such_adapter"],
            status: .machine),
        Case(
            name: "BlueZ is too old",
            survey: survey(
                [Adapter(name: .zero, address: .first, isPowered: true, isDiscovering: false, daemonVersion: old)],
                [ears]),
            found: ["!bluez_too_old"], status: .machine),
        Case(
            name: "BlueZ is just new enough",
            survey: survey(
                [Adapter(name: .zero, address: .first, isPowered: true, isDiscovering: false, daemonVersion: .minimum)],
                [ears]),
            found: []),
        Case(
            name: "another program discovers",
            survey: survey([Adapter(name: .zero, address: .first, isPowered: true, isDiscovering: true)], [ears]),
            found: ["discovering_elsewhere"]),
        Case(name: "connected by others", survey: survey([.working], [connected]), found: ["connected_elsewhere"]),
        Case(
            name: "held by others",
            survey: survey([.working], [SurveyedDevice(sighting: .ears(connected: true), isHeld: true)]),
            found: ["!held_elsewhere"], status: .machine),
        Case(
            name: "held by a command of ours",
            survey: survey([.working], [SurveyedDevice(sighting: .ears(connected: true), isHeld: true)]),
            holders: [.first: 7], found: ["ears_held"]),
        Case(
            name: "stale services",
            survey: survey([.working], [SurveyedDevice(sighting: .ears(), isServiceMissing: true)]),
            found: ["!stale_services"], status: .protocolNotSupported),
        Case(
            name: "half a bond", survey: survey([.working], [SurveyedDevice(sighting: .ears(bonded: false))]),
            found: ["!stale_bond", "nothing_paired"], status: .pairing),
        Case(name: "a pairing that was cut off", survey: bonded, unfinished: [.ofFirst], found: ["unproved_bond"]),
        Case(
            name: "a pairing under way", survey: bonded, holders: [.first: 7], unfinished: [.ofFirst],
            found: ["ears_held"]),
        Case(name: "a pairing that left nothing", survey: survey(), unfinished: [.ofFirst], found: ["nothing_paired"]),
    ]

    @Test(arguments: cases) func `everything is found and nothing else`(row: Case) {
        let diagnosis = MachineDiagnosis(
            survey: row.survey, wanted: row.wanted, switches: row.switches, holders: row.holders,
            unfinished: row.unfinished)
        let found = diagnosis.findings.map { ($0.weight == .obstacle ? "!" : "") + $0.failure.code }
        #expect(found == row.found)
        let told = Diagnosis(findings: diagnosis.findings, facts: MachineFacts(row.survey, wanted: row.wanted))
        #expect(told.status == row.status)
        for finding in diagnosis.findings {
            #expect(finding.failure.remedy?.isEmpty == false && !finding.failure.cause.contains("\n"))
        }
        #expect(told.lines.contains { $0.hasPrefix("nothing is in the way") } == (row.status == .done))
        #expect((told.lines.last?.hasPrefix("not looked at") ?? false) == (row.status == .done))
    }

    @Test(arguments: [
        (survey(), "whether ears are in reach (espurr-ctl scan shows it)"),
        (bonded, "whether the ears answer, and still know this machine (espurr-ctl info shows it)"),
        (
            survey([.working], [ears, SurveyedDevice(sighting: .ears(.second))]),
            "whether the ears answer, and still know this machine (espurr-ctl info --device ADDRESS shows it)"
        ),
    ])
    func `where nothing is in the way the last line says what was not looked at, and what shows it`(
        survey: MachineSurvey, words: String
    ) {
        let told = Diagnosis(findings: [], facts: MachineFacts(survey, wanted: nil))
        #expect(told.lines.last?.contains(words) == true)
        #expect(JSON.object(told.members).text.contains(#""not_looked_at":["bonds","catalogue"]"#))
    }

    @Test func `programs that answer pairings are named, and whether they compare`() {
        var survey = Self.bonded
        survey.agents = [
            AgentProgram(name: "bt-agent", process: 5, comparesNothing: true),
            AgentProgram(name: "gnome-shell", process: 6, comparesNothing: false),
        ]
        let causes = MachineDiagnosis(survey: survey).findings.map(\.failure.cause)
        #expect(
            causes == [
                "bt-agent (process 5) answers pairings of this machine, without comparing digits",
                "gnome-shell (process 6) usually answers pairings of this machine",
            ])
    }

    @Test func `the first thing in the way decides the status, and cautions never do`() {
        let facts = MachineFacts()
        let caution = Finding.caution(CommandFailure(.pairing, code: "a", cause: "a"))
        let first = Finding.obstacle(CommandFailure(.notPermitted, code: "b", cause: "b"))
        let second = Finding.obstacle(CommandFailure(.machine, code: "c", cause: "c", remedy: "d"))
        #expect(Diagnosis(findings: [caution], facts: facts).status == .done)
        let both = Diagnosis(findings: [caution, first, second], facts: facts)
        #expect(both.status == .notPermitted)
        #expect(both.lines == ["in the way (13): b", "in the way (10): c", "  → d", "to know: a"])
    }
}

@Suite struct BluetoothAccessTests {
    @Test func `who is kept out is told the way in`() {
        func access(_ exists: Bool, _ isListed: Bool, _ isInForce: Bool) -> BluetoothAccess {
            BluetoothAccess(user: "someone", exists: exists, isListed: isListed, isInForce: isInForce)
        }
        #expect(access(true, false, false) == .notMember(user: "someone"))
        #expect(access(true, true, false) == .memberSinceLogin)
        #expect(access(true, true, true) == .member)
        #expect(access(false, false, false) == .noGroup)
        #expect(access(false, false, true) == .member)
        #expect(access(true, false, false).remedy == "sudo usermod -aG bluetooth someone, then log in again")
    }
}
