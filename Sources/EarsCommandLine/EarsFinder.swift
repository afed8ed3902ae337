public import Bluetooth
public import CommandLineTools
import DurableFiles
public import Ears

/// Finds the ears that a command is about, connects to them and opens a session.
public struct EarsFinder: Sendable {
    public let central: any Central
    public let directories: UserDirectories
    public let console: Console
    public let clock: any Clock<Duration>
    /// For remedies: `espurr-ota status`.
    public let command: String
    /// Registers what is done before a second signal ends the process.
    private let beforeLeaving: @Sendable (@escaping @Sendable () -> Void) -> Void

    public init(
        central: any Central, directories: UserDirectories, console: Console, clock: any Clock<Duration>,
        command: String, beforeLeaving: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) {
        self.central = central
        self.directories = directories
        self.console = console
        self.clock = clock
        self.command = command
        self.beforeLeaving = beforeLeaving
    }

    public init(_ invocation: Invocation) throws(CommandFailure) {
        let central = BlueZCentral(radio: RadioSwitches(invocation.environment))
        invocation.interruption.onFirst { central.giveUpOnSilentDaemon() }
        self.init(
            central: central,
            directories: try UserDirectories(environment: invocation.environment),
            console: invocation.console, clock: ContinuousClock(),
            command: "\(invocation.program) \(invocation.verb)",
            beforeLeaving: invocation.interruption.beforeLeaving)
    }

    /// The bonded ears that the options mean; nothing is connected yet.
    ///
    /// Where none fits, a scan within the time limit tells ears that are not paired (12) from none at all (11).
    ///
    /// - Parameter halfBonds: whether ears count that BlueZ calls paired and holds no key for.
    /// - Parameter remembers: whether the ears last asked for decide between several; not where a bond is removed.
    func find(
        _ options: EarsOptions, halfBonds: Bool = false, remembers: Bool = true
    ) async throws(CommandFailure) -> Sighting {
        let limit = TimeLimit(options.timeout, on: clock)
        return try await find(options, Eligibility(halfBonds: halfBonds, remembers: remembers), within: limit)
    }

    /// The ears whose bond, or half a bond, is to be removed. Nothing is scanned: only what BlueZ knows can be forgotten.
    public func findToForget(_ options: EarsOptions) async throws(CommandFailure) -> Sighting {
        let (adapters, _, known) = try await survey(options)
        let eligible = Eligibility(halfBonds: true, remembers: false)
        if let sighting = try choose(among: known, on: adapters, options, eligible) { return sighting }
        throw .nothingToForget(options.device, on: options.adapter, known: known)
    }

    /// A session with the ears that the options mean, owned by this command until it ends.
    ///
    /// The options' time limit bounds finding and connecting together. A terminal shows how long connecting may take.
    public func open(_ options: EarsOptions) async throws(CommandFailure) -> OwnedSession {
        let limit = TimeLimit(options.timeout, on: clock)
        let sighting = try await find(options, Eligibility(), within: limit)
        if console.messages.isTerminal {
            let name = sighting.name?.printable ?? sighting.address.description
            console.progress("connecting to \(name), at most \(limit.remainingInWords)…")
        }
        defer { console.endProgress() }
        return try await open(sighting, within: limit)
    }

    public func open(_ sighting: Sighting, within limit: TimeLimit) async throws(CommandFailure) -> OwnedSession {
        try await connect(to: sighting, holding: try own(sighting), within: limit)
    }

    /// A new session with ears that this command owns already, after a link that was lost.
    func reopen(_ owned: OwnedSession, within limit: TimeLimit) async throws(CommandFailure) -> OwnedSession {
        var sighting = owned.sighting
        // What was up when it was found has been let go since.
        if owned.mark.isOurs { sighting.isConnected = false }
        return try await connect(to: sighting, holding: owned.lock, within: limit)
    }

    private func connect(
        to sighting: Sighting, holding lock: EarsLock, within limit: TimeLimit
    ) async throws(CommandFailure) -> OwnedSession {
        console.detail("connecting to \(sighting.inWords)")
        let mark = LinkMark(of: sighting, in: directories.runtime)
        beforeLeaving(mark.beginLeaving)
        if mark.isLeft {
            console.detail("the command before this one left while it let the ears go: its link is ended first")
            // It may be gone by itself in any of the two.
            if let left = try? await link(to: sighting, within: limit) { try? await left.disconnect() }
        }
        mark.leave()
        let peripheral = try await link(to: sighting, within: limit)
        do throws(EarsError) {
            let session = try await EarsSession.open(
                on: peripheral, clock: clock, memory: SettingsMemory(cacheFolder: directories.cache))
            return OwnedSession(session: session, sighting: sighting, lock: lock, mark: mark)
        } catch {
            // BlueZ would keep the link of a process that has ended.
            if mark.isOurs {
                await mark.letGo { () throws(BluetoothError) in try await peripheral.disconnect() }
            }
            throw CommandFailure(error)
        }
    }

    private func link(to sighting: Sighting, within limit: TimeLimit) async throws(CommandFailure) -> any Peripheral {
        let time = limit.remaining
        guard time > .zero else { throw .notFound(.address(sighting.address), after: limit.whole) }
        return try await asking { () throws(BluetoothError) in
            try await central.connect(to: sighting.address, on: sighting.adapter, deadline: time)
        }
    }

