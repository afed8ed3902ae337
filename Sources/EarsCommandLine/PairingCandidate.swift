public import Bluetooth
public import CommandLineTools
import Ears

/// Which ears `pair` is about.
public enum PairingCandidate {
    /// How long more ears may take to appear once the first were heard, where none are named.
    static let company = Duration.seconds(2)

    /// Scans until the named ears are heard; where none are named, until exactly one unpaired pair stands alone.
    public static func find(_ options: EarsOptions, with finder: EarsFinder) async throws(CommandFailure) -> Sighting {
        let adapter = try await finder.usableAdapter(options.adapter)
        finder.console.note("looking for \(options.device.map { "“\($0)”" } ?? "ears") on \(adapter)…")
        let device = options.device
        let heard = try await finder.scan(on: adapter, for: options.timeout) { sightings, _, _ in
            !candidates(among: sightings, named: device).isEmpty
        }
        guard device == nil, !candidates(among: heard, named: nil).isEmpty else {
            return try choose(among: heard, options, command: finder.command)
        }
        let all = try await finder.scan(on: adapter, for: company) { _, _, _ in false }
        return try choose(among: all, options, command: finder.command)
    }

    static func candidates(among sightings: [Sighting], named device: EarsName?) -> [Sighting] {
        sightings.filter { sighting in device.map { $0.matches(sighting) } ?? (!sighting.isBonded && sighting.isHeard) }
    }

    static func choose(
        among sightings: [Sighting], _ options: EarsOptions, command: String
    ) throws(CommandFailure) -> Sighting {
        switch EarsChoice.one(of: candidates(among: sightings, named: options.device)) {
        case .chosen(let sighting): return sighting
        case .several(let sightings): throw .several(sightings, verb: command)
        case .none: throw .notFound(options.device, after: options.timeout)
        }
    }
}

extension Sighting {
    /// In this scan, not only known from before.
    var isHeard: Bool { rssi != nil }
}
