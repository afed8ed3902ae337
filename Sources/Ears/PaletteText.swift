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
    /// The words that a palette can be changed by, but for stops; one that ends in `=` wants a number behind it.
    public static var words: [String] {
        blends.map(\.word) + Attribute.allCases.flatMap { attribute in attribute.values.map { "\(attribute)=\($0)" } }
    }

    fileprivate static let blends: [(word: String, blend: PaletteBlend)] = [("smooth", .smooth), ("bands", .bands)]

    private enum Attribute: String, CaseIterable {
        case cycling
        case glow

        /// Those that can be listed; an empty one stands for a number.
        var values: [String] {
            switch self {
            case .cycling: Setting.switchWords
            case .glow: [""]
            }
        }
    }

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
        guard parts.count > 1 else {
            guard let blend = blends.first(where: { $0.word == word })?.blend else { throw .unknownWord(word) }
            return palette.blend = blend
        }
        let value = parts[1]
        switch Attribute(rawValue: parts[0]) {
        case .cycling:
            guard let isOn = Setting.boolean(value) else { throw .unknownWord(word) }
            palette.hueCycling = isOn
        case .glow:
            guard let percent = value.wholeNumber(unit: "%").flatMap(UInt32.init(exactly:)) else {
                throw .unknownWord(word)
            }
            palette.backgroundGlow = percent
        case nil: throw .unknownWord(word)
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
        return (stops + [blend.inWords, "cycling=\(hueCycling ? "on" : "off")", "glow=\(backgroundGlow)"])
            .joined(separator: " ")
    }
}

extension PaletteBlend {
    fileprivate var inWords: String {
        if case .unknown(let number) = self { return "blend-\(number)" }
        return PaletteText.blends.first { $0.blend == self }?.word ?? ""
    }
}
