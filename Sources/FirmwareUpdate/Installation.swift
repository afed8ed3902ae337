internal import ControlProtocol
public import Bluetooth
public import Catalogue
public import Ears
public import Firmware
public import FoundationEssentials

/// Why an installation did not begin. Nothing was sent to the ears.
public enum InstallationError: Error, Equatable, Sendable {
    /// In the order in which they are worth mending; never empty.
    case preflight([PreflightRefusal])
    case ears(EarsError)
    /// The attempt could not be put on record, and without a record nothing is begun.
    case record(AttemptLogError)
}

/// How an installation ended, and what it is known by.
public struct InstallationResult: Sendable {
    public let verdict: Verdict
    public let readings: Readings
    public let attempt: Attempt
}

/// The whole way of one image onto one pair of ears: preflight, upload, *sent*, *accepted*, *selected*, restart,
/// *booted*, and the verdict.
///
/// Cancelling the task that runs it is the first Ctrl-C: the exchange in flight ends, the session is aborted on the
/// ears, they are read, and the verdict says what the reading earned. From *selected* on it undoes nothing.
public struct Installation: Sendable {
    /// What an installation takes from outside.
    public struct Surroundings: Sendable {
        public var central: any Central
        public var clock: any Clock<Duration>
        public var log: AttemptLog
        /// The time of day, for the record.
        public var now: @Sendable () -> Date
        public var random: @Sendable () -> UInt32
        /// Keeps this machine from sleeping until what it returns is called; where it cannot, that does nothing.
        public var keepAwake: @Sendable () async -> @Sendable () -> Void

        public init(
            central: any Central, clock: any Clock<Duration> = ContinuousClock(), log: AttemptLog,
            now: @escaping @Sendable () -> Date = { Date() },
            random: @escaping @Sendable () -> UInt32 = { UInt32.random(in: 0...UInt32.max) },
            keepAwake: @escaping @Sendable () async -> @Sendable () -> Void = { {} }
        ) {
            self.central = central
            self.clock = clock
            self.log = log
            self.now = now
            self.random = random
            self.keepAwake = keepAwake
        }
    }

    let image: SoundImage
    let release: Release?
    let session: EarsSession
    /// Held for as long as the installation lives: one command owns the ears.
    let lock: EarsLock
    let surroundings: Surroundings
    let deadlines: PhaseDeadlines
    let report: @Sendable (InstallationEvent) -> Void

    /// - Parameters:
    ///   - release: what the catalogue says of the image; nil for a local file.
    ///   - session: with the ears that `lock` is about.
    ///   - report: called from one task at a time, in the order of what happens.
    public init(
        of image: SoundImage, release: Release?, on session: EarsSession, holding lock: EarsLock,
        in surroundings: Surroundings, deadlines: PhaseDeadlines = PhaseDeadlines(),
        report: @escaping @Sendable (InstallationEvent) -> Void
    ) {
        self.image = image
        self.release = release
        self.session = session
        self.lock = lock
        self.surroundings = surroundings
        self.deadlines = deadlines
        self.report = report
    }

    /// - Throws: only before anything was sent. What happens from then on ends in a verdict.
    public func run() async throws(InstallationError) -> InstallationResult {
        let ears = try await readEars()
        let candidate = release.map { UpdateCandidate.release($0, image) } ?? .file(image)
        let refusals = Preflight.refusals(candidate, on: ears)
        guard refusals.isEmpty, let slot = ears.reading.inactive else { throw .preflight(refusals) }
        let attempt = try await putOnRecord(ears, slot: slot.index)
        let course = InstallationCourse(self, attempt: attempt, before: ears.reading)
        // From before the first byte is sent until the verdict.
        let mayFallAsleep = await surroundings.keepAwake()
        let result = await course.run()
        mayFallAsleep()
        await course.link.letGo()
        return result
    }

    private func readEars() async throws(InstallationError) -> EarsReport {
        do throws(EarsError) {
            return EarsReport(
                device: try await session.deviceInformation(), reading: try await session.updateReading())
        } catch { throw .ears(error) }
    }

    /// The new attempt on record, and each that it supersedes with what a last reading earned it.
    private func putOnRecord(_ ears: EarsReport, slot: UInt32) async throws(InstallationError) -> Attempt {
        do throws(AttemptLogError) {
            var older = try surroundings.log.allUnsettled(on: session.peripheral.address.description)
            for index in older.indices {
                let link = EarsLink(
                    session: session, central: surroundings.central,
                    pace: Pace(clock: surroundings.clock, deadlines: deadlines), report: { _ in })
                _ = await older[index].settle(
                    over: link, in: surroundings, waiting: false, deadlines: deadlines, report: { _ in })
            }
            let attempt = attempt(on: ears, slot: slot, sequence: try surroundings.log.nextSequence())
            try surroundings.log.write(attempt)
            for var old in older {
                old.supersededBy = attempt.id
                try surroundings.log.write(old)
            }
            return attempt
        } catch {
            throw .record(error)
        }
    }

    private func attempt(on ears: EarsReport, slot: UInt32, sequence: Int) -> Attempt {
        let start = surroundings.now()
        return Attempt(
            id: Attempt.newID(at: start, random: surroundings.random()), sequence: sequence, startedAt: start,
            device: session.peripheral.address, adapter: session.peripheral.adapter, family: ears.device.family,
            source: release == nil ? .file : .catalogue, fromVersion: ears.runningVersion ?? EarsMode.recovery.rawValue,
            size: image.size,
            target: UpdateTarget(
                slot: slot, imageDigest: image.imageDigest, fileSHA256: image.sha256, version: image.version),
            before: FirmwareReading(ears.reading))
    }
}
