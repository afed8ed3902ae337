/// Property `device`.
public struct DeviceInformation: Hashable, Sendable {
    /// The board family of normal firmware, in recovery too.
    public var family: String
    public var chip: String
    public var firmwareVersion: String
    /// What the ears advertise.
    public var name: String
    public var hardwareRevision: String
    public var applicationProtocol: UInt32

    public init(
        family: String, chip: String, firmwareVersion: String, name: String, hardwareRevision: String,
        applicationProtocol: UInt32
    ) {
        self.family = family
        self.chip = chip
        self.firmwareVersion = firmwareVersion
        self.name = name
        self.hardwareRevision = hardwareRevision
        self.applicationProtocol = applicationProtocol
    }
}

/// Property `capabilities`: what these ears can do, by name.
public struct Capabilities: Hashable, Sendable {
    public var names: [String]
    public init(names: [String]) { self.names = names }
}

public enum ChangeStage: Hashable, Sendable {
    case none
    case pending
    case applied
    case saving
    case saved
    case saveFailed
    case unknown(UInt32)
}

public struct Change: Hashable, Sendable {
    public var id: UInt32
    /// The state's revision once the change was applied.
    public var revision: UInt32
    public var stage: ChangeStage
    /// Indices.
    public var properties: [UInt32]

    public init(id: UInt32, revision: UInt32, stage: ChangeStage, properties: [UInt32]) {
        self.id = id
        self.revision = revision
        self.stage = stage
        self.properties = properties
    }
}

public enum SettingRefusalReason: Hashable, Sendable {
    case none
    case staleRevision
    case outOfRange
    case readOnly
    case capabilityMissing
    case wrongMode
    case busy
    case nameEmpty
    case nameTooLong
    case nameTaken
    case nameNotAllowed
    case noSpace
    case notFound
    case sensorFailed
    case unknown(UInt32)
}

public struct SettingRefusal: Hashable, Sendable {
    public var changeID: UInt32
    /// Index of the first property that was refused.
    public var property: UInt32
    public var reason: SettingRefusalReason

    public init(changeID: UInt32, property: UInt32, reason: SettingRefusalReason) {
        self.changeID = changeID
        self.property = property
        self.reason = reason
    }
}

public struct Battery: Hashable, Sendable {
    public var percent: UInt32
    /// 0: not stated.
    public var percentNeededForUpdate: UInt32

    public init(percent: UInt32, percentNeededForUpdate: UInt32) {
        self.percent = percent
        self.percentNeededForUpdate = percentNeededForUpdate
    }
}

/// Property `state`. The revision grows by one with each change that is applied.
public struct EarsState: Hashable, Sendable {
    public var revision: UInt32
    public var lastChange: Change?
    public var lastRefusal: SettingRefusal?
    public var battery: Battery?

    public init(
        revision: UInt32, lastChange: Change? = nil, lastRefusal: SettingRefusal? = nil, battery: Battery? = nil
    ) {
        self.revision = revision
        self.lastChange = lastChange
        self.lastRefusal = lastRefusal
        self.battery = battery
    }
}

/// Property `change`: the first value of a set request that is to be confirmed.
public struct ChangeRequest: Hashable, Sendable {
    /// Not 0.
    public var id: UInt32
    public var basedOnRevision: UInt32

    public init(id: UInt32, basedOnRevision: UInt32) {
        self.id = id
        self.basedOnRevision = basedOnRevision
    }
}

public enum SettingKind: Hashable, Sendable {
    case boolean
    /// Both ends belong to the range; a step of 0 is 1.
    case integer(minimum: Int32, maximum: Int32, step: Int32)
    case enumeration(choices: [String])
    /// Lengths in bytes of UTF-8.
    case text(minimumBytes: UInt32, maximumBytes: UInt32)
    /// A message of `Protocol/espurr_settings.proto`, by name.
    case structured(message: String)
    /// An effect of the catalogue, whose value is ``EffectParameters``.
    case effect(parameters: [EffectParameter])
    /// The palette in force, whose value is a ``Palette``; names of saved ones in bytes of UTF-8.
    case palette(maximumStops: UInt32, maximumNameBytes: UInt32)
    /// A kind that this build does not know.
    case unknown
}

/// Property `<setting>.descriptor`: what the ears say a setting is.
public struct SettingDescriptor: Hashable, Sendable {
    /// The property's name.
    public var setting: String
    public var title: String
    public var unit: String
    /// Empty, or the capability without which the setting is refused.
    public var capability: String
    /// Ends at *applied*, is never saved.
    public var isTemporary: Bool
    /// Write only, and never to be shown, logged or given as an argument.
    public var isSecret: Bool
    public var kind: SettingKind

    public init(
        setting: String, title: String, unit: String = "", capability: String = "", isTemporary: Bool = false,
        isSecret: Bool = false, kind: SettingKind
    ) {
        self.setting = setting
        self.title = title
        self.unit = unit
        self.capability = capability
        self.isTemporary = isTemporary
        self.isSecret = isSecret
        self.kind = kind
    }
}
