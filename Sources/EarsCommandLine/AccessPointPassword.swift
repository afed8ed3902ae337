public import CommandLineTools
import ControlProtocol
public import Ears

/// The password of the ears' access point: read without being shown, sent over the bonded link after a protected read,
/// confirmed without being read back.
public struct AccessPointPassword: Sendable {
    public let source: SecretSource

    public static let options = [SecretSource.option]
    /// What is printed where it is done.
    public static let done = "the password is applied and saved"

    public init(_ arguments: ParsedArguments) throws(CommandFailure) { source = try SecretSource(arguments) }

    /// - Parameter owned: ears in either mode.
    public func set(
        on owned: OwnedSession, with finder: EarsFinder, _ options: EarsOptions, _ invocation: Invocation
    ) async throws(CommandFailure) -> SettingOutcome {
        ProcessMemory.protect()
        // This reading is the protected one: without the bond it fails, and nobody is asked for a password.
        let setting = try await askingEars { () throws(EarsError) in
            try await owned.session.setting(EarsSession.accessPointPassword)
        }
        if let capability = setting.missingCapability {
            throw CommandFailure(SettingError(setting: setting.name, reason: .capabilityMissing(capability)))
        }
        guard case .text(let minimum, let maximum) = setting.descriptor?.kind else {
            throw CommandFailure(SettingError(setting: setting.name, reason: .unknownKind))
        }
        let secret = try await source.read(
            "Password of the access point, \(minimum) to \(maximum) characters", maximumBytes: Int(maximum), invocation)
        return try await finder.settled(owned, options) { session throws(EarsError) in
            try await session.set([(setting.name, .secret(secret.withBytes { Array($0) }))])
        }
    }
}
