/// What an effect can be told, as its descriptor says.
public struct EffectParameter: Hashable, Sendable {
    public var name: String
    public var title: String
    public var unit: String
    /// Empty, or the capability without which it is refused.
    public var capability: String
    public var kind: ParameterKind

    public init(name: String, title: String, unit: String = "", capability: String = "", kind: ParameterKind) {
        self.name = name
        self.title = title
        self.unit = unit
        self.capability = capability
        self.kind = kind
    }
}

public enum ParameterKind: Hashable, Sendable {
    case boolean
    /// Both ends belong to the range; a step of 0 is 1.
    case integer(minimum: Int32, maximum: Int32, step: Int32)
    case enumeration(choices: [String])
    case colour
    /// A kind that this build does not know.
    case unknown
}

public enum ParameterValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int32)
    case choice(String)
    /// 0xRRGGBB.
    case colour(UInt32)
    /// None, or one of a type that this build does not know.
    case unknown
}

public struct EffectParameterValue: Hashable, Sendable {
    public var name: String
    public var value: ParameterValue
    /// Fields that this build does not know, as they came.
    public var unknownFields: [UInt8]

    public init(name: String, value: ParameterValue, unknownFields: [UInt8] = []) {
        self.name = name
        self.value = value
        self.unknownFields = unknownFields
    }
}

/// Property `effect.<name>`. Written: a parameter that is not in it keeps its value. Read: all of them.
public struct EffectParameters: Hashable, Sendable {
    public var values: [EffectParameterValue]
    /// Fields that this build does not know, as they came.
    public var unknownFields: [UInt8]

    public init(values: [EffectParameterValue], unknownFields: [UInt8] = []) {
        self.values = values
        self.unknownFields = unknownFields
    }

    /// The first of that name.
    public subscript(name: String) -> ParameterValue? { values.first { $0.name == name }?.value }
}
