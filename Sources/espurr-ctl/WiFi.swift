import CommandLineTools
import Ears
import EarsCommandLine

/// `wifi`: the password of the ears' own access point.
struct WiFi: Verb {
    private static let password = "password"

    static let usage = Usage(
        "wifi", "set the password of the ears' access point",
        operands: Operands(password, 1...1, completes: .words([password])),
        options: EarsOptions.options + AccessPointPassword.options,
        details: [
            "wifi password: asks twice for a password of 8 to 63 characters, without showing it. It is sent only over "
                + "the bonded link and after a protected read, kept nowhere on this machine, and never read back: the "
                + "ears say when it is applied and saved.",
            "The password is never an argument: others could read it in the list of processes, and the shell keeps it. "
                + "In scripts --password-from reads it: espurr-ctl wifi password --password-from 3 3< FILE.",
        ])

    let options: EarsOptions
    let password: AccessPointPassword

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        password = try AccessPointPassword(arguments)
        guard arguments.operands == [Self.password] else {
            throw .usage("“wifi” sets the password alone", remedy: "espurr-ctl wifi password")
        }
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let outcome = try await finder.withSettings(
            options, inRecovery: "espurr-ota recover wifi-password sets it there"
        ) { owned throws(CommandFailure) in
            try await password.set(on: owned, with: finder, options, invocation)
        }
        return invocation.report(outcome, done: [AccessPointPassword.done])
    }
}
