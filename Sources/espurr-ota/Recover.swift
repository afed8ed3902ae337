import CommandLineTools
import EarsCommandLine
import FirmwareCommandLine

/// `recover`: ears in recovery mode, where no firmware runs.
struct Recover: Verb {
    static let usage = Usage(
        "recover", "show ears in recovery mode, and do what can be done with them",
        operands: Operands(
            "[\(Action.allCases.map(\.rawValue).joined(separator: "|"))]", 0...1,
            completes: .words(Action.allCases.map(\.rawValue))),
        options: EarsOptions.options + AccessPointPassword.options + [.yes],
        details: [
            "recover status, or recover alone: the family that normal firmware has, what each slot holds, the access "
                + "point, the storage, and what can be done. In recovery mode no firmware runs. Where a slot holds some "
                + "that boots, recover restart boots it; where none does there is no old one to fall back on, and the way "
                + "on is espurr-ota install, for the family that the ears report.",
            "How ears get there: by themselves, where no slot holds firmware that boots. The protocol has no request that sends "
                + "working ears there, so no command does; whether they have a switch or gesture of their own for it, their "
                + "maker says. The button's click allows a new bond, its gesture switches radios; that it does anything for "
                + "recovery mode is not known here. They are found by the same name in both modes, and espurr-ota "
                + "status says which one they are in.",
            "recover wifi-password: asks twice for a password of 8 to 63 characters, without showing it. It is sent only "
                + "over the bonded link and after a protected read, kept nowhere on this machine, and never read back. "
                + "The password is never an argument; in scripts --password-from reads it: espurr-ota recover "
                + "wifi-password --password-from 3 3< FILE. With damaged storage it holds until the next restart and is not "
                + "saved (24): recover repair-storage comes first.",
            "recover repair-storage: says what is lost, asks, and waits for the end of the repair. With --json each look "
                + "at it is a line, “progress”, and the last line is the “result”. Storage that is good is left alone.",
            "recover restart: the way out, as switching the ears off and on is: recovery mode lasts until a reset. The ears boot what they hold into normal mode, and are read there; refused "
                + "where no slot holds anything to boot.",
            "Ears in normal mode end it with 25.",
        ])

    enum Action: String, CaseIterable, Sendable {
        case status
        case wifiPassword = "wifi-password"
        case repairStorage = "repair-storage"
        case restart
    }

    let options: EarsOptions
    let password: AccessPointPassword
    let action: Action
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        password = try AccessPointPassword(arguments)
        isConfirmed = arguments.has(.yes)
        let word = arguments.operands.first ?? Action.status.rawValue
        guard let action = Action(rawValue: word) else {
            throw .usage("“recover” has no “\(word.printable)”", remedy: "see “espurr-ota recover --help”")
        }
        self.action = action
        if action != .wifiPassword, password.source.place != .terminal {
            throw .usage(
                "--password-from goes with “recover wifi-password”",
                remedy: "espurr-ota recover wifi-password --password-from FD|FILE")
        }
        if action == .repairStorage, !isConfirmed, !Console.canAsk {
            throw .usage("nobody is at the terminal to confirm", remedy: "--yes confirms")
        }
    }

    var isForItsOutput: Bool { action == .status }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let errand = RecoveryErrand(invocation: invocation, finder: try EarsFinder(invocation), options: options)
        return switch action {
        case .status: try await errand.show()
        case .wifiPassword: try await errand.set(password)
        case .repairStorage: try await errand.repairStorage(isConfirmed: isConfirmed)
        case .restart: try await errand.restart()
        }
    }
}
