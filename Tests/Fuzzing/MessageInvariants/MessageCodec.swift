public import ControlProtocol

/// A message of `Protocol/*.proto` that stands by itself, and the type that reads and writes it.
public struct MessageCodec: Sendable, CustomStringConvertible {
    public let type: any WireMessage.Type
    /// Its full name in `Protocol/*.proto`.
    public let protoName: String

    public var name: String { String(describing: type) }
    public var description: String { name }

    private init(_ type: any WireMessage.Type, _ protoName: String) {
        self.type = type
        self.protoName = protoName
    }

    /// All of them. New ones come last: files of the fuzzer begin with a place in this list.
    ///
    /// A message that is in none of these and in no field of theirs fails a test (`Tests/ProtobufJudge`).
    public static let all: [MessageCodec] = [
        MessageCodec(LocalControlRequest.self, "espurr.local_ctrl.LocalCtrlMessage"),
        MessageCodec(LocalControlResponse.self, "espurr.local_ctrl.LocalCtrlMessage"),
        MessageCodec(SecurityZeroMessage.self, "espurr.session.SessionData"),
        MessageCodec(DeviceInformation.self, "espurr.settings.DeviceInformation"),
        MessageCodec(Capabilities.self, "espurr.settings.Capabilities"),
        MessageCodec(EarsState.self, "espurr.settings.EarsState"),
        MessageCodec(ChangeRequest.self, "espurr.settings.ChangeRequest"),
        MessageCodec(SettingDescriptor.self, "espurr.settings.SettingDescriptor"),
        MessageCodec(UpdateRequest.self, "espurr.update.UpdateRequest"),
        MessageCodec(UpdateReply.self, "espurr.update.UpdateReply"),
        MessageCodec(EffectParameters.self, "espurr.settings.EffectParameters"),
        MessageCodec(Palette.self, "espurr.settings.Palette"),
        MessageCodec(NamedPalette.self, "espurr.settings.NamedPalette"),
        MessageCodec(PaletteCommand.self, "espurr.settings.PaletteCommand"),
        MessageCodec(MotionState.self, "espurr.settings.MotionState"),
        MessageCodec(MotionCommand.self, "espurr.settings.MotionCommand"),
        MessageCodec(StorageState.self, "espurr.settings.StorageState"),
        MessageCodec(StorageCommand.self, "espurr.settings.StorageCommand"),
        MessageCodec(StreamChunk.self, "espurr.update.StreamChunk"),
        MessageCodec(StreamCredit.self, "espurr.update.StreamCredit"),
        MessageCodec(AudioRequest.self, "espurr.audio.AudioRequest"),
        MessageCodec(AudioReply.self, "espurr.audio.AudioReply"),
    ]
}
