import ControlProtocol

/// What the chip is at.
enum Activity: Sendable {
    case off
    /// In the boot loader, until the program starts.
    case starting(until: Duration, ResetReason)
    case running(Firmware)
    /// A program that does not come up: at that time the chip resets.
    case failing(until: Duration, ResetReason)
    /// Nothing that could be started, or a program that is no firmware of ears.
    case silent

    var isRunning: Bool { if case .running = self { true } else { false } }

    var nextDeadline: Duration? {
        switch self {
        case .off, .silent: nil
        case .starting(let until, _): until
        case .failing(let until, _): until
        case .running(let firmware): firmware.nextDeadline
        }
    }

    mutating func withFirmware(_ body: (inout Firmware) -> Void) {
        guard case .running(var firmware) = self else { return }
        body(&firmware)
        self = .running(firmware)
    }
}

/// The ears' firmware from its start to its end.
struct Firmware: Sendable {
    let ears: RunningEars
    var update: UpdateEndpoint
    var control: ControlEndpoint
    var audio: AudioEndpoint
    /// When the trial is passed.
    var confirmsAt: Duration?
    var panicsAt: Duration?
    var restartsAt: Duration?

    var nextDeadline: Duration? {
        [update.nextDeadline, control.nextDeadline, audio.nextDeadline, confirmsAt, panicsAt, restartsAt]
            .compactMap(\.self).min()
    }
}
