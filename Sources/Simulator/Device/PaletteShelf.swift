import ControlProtocol

/// The saved palettes of these ears, and what may be done with them.
struct PaletteShelf: Hashable, Sendable {
    /// By place; nil where it is empty.
    private(set) var saved: [NamedPalette?]

    static let places = 8
    static let maximumStops = 16
    static let maximumNameBytes = 24

    static let builtIn: [NamedPalette] = [
        named("Sunset", [(0, 0x2A_0845), (96, 0xC0_3A5B), (176, 0xFF_7E36), (255, 0xFF_E29A)]),
        named("Ocean", [(0, 0x00_1B44), (128, 0x00_7F9F), (255, 0xB8_FFF4)]),
        named("Forest", [(0, 0x0B_2E13), (140, 0x3F_8F3B), (255, 0xD7_F28B)]),
        named("Neon", [(0, 0xFF_00A0), (85, 0x00_E5FF), (170, 0xFF_F200)], .bands),
    ]

    private static func named(
        _ name: String, _ stops: [(UInt32, UInt32)], _ blend: PaletteBlend = .smooth
    ) -> NamedPalette {
        let stops = stops.map { PaletteStop(position: $0.0, colour: $0.1) }
        return NamedPalette(name: name, palette: Palette(stops: stops, blend: blend, backgroundGlow: 10))
    }

    init(_ memory: RetainedMemory) {
        saved = (0..<Self.places).map { place in
            memory.settings[Self.property(place)].flatMap { try? NamedPalette(decoding: $0) }
        }
    }

    static func property(_ place: Int) -> String { "palette.saved.\(place)" }

    func save(to memory: inout RetainedMemory) {
        for (place, palette) in saved.enumerated() { memory.settings[Self.property(place)] = palette?.encoded() }
    }

    /// Why a command cannot be carried out; nil where it can.
    func refusal(of command: PaletteCommand, isFull: Bool) -> SettingRefusalReason? {
        switch command {
        case .save(let name, let replace, let palette):
            if let reason = Self.refusal(ofName: name) { return reason }
            if let palette, !palette.isSound(maximumStops: Self.maximumStops) { return .outOfRange }
            guard place(of: name) == nil else { return replace ? nil : .nameTaken }
            return isFull || !saved.contains(nil) ? .noSpace : nil
        case .rename(let name, let newName):
            guard place(of: name) != nil else { return Self.isBuiltIn(name) ? .readOnly : .notFound }
            if let reason = Self.refusal(ofName: newName) { return reason }
            return newName != name && place(of: newName) != nil ? .nameTaken : nil
        case .delete(let name):
            guard place(of: name) == nil else { return nil }
            return Self.isBuiltIn(name) ? .readOnly : .notFound
        case .restore(let name): return palette(named: name) == nil ? .notFound : nil
        }
    }

    /// - Parameter current: the palette in force; a restored one takes its place.
    mutating func apply(_ command: PaletteCommand, current: inout [UInt8]) {
        switch command {
        case .save(let name, _, let palette):
            guard let place = place(of: name) ?? saved.firstIndex(of: nil) else { return }
            saved[place] = NamedPalette(name: name, palette: palette ?? (try? Palette(decoding: current)))
        case .rename(let name, let newName): if let place = place(of: name) { saved[place]?.name = newName }
        case .delete(let name): if let place = place(of: name) { saved[place] = nil }
        case .restore(let name): if let palette = palette(named: name) { current = palette.encoded() }
        }
    }

    private func place(of name: String) -> Int? { saved.firstIndex { $0?.name == name } }

    private func palette(named name: String) -> Palette? {
        (saved.compactMap(\.self) + Self.builtIn).first { $0.name == name }?.palette
    }

    private static func isBuiltIn(_ name: String) -> Bool { builtIn.contains { $0.name == name } }

    private static func refusal(ofName name: String) -> SettingRefusalReason? {
        if name.isEmpty { return .nameEmpty }
        if name.utf8.count > maximumNameBytes { return .nameTooLong }
        if name.steers || name.first == " " || name.last == " " { return .nameNotAllowed }
        return isBuiltIn(name) ? .nameTaken : nil
    }
}

extension Palette {
    func isSound(maximumStops: Int) -> Bool {
        let positions = stops.map(\.position)
        return (1...maximumStops).contains(stops.count) && zip(positions, positions.dropFirst()).allSatisfy(<)
            && stops.allSatisfy { $0.position <= 255 && $0.colour <= 0xFF_FFFF } && backgroundGlow <= 100
            && [.smooth, .bands].contains(blend)
    }
}
