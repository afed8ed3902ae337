/// A property of the control endpoint; its index is its place in the table.
enum ControlProperty: Hashable, Sendable {
    case device
    case capabilities
    case state
    case change
    /// By the setting's position.
    case setting(Int)
    case descriptor(Int)
    /// By the place's number, from 0.
    case savedPalette(Int)
    case builtInPalette(Int)
    case paletteCommand
    case motionState
    case motionCommand
    case storageState
    case storageCommand
    /// In recovery alone.
    case passwordIsSet

    private static let own: [ControlProperty] = [.device, .capabilities, .state, .change]
    private static let storage: [ControlProperty] = [.storageState, .storageCommand]

    /// The protocol's own, each setting with its descriptor behind it, and the rest; in recovery what is needed there.
    static func table(_ mode: EarsConfiguration.Mode, _ definitions: [SettingDefinition]) -> [ControlProperty] {
        let isThere = { (definition: SettingDefinition) in mode == .normal || definition.isInRecovery }
        let settings = definitions.indices.filter { isThere(definitions[$0]) }.flatMap { position in
            [ControlProperty.setting(position), .descriptor(position)]
        }
        guard mode == .normal else { return own + settings + storage + [.passwordIsSet] }
        return own + settings + PaletteShelf.builtIn.indices.map(builtInPalette)
            + (0..<PaletteShelf.places).map(savedPalette) + [.paletteCommand, .motionState, .motionCommand] + storage
    }
}
