public import Bluetooth
public import CommandLineTools
import Ears

/// Which ears `pair` is about.
public enum PairingCandidate {
    /// How long more ears may take to appear once the first were heard, where none are named.
    static let company = Duration.seconds(2)

    /// Scans until the named ears are there; where none are named, until exactly one unpaired pair stands alone.
    public static func find(_ options: EarsOptions, with finder: EarsFinder) async throws(CommandFailure) -> Sighting {
        let limit = TimeLimit(options.timeout, on: finder.clock)
        let adapter = try await finder.usableAdapter(options.adapter)
        finder.console.note(
            "looking for \(options.device.map { "“\($0)”" } ?? "ears") on \(adapter), "
                + "at most \(limit.remainingInWords)…")
        let device = options.device
        var seen = try await finder.look(on: adapter, for: limit.remaining) { present in
            !candidates(among: present, named: device).isEmpty
        }
        if device == nil, !candidates(among: seen, named: nil).isEmpty {
            let more = try await finder.scan(on: adapter, for: min(company, limit.remaining)) { _, _ in false }
            let news = more.filter { later in later.isHeard && !seen.contains { $0.address == later.address } }
            seen += news
        }
        return try choose(among: seen, options, command: finder.command)
    }

    /// Named ears may be ones that BlueZ only knows; else it has to be unpaired ones that are heard.
    static func candidates(among sightings: [Sighting], named device: EarsName?) -> [Sighting] {
        sightings.filter { sighting in device.map { $0.matches(sighting) } ?? (!sighting.isBonded && sighting.isHeard) }
    }

    static func choose(
        among sightings: [Sighting], _ options: EarsOptions, command: String
    ) throws(CommandFailure) -> Sighting {
        switch EarsChoice.one(of: candidates(among: sightings, named: options.device)) {
        case .chosen(let sighting): return sighting
        case .several(let sightings): throw .several(sightings, verb: command)
        case .none:
            guard options.device == nil, let paired = sightings.bondedAndLoudest else {
                throw .notFound(options.device, among: sightings, after: options.timeout)
            }
            throw paired.isHeard || paired.isConnected
                ? .noOthersHeard(than: paired) : .notEvenHeard(paired, after: options.timeout)
        }
    }
}

extension Array<Sighting> {
    /// Bonded ears that are there, or else any that are bonded.
    fileprivate var bondedAndLoudest: Sighting? {
        let bonded = filter(\.isBonded)
        return bonded.first { $0.isHeard || $0.isConnected } ?? bonded.first
    }
}

extension CommandFailure {
    /// Nothing shows here whether the bond is stale: what uses it says so.
    fileprivate static func noOthersHeard(than paired: Sighting) -> CommandFailure {
        CommandFailure(
            .pairing, code: "already_paired", cause: "\(paired.inWords) is paired already, and no others are heard",
            remedy:
                "espurr-ctl info --device \(paired.address) shows whether its bond works; others have to be switched "
                + "on, in BLE mode")
    }

    fileprivate static func notEvenHeard(_ paired: Sighting, after time: Duration) -> CommandFailure {
        CommandFailure(
            .earsNotFound, code: "ears_not_found",
            cause: "no ears were heard within \(time.inWords); \(paired.inWords) is paired already, "
                + "and was not heard either",
            remedy: switchOn)
    }
}
