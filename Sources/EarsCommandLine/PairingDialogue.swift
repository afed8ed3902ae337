public import Bluetooth
public import CommandLineTools
import Ears

/// One pairing, with the person or the script that compares the digits.
public struct PairingDialogue: Sendable {
    private let finder: EarsFinder
    private let comparison: DigitComparison
    private let comparer: DigitComparer
    private let invocation: Invocation

    /// - Throws: where nobody can compare, before the radio is used.
    public init(
        finder: EarsFinder, comparison: DigitComparison, invocation: Invocation
    ) throws(CommandFailure) {
        self.finder = finder
        self.comparison = comparison
        self.invocation = invocation
        comparer = try DigitComparer(comparison, console: finder.console, clock: finder.clock)
    }

    /// The ears wait 30 s for the click; a little more lets BlueZ say how it ended.
    static let deadline = Duration.seconds(40)

    public func pair(_ sighting: Sighting) async throws(CommandFailure) {
        let lock = try finder.own(sighting)
        defer { withExtendedLifetime(lock) {} }
        finder.console.note("pairing with \(sighting.inWords): click the headset's button within 30 s")
        finder.console.note("the ears keep three bonds; a new one may push out the oldest")
        let mark = LinkMark(of: sighting, in: finder.directories.runtime)
        mark.leave()
        let session = try await provedSession(with: sighting)
        await OwnedSession(session: session, sighting: sighting, lock: lock, mark: mark).close()
        finder.remember(sighting)
        report(sighting)
    }

    private func provedSession(with sighting: Sighting) async throws(CommandFailure) -> EarsSession {
        let verdict = ComparisonVerdict()
        let comparer = comparer
        comparer.begin()
        do throws(EarsError) {
            return try await BondProof.pair(
                with: sighting.address, on: sighting.adapter, through: finder.central, deadline: Self.deadline,
                clock: finder.clock
            ) { passkey in
                let found = await comparer.compare(passkey, of: sighting)
                verdict.found = found
                return found == .same
            }
        } catch {
            if Task.isCancelled { throw CommandFailure(BluetoothError.cancelled) }
            let isOurs = [.bluetooth(.pairing(.rejectedHere)), .bluetooth(.pairing(.timedOut))].contains(error)
            guard isOurs, let failure = verdict.found?.failure else { throw CommandFailure(error) }
            throw failure
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
