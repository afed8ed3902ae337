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
        await Task { try? await session.disconnect() }.value
        mark.remove()
    }
}

extension EarsFinder {
    /// Opens a session, does one thing with it and lets the ears go.
    public func withSession<Value: Sendable>(
        _ options: EarsOptions, _ body: (OwnedSession) async throws(EarsError) -> Value
    ) async throws(CommandFailure) -> Value {
        let owned = try await open(options)
        do throws(EarsError) {
            let value = try await body(owned)
            await owned.close()
            // What the shells complete from; without it they complete less, and nothing else is lost.
            if let described = await owned.session.describedFirmware {
                SettingsMemory(cacheFolder: directories.cache).remember(described)
            }
            return value
        } catch {
            await owned.close()
            throw CommandFailure(error)
        }
    }
}
