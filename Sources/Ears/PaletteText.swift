public import ControlProtocol

/// What is wrong with a palette, or with the words for one.
public enum PaletteFault: Error, Equatable, Sendable {
    case unknownWord(String)
    /// Stops with positions and stops without.
    case mixedStops
    case notAscending
    case positionTooLarge(UInt32)
    case noStops
    case tooManyStops(maximum: Int)
    case glow
    case colour
    /// Neither smooth nor bands: of a later time.
    case unknownBlend
}

/// A palette in words: stops as `POSITION:RRGGBB` (positions 0 to 255, ascending) or as `RRGGBB` alone, which are spread
/// evenly; `smooth` or `bands`; `cycling=on` or `off`; `glow=PERCENT`.
public enum PaletteText {
    /// - Parameter current: keeps what no word changes; stops that are named replace all of its stops.
    public static func palette(_ words: [String], over current: Palette) throws(PaletteFault) -> Palette {
        var palette = current
        var placed: [PaletteStop] = []
        var colours: [UInt32] = []
        for word in words {
            if let colour = Colour.number(word) {
                colours.append(colour)
            } else if let stop = try stop(word) {
                placed.append(stop)
            } else {
                try take(word, into: &palette)
            }
        }
        guard placed.isEmpty || colours.isEmpty else { throw .mixedStops }
        if !placed.isEmpty { palette.stops = placed }
        if !colours.isEmpty { palette.stops = spread(colours) }
        return palette
    }

    private static func stop(_ word: String) throws(PaletteFault) -> PaletteStop? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        guard let position = UInt32(parts[0]), let colour = Colour.number(parts[1]) else { throw .unknownWord(word) }
        return PaletteStop(position: position, colour: colour)
    }

    private static func take(_ word: String, into palette: inout Palette) throws(PaletteFault) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("smooth", nil): palette.blend = .smooth
        case ("bands", nil): palette.blend = .bands
        case ("cycling", let value?):
            guard let isOn = Setting.boolean(value) else { throw .unknownWord(word) }
            palette.hueCycling = isOn
        case ("glow", let value?):
            guard let percent = UInt32(value) else { throw .unknownWord(word) }
            palette.backgroundGlow = percent
        default: throw .unknownWord(word)
        }
    }

    private static func spread(_ colours: [UInt32]) -> [PaletteStop] {
        let last = max(1, colours.count - 1)
        return colours.enumerated().map { index, colour in
            PaletteStop(position: UInt32((255 * index + last / 2) / last), colour: colour)
        }
    }

    static func check(_ palette: Palette, maximumStops: Int) throws(PaletteFault) {
        guard !palette.stops.isEmpty else { throw .noStops }
        guard palette.stops.count <= maximumStops else { throw .tooManyStops(maximum: maximumStops) }
        if let far = palette.stops.first(where: { $0.position > 255 }) { throw .positionTooLarge(far.position) }
        let positions = palette.stops.map(\.position)
        guard zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .notAscending }
        guard palette.stops.allSatisfy({ $0.colour <= 0xFF_FFFF }) else { throw .colour }
        guard palette.backgroundGlow <= 100 else { throw .glow }
    }
}

extension Palette {
    /// As ``PaletteText`` reads it back.
    public var inWords: String {
        let stops = stops.map { "\($0.position):\(Colour.text($0.colour))" }
        let blend =
            switch blend {
            case .smooth: "smooth"
            case .bands: "bands"
            case .unknown(let number): "blend-\(number)"
            }
        return (stops + [blend, "cycling=\(hueCycling ? "on" : "off")", "glow=\(backgroundGlow)"])
            .joined(separator: " ")
    }
}
