public import Firmware

/// How far an attempt is known to have come. Each is written down before the step that follows it.
public enum Milestone: String, Codable, CaseIterable, Comparable, Sendable {
    /// Preflight passed; nothing was sent.
    case checked
    /// `begin` may have reached the ears.
    case begun
    /// Every byte was acknowledged; `finish` may have reached the ears, which then select by themselves.
    case sent
    /// A reading said that the new slot is selected.
    case selected
    /// `restart` may have reached the ears.
    case restarting
    /// A reading said that the new image runs.
    case booted

    public static func < (one: Milestone, other: Milestone) -> Bool { one.order < other.order }

    private var order: Int {
        switch self {
        case .checked: 0
        case .begun: 1
        case .sent: 2
        case .selected: 3
        case .restarting: 4
        case .booted: 5
        }
    }
}

/// Why nothing more was done.
public enum Ending: Hashable, Sendable {
    /// Everything was done, and the outcome watched.
    case watched
    case cancelled
    case refused(EarsRefusal)
    case lost(Verdict.Loss)
    /// The bytes of the image could not be had any more.
    case image(ImageFileError)
    case deadline(InstallationPhase)
    /// One look at an attempt that somebody else left half-way.
    case looked
    /// The ears called it selected, and their status says otherwise.
    case contradiction
}

/// Everything that a verdict rests on.
public struct Readings: Hashable, Sendable {
    public var target: UpdateTarget
    /// Read before `begin`.
    public var before: FirmwareReading
    public var milestone: Milestone
    /// The first reading in which the new slot was selected.
    public var selection: FirmwareReading?
    /// A reading in which the new image ran and was VALID, and how long before ``latest`` it was made.
    public var firstValid: FirstValid?
    /// Read after everything that happened; nil where the ears could not be read any more.
    public var latest: FirmwareReading?
    public var ending: Ending
    /// How long before ``latest``, at the least, `restart` had been sent; nil where that is not known.
    public var restartAge: Duration?

    public struct FirstValid: Hashable, Sendable {
        public var reading: FirmwareReading
        public var age: Duration

        public init(reading: FirmwareReading, age: Duration) {
            self.reading = reading
            self.age = age
        }
    }

    /// Two reads have to be at least this far apart to confirm.
    public static let confirmationGap: Duration = .seconds(5)
    /// How long ears that were told to restart may answer as before: only then is an unchanged boot count a reading of
    /// ears that were not restarted.
    public static let restartSettling: Duration = .seconds(5)

    public init(
        target: UpdateTarget, before: FirmwareReading, milestone: Milestone, selection: FirmwareReading? = nil,
        firstValid: FirstValid? = nil, latest: FirmwareReading?, ending: Ending,
        restartAge: Duration? = nil
    ) {
        self.target = target
        self.before = before
        self.milestone = milestone
        self.selection = selection
        self.firstValid = firstValid
        self.latest = latest
        self.ending = ending
        self.restartAge = restartAge
    }
}
