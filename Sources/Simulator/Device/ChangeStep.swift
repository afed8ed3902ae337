import ControlProtocol

/// One of the things that a change does: a checked value, or a command.
enum ChangeStep: Hashable, Sendable {
    /// A setting by its position, as it is on the wire.
    case write(Int, [UInt8])
    case palette(PaletteCommand)
    case motion(MotionCommand)
    case storage(StorageCommand)

    /// Nil where the property is not to be set, or the bytes are no command.
    init?(_ value: [UInt8], to property: ControlProperty) {
        switch property {
        case .setting(let position): self = .write(position, value)
        case .paletteCommand:
            guard let command = try? PaletteCommand(decoding: value) else { return nil }
            self = .palette(command)
        case .motionCommand:
            guard let command = try? MotionCommand(decoding: value) else { return nil }
            self = .motion(command)
        case .storageCommand:
            guard let command = try? StorageCommand(decoding: value) else { return nil }
            self = .storage(command)
        case .device, .capabilities, .state, .change, .descriptor, .savedPalette, .builtInPalette, .motionState,
            .storageState, .passwordIsSet:
            return nil
        }
    }
}
