public import Bluetooth

/// What happened to a pair of ears during a scan.
public enum ScanEvent: Hashable, Sendable {
    /// BlueZ knows them; they were not heard in this scan.
    case known(Sighting)
    /// Heard for the first time, or again after they had gone.
    case appeared(Sighting)
    /// Signal strength or state is another.
    case changed(Sighting)
    /// Nothing was heard of them for ``SightingList/silence``.
    case gone(Sighting)

    public var sighting: Sighting {
        switch self {
        case .known(let sighting), .appeared(let sighting), .changed(let sighting), .gone(let sighting): sighting
        }
    }
}

/// Sightings by address, in the order of appearance, aged out after a silence: pure, told the time.
public struct SightingList: Sendable {
    /// Ears that are not heard for so long are gone. Connected ones do not advertise, so silence says nothing of them.
    public static let silence = Duration.seconds(10)

    private struct Entry {
        var sighting: Sighting
        /// Since the scan began; nil where they were not heard, or are gone.
        var heardAt: Duration?
        var isGone = false

        /// When they have to go, if nothing is heard of them until then.
        var silenceLimit: Duration? {
            sighting.isConnected ? nil : heardAt.map { $0 + SightingList.silence }
        }
    }

    private var entries: [Entry] = []

    public init() {}

    /// What is there now.
    public var present: [Sighting] { entries.filter { !$0.isGone }.map(\.sighting) }
    /// What was heard or known at any time of the scan.
    public var everSeen: [Sighting] { entries.map(\.sighting) }

    /// - Returns: nil where it says nothing new.
    public mutating func take(_ sighting: Sighting, at now: Duration) -> ScanEvent? {
        let heardAt = sighting.isHeard ? now : nil
        guard
            let place = entries.firstIndex(where: {
                $0.sighting.address == sighting.address && $0.sighting.adapter == sighting.adapter
            })
        else {
            entries.append(Entry(sighting: sighting, heardAt: heardAt))
            return sighting.isHeard ? .appeared(sighting) : .known(sighting)
        }
        let old = entries[place]
        entries[place] = Entry(
            sighting: sighting, heardAt: heardAt ?? old.heardAt, isGone: old.isGone && !sighting.isHeard)
        if sighting.isHeard, old.isGone || !old.sighting.isHeard { return .appeared(sighting) }
        return old.sighting == sighting || old.isGone ? nil : .changed(sighting)
    }

    /// Lets those go that were silent for too long; bonded ones stay as known.
    public mutating func age(at now: Duration) -> [ScanEvent] {
        var events: [ScanEvent] = []
        for place in entries.indices {
            guard let limit = entries[place].silenceLimit, limit <= now else { continue }
            entries[place].sighting.rssi = nil
            entries[place].heardAt = nil
            entries[place].isGone = !entries[place].sighting.isBonded
            events.append(.gone(entries[place].sighting))
        }
        return events
    }

    /// When the next entry may have to go; what is heard from now on is later still.
    public func nextAgeing(after now: Duration) -> Duration {
        entries.compactMap(\.silenceLimit).min() ?? now + Self.silence
    }
}

extension Sighting {
    /// In this scan, not only known from before.
    public var isHeard: Bool { rssi != nil }
}
