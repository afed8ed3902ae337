public enum PaletteBlend: Hashable, Sendable {
    case smooth
    case bands
    case unknown(UInt32)
}

public struct PaletteStop: Hashable, Sendable {
    /// 0 to 255, ascending within a palette.
    public var position: UInt32
    /// 0xRRGGBB, as it was chosen: neither brightness nor gamma is in it.
    public var colour: UInt32
    /// Fields that this build does not know, as they came.
    public var unknownFields: [UInt8]

    public init(position: UInt32, colour: UInt32, unknownFields: [UInt8] = []) {
        self.position = position
        self.colour = colour
        self.unknownFields = unknownFields
    }
}

/// Property `palette`.
public struct Palette: Hashable, Sendable {
    public var stops: [PaletteStop]
    public var blend: PaletteBlend
    public var hueCycling: Bool
    /// Percent, 0 to 100.
    public var backgroundGlow: UInt32
    /// Fields that this build does not know, as they came.
    public var unknownFields: [UInt8]

    public init(
        stops: [PaletteStop], blend: PaletteBlend = .smooth, hueCycling: Bool = false, backgroundGlow: UInt32 = 0,
        unknownFields: [UInt8] = []
    ) {
        self.stops = stops
        self.blend = blend
        self.hueCycling = hueCycling
        self.backgroundGlow = backgroundGlow
        self.unknownFields = unknownFields
    }
}

/// Properties `palette.saved.<n>` and `palette.built-in.<n>`. An empty place has no name.
public struct NamedPalette: Hashable, Sendable {
    public var name: String
    public var palette: Palette?

    public init(name: String, palette: Palette?) {
        self.name = name
        self.palette = palette
    }
}

/// Property `palette.command`, within a change.
public enum PaletteCommand: Hashable, Sendable {
    /// Keeps a palette, the one in force where it is nil. A name that is taken is refused unless it is to be replaced.
    case save(name: String, replace: Bool, palette: Palette?)
    case rename(name: String, newName: String)
    case delete(name: String)
    /// A saved or built-in palette comes into force.
    case restore(name: String)
}
