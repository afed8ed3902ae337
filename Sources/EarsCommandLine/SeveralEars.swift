public import Bluetooth
public import CommandLineTools
import Ears

/// Which pairs of ears a command takes, where it takes several.
public struct SeveralEars: Hashable, Sendable {
    public enum Selection: Hashable, Sendable {
        /// Every pair that is bonded over one of the adapters.
        case all
        case named([EarsName])
    }

    public var selection: Selection
    /// Empty: every adapter that can be used.
    public var adapters: [AdapterName]

    public init(_ selection: Selection, adapters: [AdapterName]) {
        self.selection = selection
        self.adapters = adapters
    }

    /// One pair of them.
    public struct Pair: Hashable, Sendable {
        /// The identity address; what was asked for where no bond is known.
        public var name: EarsName
        /// One for each adapter that has a bond with it; empty where none has.
        public var sightings: [Sighting]

        public init(_ name: EarsName, _ sightings: [Sighting]) {
            self.name = name
            self.sightings = sightings
        }

        /// For people: `espurr-1234 (C4:11:22:33:44:55)`
        public var label: String { sightings.first?.inWords ?? name.description }
    }

    /// Sorts bonded ears into pairs: pure.
    ///
    /// - Parameter bonded: on the adapters that count.
    /// - Returns: `all` in the order of their addresses, `named` in the order in which they were asked for; each once.
    /// - Throws: ``ExitStatus/usage`` where one name fits several pairs.
    func pairs(among bonded: [Sighting], command: String) throws(CommandFailure) -> [Pair] {
        switch selection {
        case .all:
            let byAddress = Dictionary(grouping: bonded, by: \.address)
            return byAddress.map { Pair(.address($0.key), $0.value) }.sorted {
                $0.name.description < $1.name.description
            }
        case .named(let names):
            var pairs: [Pair] = []
            for name in names {
                let fitting = bonded.filter(name.matches)
                guard Set(fitting.map(\.address)).count <= 1 else { throw .several(fitting, verb: command) }
                let pair = Pair(fitting.first.map { .address($0.address) } ?? name, fitting)
                if !pairs.contains(where: { $0.name == pair.name }) { pairs.append(pair) }
            }
            return pairs
        }
    }
}

extension EarsFinder {
    /// The pairs that are meant, and the adapters to reach them over; nothing is connected yet, and nothing scanned.
    ///
    /// - Throws: where an adapter that was asked for cannot be used, or none can; where nothing is bonded and all were
    ///   asked for.
    public func find(
        _ several: SeveralEars
    ) async throws(CommandFailure) -> (pairs: [SeveralEars.Pair], adapters: [AdapterName]) {
        let present = try await asking { () throws(BluetoothError) in try await central.adapters() }
        let adapters = try present.usable(several.adapters)
        try await settleUnfinishedPairings(on: present)
        let known = try await asking { () throws(BluetoothError) in
            try await central.known(with: EarsSession.service, on: nil)
        }
        let bonded = known.filter { $0.isBonded && adapters.contains($0.adapter) }
        let pairs = try several.pairs(among: bonded, command: command)
        guard !pairs.isEmpty else { throw .nothingBonded(adapters) }
        return (pairs, adapters)
    }

    /// A session with one of several pairs, over one adapter, within a time of its own.
    public func open(
        _ pair: SeveralEars.Pair, on adapter: AdapterName, within time: Duration
    ) async throws(CommandFailure) -> OwnedSession {
        guard let sighting = pair.sightings.first(where: { $0.adapter == adapter }) else {
            let limit = TimeLimit(time, on: clock)
            let sighting = try await find(EarsOptions(device: pair.name, adapter: adapter, timeout: time))
            return try await open(sighting, within: limit)
        }
        return try await open(sighting, within: TimeLimit(time, on: clock))
    }
}

extension Array<Adapter> {
    /// Each that was asked for, or all that can be used where none was.
    fileprivate func usable(_ wanted: [AdapterName]) throws(CommandFailure) -> [AdapterName] {
        var names: [AdapterName] = []
        for name in wanted where !names.contains(name) { names.append(try firstUsable(name).name) }
        guard wanted.isEmpty else { return names }
        let usable = filter { $0.obstacle == nil }.map(\.name)
        return usable.isEmpty ? [try firstUsable(nil).name] : usable
    }
}

extension CommandFailure {
    fileprivate static func nothingBonded(_ adapters: [AdapterName]) -> CommandFailure {
        CommandFailure(
            .earsNotFound, code: "no_bonded_ears",
            cause: "no ears are paired over \(adapters.map(\.description).joined(separator: ", "))",
            remedy: "espurr-ctl pair --adapter \(adapters.first?.description ?? "hciN")")
    }
}
