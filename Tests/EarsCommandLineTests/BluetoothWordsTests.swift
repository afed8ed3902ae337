import Bluetooth
import CommandLineTools
import EarsCommandLine
import Testing

typealias Status = CommandLineTools.ExitStatus

/// Every failure between this machine and the ears: status, code, and whether something can be done about it.
@Suite struct BluetoothWordsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: BluetoothError
        let status: Status
        let code: String
        var hasRemedy = true
        var testDescription: String { code }
    }

    static let rows: [Row] = [
        Row(error: .machine(.noBusLibrary(reason: "no")), status: .machine, code: "no_libdbus"),
        Row(error: .machine(.tooManyOpenFiles(errno: 24)), status: .machine, code: "too_many_open_files"),
        Row(error: .machine(.noBus(address: "unix:path=/x", reason: "no")), status: .machine, code: "no_bus"),
        Row(error: .machine(.busSilent(address: "x", after: .seconds(5))), status: .machine, code: "bus_silent"),
        Row(error: .machine(.busNotPermitted(address: "x")), status: .notPermitted, code: "bus_not_permitted"),
        Row(error: .machine(.noDaemon(.notInstalled)), status: .machine, code: "no_daemon"),
        Row(error: .machine(.noDaemon(.notRunning)), status: .machine, code: "daemon_not_running"),
        Row(error: .machine(.noDaemon(.ended)), status: .machine, code: "daemon_ended"),
        Row(
            error: .machine(.daemonTooOld(BlueZVersion(major: 5, minor: 55))), status: .machine, code: "bluez_too_old"),
        Row(error: .heldByOthers(.first), status: .machine, code: "held_elsewhere"),
        Row(error: .machine(.daemonSilent(after: .seconds(5))), status: .machine, code: "daemon_silent"),
        Row(error: .machine(.noAdapter), status: .machine, code: "no_adapter"),
        Row(error: .machine(.noSuchAdapter(.one, present: [.zero])), status: .machine, code: "no_such_adapter"),
        Row(error: .machine(.adapterOff(.zero)), status: .machine, code: "adapter_off"),
        Row(error: .machine(.adapterBlocked(.zero, by: .soft)), status: .machine, code: "adapter_soft_blocked"),
        Row(error: .machine(.adapterBlocked(.zero, by: .hard)), status: .machine, code: "adapter_hard_blocked"),
        Row(error: .machine(.adapterBlocked(.zero, by: .unknown)), status: .machine, code: "adapter_blocked"),
        Row(error: .notPermitted(operation: .pair), status: .notPermitted, code: "not_permitted"),
        Row(error: .unknownDevice(.first), status: .earsNotFound, code: "ears_unknown"),
        Row(error: .connectFailed(.notInRange), status: .earsNotFound, code: "ears_not_found"),
        Row(error: .connectFailed(.aborted(reason: "x")), status: .earsNotFound, code: "connection_aborted"),
        Row(error: .connectFailed(.other(reason: "x")), status: .earsNotFound, code: "connection_failed"),
        Row(error: .linkLost(during: .read), status: .earsNotFound, code: "link_lost"),
        Row(error: .deadline(.connect, after: .seconds(30)), status: .earsNotFound, code: "ears_not_found"),
        Row(error: .deadline(.resolveServices, after: .seconds(30)), status: .earsNotFound, code: "no_answer"),
        Row(error: .deadline(.read, after: .seconds(10)), status: .earsNotFound, code: "no_answer"),
        Row(error: .deadline(.write, after: .seconds(10)), status: .earsNotFound, code: "no_answer"),
        Row(error: .deadline(.readDescriptor, after: .seconds(10)), status: .earsNotFound, code: "no_answer"),
        Row(error: .deadline(.pair, after: .seconds(40)), status: .pairing, code: "pairing_timed_out"),
        Row(error: .deadline(.openBus, after: .seconds(5)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.listAdapters, after: .seconds(5)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.discover, after: .seconds(5)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.removeBond, after: .seconds(10)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.disconnect, after: .seconds(10)), status: .machine, code: "bluez_late"),
        Row(error: .attribute(code: 0x05, during: .read), status: .pairing, code: "not_authenticated"),
        Row(error: .attribute(code: 0x0C, during: .read), status: .pairing, code: "not_authenticated"),
        Row(error: .attribute(code: 0x0F, during: .read), status: .pairing, code: "not_authenticated"),
        Row(
            error: .attribute(code: 0x0E, during: .read), status: .earsRefused, code: "attribute_error",
            hasRemedy: false),
        Row(error: .rejected(.write), status: .protocolNotSupported, code: "rejected"),
        Row(error: .missingService(.userDescription), status: .protocolNotSupported, code: "stale_services"),
        Row(error: .missingCharacteristic(.userDescription), status: .protocolNotSupported, code: "stale_services"),
        Row(error: .pairing(.rejectedHere), status: .pairing, code: "digits_refused"),
        Row(error: .pairing(.rejectedByPeripheral), status: .pairing, code: "refused_by_ears"),
        Row(error: .pairing(.timedOut), status: .pairing, code: "pairing_timed_out"),
        Row(error: .pairing(.linkLost), status: .pairing, code: "link_lost"),
        Row(error: .pairing(.alreadyPaired), status: .pairing, code: "already_paired"),
        Row(error: .pairing(.inProgress), status: .pairing, code: "pairing_in_progress"),
        Row(error: .pairing(.downgraded), status: .pairing, code: "downgraded"),
        Row(error: .pairing(.notProved), status: .pairing, code: "bond_not_proved"),
        Row(error: .pairing(.agentRefused(reason: "x")), status: .pairing, code: "agent_refused"),
        Row(error: .staleBond(.first), status: .pairing, code: "stale_bond"),
        Row(error: .notBonded(.first), status: .pairing, code: "not_paired"),
        Row(error: .busy(.discover), status: .machine, code: "busy"),
        Row(error: .notificationsLost(limit: 1024), status: .machine, code: "notifications_lost"),
        Row(error: .deadline(.openWrites, after: .seconds(5)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.writeWithoutResponse, after: .seconds(5)), status: .machine, code: "bluez_late"),
        Row(error: .deadline(.openNotifications, after: .seconds(5)), status: .earsNotFound, code: "no_answer"),
        Row(error: .deadline(.awaitNotification, after: .seconds(5)), status: .earsNotFound, code: "no_answer"),
        Row(error: .cancelled, status: .cancelled, code: "cancelled", hasRemedy: false),
        Row(error: .abandoned(.write), status: .cancelled, code: "cancelled", hasRemedy: false),
        Row(
            error: .unexpected(name: "a\n", message: "b\u{1B}", during: .read), status: .machine,
            code: "bluez_unexpected"),
    ]

    @Test(arguments: rows) func `each has its status, one line of cause, and a remedy where there is one`(row: Row) {
        let failure = CommandFailure(row.error)
        #expect(failure.status == row.status)
        #expect(failure.code == row.code)
        #expect((failure.remedy != nil) == row.hasRemedy)
        for line in [failure.cause, failure.remedy ?? "x"] {
            #expect(!line.isEmpty && line == line.printable && !line.hasSuffix("."))
        }
    }

    /// A new case has no place here and stops the build; a case without a row fails.
    @Test(arguments: [PairingFailure.rejectedByPeripheral, .timedOut])
    func `ears that refuse a pairing and a click that did not come are told together, with what can be done`(
        failure: PairingFailure
    ) {
        let words = CommandFailure(.pairing(failure))
        #expect(words.cause.contains("in time, or the ears"))
        #expect(words.remedy == "click the headset's button within 30 s after espurr-ctl pair asks for it")
    }

    @Test func `no case is left out`() {
        func place(_ error: BluetoothError) -> Int {
            switch error {
            case .machine(let state): place(state)
            case .connectFailed(let failure): place(failure)
            case .pairing(let failure): place(failure)
            case .notPermitted: 20
            case .unknownDevice: 21
            case .linkLost: 22
            case .deadline(let operation, _): place(operation)
            case .attribute: 23
            case .rejected: 24
            case .missingService: 25
            case .missingCharacteristic: 26
            case .staleBond: 27
            case .notBonded: 28
            case .busy: 29
            case .cancelled: 30
            case .unexpected: 31
            case .notificationsLost: 43
            case .heldByOthers: 48
            case .abandoned: 52
            }
        }
        func place(_ state: MachineState) -> Int {
            switch state {
            case .noBus: 0
            case .busNotPermitted: 1
            case .noDaemon: 2
            case .daemonSilent: 3
            case .noAdapter: 4
            case .noSuchAdapter: 5
            case .adapterOff: 6
            case .adapterBlocked: 7
            case .daemonTooOld: 49
            case .busSilent: 50
            case .noBusLibrary: 51
            case .tooManyOpenFiles: 52
            }
        }
        func place(_ failure: ConnectFailure) -> Int {
            switch failure {
            case .notInRange: 8
            case .aborted: 9
            case .other: 10
            }
        }
        func place(_ failure: PairingFailure) -> Int {
            switch failure {
            case .rejectedHere: 11
            case .rejectedByPeripheral: 12
            case .timedOut: 13
            case .linkLost: 14
            case .alreadyPaired: 15
            case .inProgress: 16
            case .downgraded: 17
            case .notProved: 18
            case .agentRefused: 19
            }
        }
        func place(_ operation: BluetoothError.Operation) -> Int {
            switch operation {
            case .openBus: 32
            case .listAdapters: 33
            case .discover: 34
            case .connect: 35
            case .resolveServices: 36
            case .read: 37
            case .write: 38
            case .readDescriptor: 39
            case .pair: 40
            case .removeBond: 41
            case .disconnect: 42
            case .openWrites: 44
            case .writeWithoutResponse: 45
            case .openNotifications: 46
            case .awaitNotification: 47
            }
        }
        #expect(Set(Self.rows.map { place($0.error) }) == Set(0...52))
    }
}
