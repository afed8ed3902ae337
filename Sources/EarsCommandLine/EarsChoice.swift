public import Bluetooth
public import CommandLineTools

/// Which of the ears in sight a command is about: pure.
enum EarsChoice: Equatable {
    case chosen(Sighting)
    /// Nothing that fits; a scan may find it.
    case none
    case several([Sighting])

    /// Chooses among bonded ears.
    ///
    /// - Parameters:
    ///   - remembered: the ears that were last asked for by `--device`; they decide between several.
    ///   - halfBonds: whether ears count that BlueZ calls paired and holds no key for.
    static func bonded(
        _ sightings: [Sighting], named device: EarsName?, remembered: BluetoothAddress?, halfBonds: Bool = false
    ) -> EarsChoice {
        let bonded = sightings.filter { $0.isBonded || halfBonds && $0.isPaired }
        let fitting = device.map { name in bonded.filter(name.matches) } ?? bonded
        let identities = Set(fitting.map(\.address))
        if identities.count > 1, device == nil, let remembered, identities.contains(remembered) {
            return one(of: fitting.filter { $0.address == remembered })
        }
        return one(of: fitting)
    }

    /// One identity on several adapters is one pair of ears, bonded more than once; the connected, then the first.
    static func one(of sightings: [Sighting]) -> EarsChoice {
        guard let first = sightings.first(where: \.isConnected) ?? sightings.first else { return .none }
        return Set(sightings.map(\.address)).count == 1 ? .chosen(first) : .several(sightings)
    }
}

extension CommandFailure {
    /// Several fit, and none may be guessed.
    static func several(_ sightings: [Sighting], verb: String) -> CommandFailure {
        let names = Set(sightings.map(\.inWords)).sorted().joined(separator: ", ")
        return CommandFailure(
            .usage, code: "several_ears", cause: "several ears fit: \(names)",
            remedy: "say which: \(verb) --device ADDRESS")
    }

    /// - Parameter seen: other ears, in whose names what was mistyped may be recognized.
    public static func notFound(
        _ device: EarsName?, among seen: [Sighting] = [], after: Duration
    ) -> CommandFailure {
        CommandFailure(
            .earsNotFound, code: "ears_not_found",
            cause: (device.map { "ears “\($0)” were not found" } ?? "no ears were found") + " within \(after.inWords)",
            remedy: device?.suggestion(among: seen)
                ?? switchOn)
    }

    static let switchOn =
        "switch them on, in BLE mode (the button's gesture switches radios), and let a phone or watch that holds them go"

    /// Nothing fits that a bond could be removed from; whether such ears are there does not matter.
    static func nothingToForget(_ device: EarsName?, on adapter: AdapterName?, known: [Sighting]) -> CommandFailure {
        CommandFailure(
            .pairing, code: "not_paired",
            cause: "this machine has no bond with \(device.map { "ears “\($0)”" } ?? "any ears")"
                + (adapter.map { " over \($0)" } ?? "") + ": there is nothing to forget",
            remedy: device?.suggestion(amongNamesOf: known.filter { $0.isBonded || $0.isPaired }))
    }

    static func notPaired(_ sighting: Sighting) -> CommandFailure {
        guard !sighting.isPaired else { return CommandFailure(BluetoothError.staleBond(sighting.address)) }
        return CommandFailure(
            .pairing, code: "not_paired", cause: "\(sighting.inWords) is not paired over \(sighting.adapter)",
            remedy: "espurr-ctl pair --device \(sighting.address) --adapter \(sighting.adapter)")
    }
}

extension Sighting {
    /// `espurr-1234 (C4:11:22:33:44:55)`
    public var inWords: String { name.map { "\($0.printable) (\(address))" } ?? address.description }
}