    /// Which known ears count.
    private struct Eligibility {
        var halfBonds = false
        var remembers = true
    }

    private func find(
        _ options: EarsOptions, _ eligible: Eligibility, within limit: TimeLimit
    ) async throws(CommandFailure) -> Sighting {
        let (adapters, adapter, known) = try await survey(options)
        if let sighting = try choose(among: known, on: adapters, options, eligible) { return sighting }
        // What was mistyped is seen at once; ears of just that name may be there all the same.
        if let near = options.device?.suggestion(amongNamesOf: known.filter(\.isBonded)) {
            console.note("no paired ears go by “\(options.device?.description ?? "")”; \(near)")
        }
        return try await findUnknown(options, eligible, on: adapter, within: limit)
    }

    /// The adapters, the one of them to scan with, and the ears that BlueZ knows.
    private func survey(
        _ options: EarsOptions
    ) async throws(CommandFailure) -> (adapters: [Adapter], scanning: Adapter, known: [Sighting]) {
        let adapters = try await asking { () throws(BluetoothError) in try await central.adapters() }
        let scanning = try adapters.firstUsable(options.adapter)
        try await settleUnfinishedPairings(on: adapters)
        let known = try await asking { () throws(BluetoothError) in
            try await central.known(with: EarsSession.service, on: options.adapter)
        }
        return (adapters, scanning, known)
    }

    /// An adapter that is off holds bonds too, which are of no use while another one works.
    private func choose(
        among known: [Sighting], on adapters: [Adapter], _ options: EarsOptions, _ eligible: Eligibility
    ) throws(CommandFailure) -> Sighting? {
        let usable = known.filter { sighting in adapters.usable(sighting.adapter) != nil }
        if let sighting = try choose(among: usable, options, eligible) { return sighting }
        return try choose(among: known, options, eligible)
    }

    /// - Returns: nil where none fits.
    private func choose(
        among sightings: [Sighting], _ options: EarsOptions, _ eligible: Eligibility
    ) throws(CommandFailure) -> Sighting? {
        let remembered = eligible.remembers ? RememberedEars(stateFolder: directories.state).address : nil
        switch EarsChoice.bonded(
            sightings, named: options.device, remembered: remembered,
            halfBonds: eligible.halfBonds)
        {
        case .chosen(let sighting):
            if options.device != nil { remember(sighting) }
            console.detail("using \(sighting.inWords) on \(sighting.adapter)")
            return sighting
        case .several(let sightings): throw .several(sightings, verb: command)
        case .none: return nil
        }
    }

    /// BlueZ knows no bonded ears that fit: they are there and not paired, or they are not there.
    private func findUnknown(
        _ options: EarsOptions, _ eligible: Eligibility, on adapter: Adapter, within limit: TimeLimit
    ) async throws(CommandFailure) -> Sighting {
        console.note(
            "looking for \(options.device.map { "“\($0)”" } ?? "ears") on \(adapter.name), "
                + "at most \(limit.remainingInWords)…")
        noteOtherDiscovery(on: adapter)
        @Sendable func fits(_ sighting: Sighting) -> Bool {
            let isThere = sighting.isHeard || sighting.isConnected || sighting.isPaired
            return isThere && options.device?.matches(sighting) ?? true
        }
        let seen = try await look(on: adapter.name, for: limit.remaining) { $0.contains(where: fits) }
        if let sighting = try choose(among: seen, options, eligible) { return sighting }
        guard let sighting = seen.first(where: fits) else {
            throw .notFound(options.device, among: seen, after: limit.whole)
        }
        throw .notPaired(sighting)
    }

    /// A choice that cannot be kept is no reason to do nothing.
    func remember(_ sighting: Sighting) {
        do throws(DurableFileError) {
            try RememberedEars(stateFolder: directories.state).remember(sighting.address)
        } catch {
            console.note("the choice is not remembered: \(CommandFailure(writing: error).cause)")
        }
    }

    /// One command owns a pair of ears; another is told who holds them.
    public func own(_ sighting: Sighting) throws(CommandFailure) -> EarsLock {
        try directories.prepareRuntime()
        do throws(EarsLockError) {
            return try EarsLock(
                adapter: sighting.adapter, address: sighting.address, in: directories.runtime)
        } catch {
            throw CommandFailure(error, of: sighting)
        }
    }

    /// Removes this machine's bond.
    public func forget(_ sighting: Sighting) async throws(CommandFailure) {
        let lock = try own(sighting)
        defer { withExtendedLifetime(lock) {} }
        try await asking { () throws(BluetoothError) in
            try await central.removeBond(of: sighting.address, on: sighting.adapter)
        }
    }

    /// The adapter that was asked for, or the first that is powered. What a killed pairing left is mended first.
    public func usableAdapter(_ wanted: AdapterName?) async throws(CommandFailure) -> AdapterName {
        let adapters = try await asking { () throws(BluetoothError) in try await central.adapters() }
        let adapter = try adapters.firstUsable(wanted)
        try await settleUnfinishedPairings(on: adapters)
        return adapter.name
    }

    /// Bluetooth's error in words.
    public func asking<Value: Sendable>(
        _ operation: () async throws(BluetoothError) -> Value
    ) async throws(CommandFailure) -> Value {
        do { return try await operation() } catch { throw CommandFailure(error) }
    }
}
