public import ControlProtocol

/// The palettes of a pair of ears: the one in force, saved ones, built-in ones.
public struct Palettes: Equatable, Sendable {
    public var current: Palette
    public var saved: [NamedPalette]
    public var builtIn: [NamedPalette]
    /// Saved ones at most.
    public var places: Int
    public var maximumStops: Int
    /// Bytes of UTF-8.
    public var maximumNameBytes: Int

    public var all: [NamedPalette] { saved + builtIn }
    public func named(_ name: String) -> NamedPalette? { all.first { $0.name == name } }
    public func isSaved(_ name: String) -> Bool { saved.contains { $0.name == name } }
    public func isBuiltIn(_ name: String) -> Bool { builtIn.contains { $0.name == name } }

    /// The name under which a palette is kept; nil where it is not.
    public func name(of palette: Palette) -> String? { all.first { $0.palette == palette }?.name }

    /// What speaks against a name for a saved palette before the ears are asked; nil where nothing does.
    public func fault(ofName name: String) -> PaletteNameFault? {
        if name.isEmpty { return .empty }
        if name.utf8.count > maximumNameBytes { return .tooLong(maximumBytes: maximumNameBytes) }
        if name.steersTerminal || name.first == " " || name.last == " " { return .notAllowed }
        return isBuiltIn(name) ? .builtIn : nil
    }

    /// What speaks against a palette before the ears are asked; nil where nothing does.
    public func fault(of palette: Palette) -> PaletteFault? {
        do {
            try PaletteText.check(palette, maximumStops: maximumStops)
            return nil
        } catch {
            return error
        }
    }

    /// Whether the ears show what a command asked for.
    func show(_ command: PaletteCommand, restored: Palette?) -> Bool {
        switch command {
        case .save(let name, _, let palette): isSaved(name) && named(name)?.palette == palette ?? current
        case .rename(let name, let newName): isSaved(newName) && (name == newName || !isSaved(name))
        case .delete(let name): !isSaved(name)
        case .restore: current == restored
        }
    }
}

/// Why a name cannot be a saved palette's.
public enum PaletteNameFault: Error, Equatable, Sendable {
    case empty
    case tooLong(maximumBytes: Int)
    /// A space at its beginning or end, or a character that steers a terminal.
    case notAllowed
    /// The name of a built-in palette.
    case builtIn
}

extension EarsSession {
    /// Every palette, read afresh.
    ///
    /// - Throws: ``SettingError`` where these ears have no palettes, or not in this mode.
    public func palettes() async throws(EarsError) -> Palettes {
        let setting = try await setting(PropertyName.palette)
        guard case .palette(let current) = setting.value,
            case .palette(let maximumStops, let maximumNameBytes) = setting.descriptor?.kind
        else { throw .setting(setting.error(.unknownKind)) }
        let saved = try await namedPalettes(PropertyName.savedPalettes)
        let builtIn = try await namedPalettes(PropertyName.builtInPalettes)
        return Palettes(
            current: current, saved: saved.filter { !$0.name.isEmpty }, builtIn: builtIn, places: saved.count,
            maximumStops: Int(maximumStops), maximumNameBytes: Int(maximumNameBytes))
    }

    private func namedPalettes(_ prefix: String) async throws(EarsError) -> [NamedPalette] {
        var palettes: [NamedPalette] = []
        for property in try await properties(named: { $0.hasPrefix(prefix) }) {
            guard let palette = try? NamedPalette(decoding: property.value) else {
                throw .wire(.malformedProperty(property.name))
            }
            palettes.append(palette)
        }
        return palettes
    }

    private func palette(restoredBy command: PaletteCommand) async throws(EarsError) -> Palette? {
        guard case .restore(let name) = command else { return nil }
        return try await palettes().named(name)?.palette
    }

    /// Carries a palette's command out as a change, and reads the palettes back.
    public func perform(_ command: PaletteCommand) async throws(EarsError) -> SettingOutcome {
        let restored = try await palette(restoredBy: command)
        let change = try await change(.palette(command))
        let outcome = try await send(change)
        guard case .saved = outcome else { return outcome }
        return await readBack(outcome, of: change.pending) { session throws(EarsError) in
            try await session.palettes().show(command, restored: restored)
        }
    }
}
