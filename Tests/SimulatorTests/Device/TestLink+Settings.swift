import ControlProtocol
import Testing

@testable import Simulator

extension TestLink {
    mutating func property(_ name: String) throws -> PropertyInfo {
        try #require(try properties().first { $0.name == name })
    }

    mutating func state() throws -> EarsState { try EarsState(decoding: property("state").value) }
    mutating func motion() throws -> MotionState { try MotionState(decoding: property("motion.state").value) }
    mutating func storage() throws -> StorageState { try StorageState(decoding: property("storage.state").value) }
    mutating func palette() throws -> Palette { try Palette(decoding: property("palette").value) }

    /// Names of the saved palettes, by place; nil where it is empty.
    mutating func savedNames() throws -> [String] {
        try properties().filter { $0.name.hasPrefix("palette.saved.") }.map {
            try NamedPalette(decoding: $0.value).name
        }
    }

    /// A change on the revision of now.
    ///
    /// - Returns: why it was refused; nil where it was taken.
    mutating func change(
        id: UInt32 = 77, _ values: [(name: String, bytes: [UInt8])]
    ) throws -> SettingRefusalReason? {
        let properties = try properties()
        let request = ChangeRequest(id: id, basedOnRevision: try state().revision)
        var sent = [PropertyValue(index: 3, value: request.encoded())]
        for value in values {
            let index = try #require(properties.firstIndex { $0.name == value.name })
            sent.append(PropertyValue(index: UInt32(index), value: value.bytes))
        }
        guard case .setPropertyValues(let status) = try control(.setPropertyValues(sent)) else { return nil }
        if status == .success { return nil }
        return try #require(try state().lastRefusal).reason
    }

    mutating func palette(_ command: PaletteCommand) throws -> SettingRefusalReason? {
        let reason = try change([("palette.command", command.encoded())])
        wait(.seconds(1))
        return reason
    }

    private mutating func properties() throws -> [PropertyInfo] {
        guard case .propertyCount(.success, let count) = try control(.propertyCount) else { return [] }
        return try (0..<count).flatMap { index -> [PropertyInfo] in
            guard case .propertyValues(.success, let found) = try control(.propertyValues(indices: [index])) else {
                return []
            }
            return found
        }
    }
}
