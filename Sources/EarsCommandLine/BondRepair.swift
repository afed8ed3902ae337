public import Bluetooth
public import CommandLineTools
import Ears

/// A stale bond that is replaced: nothing is forgotten before the ears are heard, and where no new bond comes of it,
/// that is said.
public struct BondRepair: Sendable {
    private let finder: EarsFinder
    private let dialogue: PairingDialogue

    public init(finder: EarsFinder, dialogue: PairingDialogue) {
        self.finder = finder
        self.dialogue = dialogue
    }

    /// Finds the ears and hears them, asks, forgets them and pairs again.
    ///
    /// - Parameter consent: asks the person; throws where the bond is to stay.
    public func run(
        _ options: EarsOptions, consent: (Sighting) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let limit = TimeLimit(options.timeout, on: finder.clock)
        let sighting = try await finder.find(options, halfBonds: true, remembers: false)
        try await hear(sighting, within: limit)
        try await consent(sighting)
        try await finder.forget(sighting)
        do throws(CommandFailure) {
            var fresh = options
            fresh.device = .address(sighting.address)
            fresh.adapter = sighting.adapter
            try await dialogue.pair(try await PairingCandidate.find(fresh, with: finder))
        } catch {
            throw error.withoutBond(with: sighting)
        }
    }

    /// Ears that are switched off cannot be paired with: their bond may be as good as ever.
    private func hear(_ sighting: Sighting, within limit: TimeLimit) async throws(CommandFailure) {
        guard !sighting.isConnected else { return }
        let address = sighting.address
        @Sendable func isThere(_ present: [Sighting]) -> Bool {
            present.contains { $0.address == address && ($0.isHeard || $0.isConnected) }
        }
        finder.console.note(
            "looking for \(sighting.inWords) on \(sighting.adapter), at most \(limit.remainingInWords)…")
        let seen = try await finder.look(on: sighting.adapter, for: limit.remaining, until: isThere)
        guard isThere(seen) else { throw .notHeard(sighting, after: limit.whole) }
    }
}

extension CommandFailure {
    /// Nothing was forgotten yet.
    fileprivate static func notHeard(_ sighting: Sighting, after time: Duration) -> CommandFailure {
        CommandFailure(
            .earsNotFound, code: "ears_not_found",
            cause: "\(sighting.inWords) was not heard within \(time.inWords); its bond is as it was",
            remedy: CommandFailure.switchOn)
    }

    /// What pairing failed of, where the old bond is gone already.
    fileprivate func withoutBond(with sighting: Sighting) -> CommandFailure {
        let pair = "espurr-ctl pair --device \(sighting.address) --adapter \(sighting.adapter) makes a new one"
        var failure = self
        failure.cause = "the bond with \(sighting.inWords) is gone, and no new one was made: \(cause)"
        failure.remedy = pair + (remedy.map { ": \($0)" } ?? "")
        return failure
    }
}
