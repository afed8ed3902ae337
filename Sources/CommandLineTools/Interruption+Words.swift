extension Interruption {
    /// That of the command whose task this is. What knows only that it was cancelled finds here which signal did it.
    @TaskLocal static var current: Interruption?
}

extension Interruption.Cause {
    /// What became of the command: `terminated`.
    public var word: String {
        switch self {
        case .interrupt: "cancelled"
        case .terminate: "terminated"
        case .hangUp: "hung up"
        }
    }

    var failure: CommandFailure { CommandFailure(status, code: word.replacing(" ", with: "_"), cause: word) }
}

extension CommandFailure {
    /// How a command ends whose task was cancelled: by the signal that came, in its word and with its status.
    public static var interrupted: CommandFailure { ofSignal ?? Interruption.Cause.interrupt.failure }

    /// Nil where none came.
    public static var ofSignal: CommandFailure? { Interruption.current?.cause?.failure }
}

extension ExitStatus {
    /// Whether a signal ended the command.
    public var isInterruption: Bool {
        switch self {
        case .cancelled, .terminated, .hungUp: true
        default: false
        }
    }
}
