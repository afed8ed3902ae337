public import Bluetooth
public import CommandLineTools
public import Ears

/// A session with a pair of ears that this command owns.
public struct OwnedSession: Sendable {
    public let session: EarsSession
    public let sighting: Sighting
    /// Held as long as the value lives.
    public let lock: EarsLock
    let mark: LinkMark

    /// Lets the ears go, whatever became of the task: BlueZ would keep the link of a process that has ended.
    ///
    /// A link that was up before this command stays up, unless a command of ours made it and died.
    public func close() async {
        defer { withExtendedLifetime(lock) {} }
        guard mark.isOurs else { return }
        let session = session
        await mark.letGo { () throws(EarsError) in try await session.disconnect() }
    }
}

extension EarsFinder {
    /// Opens a session, does one thing with it and lets the ears go.
    public func withSession<Value: Sendable>(
        _ options: EarsOptions, _ body: (OwnedSession) async throws(EarsError) -> Value
    ) async throws(CommandFailure) -> Value {
        try await withOwned(options) { owned throws(CommandFailure) in
            do throws(EarsError) { return try await body(owned) } catch { throw CommandFailure(error) }
        }
    }

    /// The same, for what has more to say than the ears' own errors.
    public func withOwned<Value: Sendable>(
        _ options: EarsOptions, _ body: (OwnedSession) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let owned = try await open(options)
        do throws(CommandFailure) {
            let value = try await body(owned)
            await owned.close()
            return value
        } catch {
            await owned.close()
            throw error
        }
    }

    /// The same with ears in normal mode: in recovery there are no settings.
    ///
    /// - Parameter inRecovery: what is to be done there instead.
    public func withSettings<Value: Sendable>(
        _ options: EarsOptions, inRecovery: String = CommandFailure.recover,
        _ body: (OwnedSession) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        try await withOwned(options) { owned throws(CommandFailure) in
            guard owned.session.mode == .normal else { throw .recoveryMode(inRecovery) }
            return try await body(owned)
        }
    }

    /// The same with ears in recovery mode.
    ///
    /// - Parameter elsewhere: what is to be done in normal mode instead.
    public func withRecovery<Value: Sendable>(
        _ options: EarsOptions, elsewhere: String, _ body: (OwnedSession) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        try await withOwned(options) { owned throws(CommandFailure) in
            guard owned.session.mode == .recovery else {
                throw CommandFailure(
                    .noSuchSetting, code: "wrong_mode", cause: "these ears are in normal mode, not in recovery mode",
                    remedy: elsewhere)
            }
            return try await body(owned)
        }
    }
}

extension CommandFailure {
    static func recoveryMode(_ remedy: String) -> CommandFailure {
        CommandFailure(
            .noSuchSetting, code: "wrong_mode",
            cause: "these ears are in recovery mode, which is there for updates and has no settings", remedy: remedy)
    }

    /// What to do with ears in recovery mode.
    public static let recover = "espurr-ota recover shows what can be done; espurr-ota install updates them"
}

/// What the ears do, with their error in words.
public func askingEars<Value: Sendable>(
    _ operation: () async throws(EarsError) -> Value
) async throws(CommandFailure) -> Value {
    do throws(EarsError) { return try await operation() } catch { throw CommandFailure(error) }
}
