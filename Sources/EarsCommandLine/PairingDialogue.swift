public import Bluetooth
public import CommandLineTools
import Ears

/// One pairing, with the person or the script that compares the digits.
public struct PairingDialogue: Sendable {
    let finder: EarsFinder
    let comparison: DigitComparison
    let invocation: Invocation

    public init(finder: EarsFinder, comparison: DigitComparison, invocation: Invocation) {
        self.finder = finder
        self.comparison = comparison
        self.invocation = invocation
    }

    /// The ears wait 30 s for the click; a little more lets BlueZ say how it ended.
    static let deadline = Duration.seconds(40)

    public func pair(_ sighting: Sighting, timeout: Duration) async throws(CommandFailure) {
        let console = finder.console
        let lock = try finder.own(sighting)
        defer { withExtendedLifetime(lock) {} }
        let confirm = try confirmation(for: sighting)
        console.note("pairing with \(sighting.inWords): click the headset's button within 30 s")
        console.note("the ears keep three bonds; a new one may push out the oldest")
        let session: EarsSession
        do throws(EarsError) {
            session = try await BondProof.pair(
                with: sighting.address, on: sighting.adapter, through: finder.central, deadline: Self.deadline,
                clock: finder.clock, confirm: confirm)
        } catch {
            throw CommandFailure(error)
        }
        await OwnedSession(session: session, sighting: sighting, lock: lock).close()
        try remember(sighting)
        report(sighting)
    }

    private func confirmation(
        for sighting: Sighting
    ) throws(CommandFailure) -> @Sendable (Passkey) async -> Bool {
        let console = finder.console
        switch comparison {
        case .nobody:
            return { passkey in
                console.note("accepting \(passkey) without comparing it")
                return true
            }
        case .person:
            return { passkey in
                await console.confirm("Do \(sighting.name?.printable ?? "the ears") show \(passkey)?")
            }
        case .source(let text):
            let source = try PasskeySource(opening: text)
            let clock = finder.clock
            return { passkey in
                let shown = await source.next(clock: clock)
                console.note("here \(passkey), on the ears \(shown?.description ?? "nothing")")
                return shown == passkey
            }
        }
    }

    private func remember(_ sighting: Sighting) throws(CommandFailure) {
        do { try RememberedEars(stateFolder: finder.directories.state).remember(sighting.address) } catch {
            throw CommandFailure(writing: error)
        }
    }

    private func report(_ sighting: Sighting) {
        guard invocation.wantsJSON else {
            return finder.console.print("paired with \(sighting.inWords); the bond is proved")
        }
        finder.console.print(
            JSON.document(
                invocation.schema,
                [
                    ("address", .string(sighting.address.description)), ("name", .optional(sighting.name)),
                    ("adapter", .string("\(sighting.adapter)")), ("compared_by", .string(comparison.code)),
                    ("proved", .boolean(true)),
                ]))
    }
}

extension PasskeySource {
    init(opening text: String) throws(CommandFailure) {
        do throws(Failure) {
            try self.init(text)
        } catch {
            switch error {
            case .cannotOpen(let path, let number):
                throw .usage("--passkey-from: \(path.printable) cannot be opened: \(systemMessage(number))")
            case .noSuchDescriptor(let number): throw .usage("--passkey-from: descriptor \(number) is not open")
            }
        }
    }
}
