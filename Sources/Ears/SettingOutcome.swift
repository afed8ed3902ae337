public import ControlProtocol

/// One value of a change: a text as it was typed, or a value.
public enum SettingInput: Hashable, Sendable {
    case text(String)
    case value(SettingValue)
    /// Bytes of a secret text; they are sent and kept nowhere.
    case secret([UInt8])
}

/// A change that was sent: what it takes to settle how it ended, from any later session with the same ears.
public struct PendingChange: Hashable, Sendable {
    public struct Item: Hashable, Sendable {
        public var setting: String
        public var wanted: SettingValue
        public var isSecret: Bool
        /// Its index.
        public var property: UInt32

        public init(setting: String, wanted: SettingValue, isSecret: Bool, property: UInt32) {
            self.setting = setting
            self.wanted = wanted
            self.isSecret = isSecret
            self.property = property
        }
    }

    /// Chosen by this side, at random.
    public var id: UInt32
    public var basedOnRevision: UInt32
    public var items: [Item]
    /// Every setting of it is temporary: it ends at *applied*.
    public var isTemporary: Bool

    public init(id: UInt32, basedOnRevision: UInt32, items: [Item], isTemporary: Bool) {
        self.id = id
        self.basedOnRevision = basedOnRevision
        self.items = items
        self.isTemporary = isTemporary
    }

    /// What a refusal is about; nil where it is a command, or the whole change.
    public func item(_ refusal: SettingRefusal) -> Item? { items.first { $0.property == refusal.property } }
}

/// What one setting reads after a change.
public struct SettingReading: Hashable, Sendable {
    public var setting: String
    public var wanted: SettingValue
    /// Nil where it cannot be read back: write only.
    public var read: SettingValue?
    /// Empty for none.
    public var unit: String

    public init(setting: String, wanted: SettingValue, read: SettingValue?, unit: String = "") {
        self.setting = setting
        self.wanted = wanted
        self.read = read
        self.unit = unit
    }

    /// Whether what was read back is what was asked for, as far as it can be read.
    public var isInForce: Bool { read.map { $0.fulfils(wanted) } ?? true }
}

/// How a change ended, as it was read back.
public enum SettingOutcome: Equatable, Sendable {
    case saved([SettingReading])
    /// Temporary settings end here.
    case appliedTemporary([SettingReading])
    /// In force, but lost with the next boot.
    case appliedNotSaved(NotSaved, [SettingReading])
    /// In force when it was last looked at; whether it is saved is not known, for nobody looked until it was: cancelled,
    /// or a lost link. A fresh read settles it, ``EarsSession/settle(_:)``. No readings: nothing could be read back.
    case appliedUnsettled(PendingChange, EarsError, [SettingReading])
    /// The ears refused it; nothing of it is in force. No refusal: they did not say why.
    case refused(SettingRefusal?, PendingChange)
    /// The ears say that it is done, and what they read back is something else.
    case differs([SettingReading])
    /// It never reached the ears: read since, on the revision that it was made on.
    case notApplied
    /// Not known until a fresh read settles it: ``EarsSession/settle(_:)``.
    case unknown(PendingChange, Unknown)

    public enum NotSaved: Equatable, Sendable {
        /// With what the storage was read to be since; nil where these ears do not report it, or it could not be read.
        case saveFailed(StorageHealth?)
        /// Still saving at the deadline.
        case deadline
    }

    public enum Unknown: Equatable, Sendable {
        /// The exchange or a later read was lost.
        case lost(EarsError)
        /// Still pending at the deadline.
        case stillPending
        /// Another change came after; the ears keep the stage of the last one only.
        case superseded([SettingReading])
    }
}

extension SettingOutcome {
    /// What kept it from being followed to its end; nil where nothing did.
    var interruption: EarsError? {
        switch self {
        case .unknown(_, .lost(let error)), .appliedUnsettled(_, let error, _): error
        default: nil
        }
    }

    /// The change whose end a new link may tell, where the old one is of no use any more.
    public var unsettled: PendingChange? {
        switch self {
        case .unknown(let change, .lost(let error)), .appliedUnsettled(let change, let error, _):
            error.endsSession ? change : nil
        default: nil
        }
    }
}

/// How long a change may take, and how often it is looked at.
public enum SettingDeadlines {
    /// Between the end of a look and the next one. A look takes two connection intervals of the radio itself, so this
    /// keeps the link no busier than it is; a person waits for what it adds.
    public static let pollInterval: Duration = .milliseconds(25)
    /// From the request to *saved*: flash is written when the ears are idle.
    public static let saved: Duration = .seconds(10)
}
