extension [DBusValue] {
    /// The value, where there is exactly one.
    public var only: DBusValue? { count == 1 ? first : nil }
}

extension DBusValue {
    /// The signature of this value, by what it declares itself to be.
    ///
    /// - Throws: `invalidMessage` where a declared signature is none, or a structure is empty.
    public func signature() throws(DBusError) -> String { try DBusType(of: self, depth: 0).signature }

    /// The value inside of any number of variants.
    public var unwrapped: DBusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// `a{sv}`, the form in which properties and options travel.
    public static func properties(_ properties: [String: DBusValue]) -> DBusValue {
        let entries = properties.map { (DBusValue.string($0.key), DBusValue.variant($0.value)) }
        return .dictionary(key: "s", value: "v", Dictionary(uniqueKeysWithValues: entries))
    }

    /// An `a{sv}` without entries.
    public static let noProperties = DBusValue.properties([:])

    /// The entries of an `a{sv}` out of their variants; nil for any other value.
    public var properties: [String: DBusValue]? {
        guard case .dictionary(key: "s", value: "v", let entries) = self else { return nil }
        var properties: [String: DBusValue] = [:]
        for case (.string(let name), .variant(let value)) in entries { properties[name] = value }
        return properties
    }
}
