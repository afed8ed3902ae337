import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `motion`: the motion sensors, their calibration, and the settings that need them.
struct Motion: Verb {
    static let usage = Usage(
        "motion", "show the motion sensors, their calibration and their settings", options: EarsOptions.options)

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try await EarsFinder(invocation).withSettings(options) { owned throws(CommandFailure) in
            let (motion, settings) = try await askingEars { () throws(EarsError) in
                (try await owned.session.motion(), try await owned.session.settings())
            }
            let switches = settings.filter(\.isMotionSwitch)
            invocation.show(motion.members(switches), motion.lines(switches))
        }
        return .done
    }
}

extension Setting {
    /// Effects that need the sensors are listed with the effects.
    fileprivate var isMotionSwitch: Bool {
        guard let descriptor, descriptor.capability == EarsSession.motionCapability else { return false }
        if case .effect = descriptor.kind { return false }
        return true
    }
}
