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
        guard !sighting.isPaired, !sighting.isBonded else {
            throw CommandFailure(BluetoothError.pairing(.alreadyPaired))
        }
        let record = PairingUnderWay(try await finder.begin(pairing: sighting), in: finder.pairingRecords)
        finder.console.note("pairing with \(sighting.inWords): click the headset's button within 30 s")
        finder.console.note("the ears keep three bonds; a new one may push out the oldest")
        let mark = LinkMark(of: sighting, in: finder.directories.runtime)
        mark.leave()
        let session = try await provedSession(with: sighting, on: record)
        var sighting = sighting
        sighting.address = session.peripheral.address
        let owned = OwnedSession(session: session, sighting: sighting, lock: lock, mark: mark)
        do throws(CommandFailure) { try finder.end(record.current) } catch {
            await owned.close()
            throw error
        }
        await owned.close()
        finder.remember(sighting)
        report(sighting)
    }

    private func provedSession(
        with sighting: Sighting, on record: PairingUnderWay
    ) async throws(CommandFailure) -> EarsSession {
        let verdict = ComparisonVerdict()
        comparer.begin()
        do throws(EarsError) {
            return try await paired(with: sighting, on: record, verdict)
        } catch {
            await finder.end(record.current, failed: error, with: sighting)
            if Task.isCancelled { throw CommandFailure.interrupted }
            let isOurs = [.bluetooth(.pairing(.rejectedHere)), .bluetooth(.pairing(.timedOut))].contains(error)
            guard isOurs, let failure = verdict.found?.failure else { throw CommandFailure(error) }
            throw failure
        }
    }

    private func paired(
        with sighting: Sighting, on record: PairingUnderWay, _ verdict: ComparisonVerdict
    ) async throws(EarsError) -> EarsSession {
        let (console, comparer) = (finder.console, comparer)
        let countdown = ClickCountdown(console, finder.clock)
        let result: Result<EarsSession, EarsError>
        do throws(EarsError) {
            result = .success(
                try await BondProof.pair(
                    with: sighting.address, on: sighting.adapter, through: finder.central, deadline: Self.deadline,
                    clock: finder.clock,
                    onStep: { step in
                        if case .bonded(let identity) = step { record.isWith(identity) }
                        console.detail(step.inWords)
                    }
                ) { passkey in
                    await countdown.end()
                    console.detail("both sides have digits")
                    let found = await comparer.compare(passkey, of: sighting)
                    verdict.found = found
                    return found == .same
                })
        } catch {
            result = .failure(error)
        }
        await countdown.end()
        return try result.get()
    }

    private func report(_ sighting: Sighting) {
        guard invocation.wantsJSON else {
            return finder.console.show("paired with \(sighting.inWords); the bond is proved")
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

extension BondProof.Step {
    fileprivate var inWords: String {
        switch self {
        case .asking: "asking BlueZ to pair"
        case .bonded: "BlueZ has a bond; ending the link that it was made on"
        case .reconnecting: "connecting anew"
        case .reading: "reading what only a bond gives"
        }
    }
}
