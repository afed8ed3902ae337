public import Bluetooth
public import CommandLineTools
public import Ears
import Synchronization

/// A session with a pair of ears that this command owns.
public struct OwnedSession: Sendable {
    public let session: EarsSession
    public let sighting: Sighting
    /// Held as long as the value lives.
    public let lock: EarsLock

    /// Lets the ears go, whatever became of the task: BlueZ would keep the link of a process that has ended.
    ///
    /// A link that was up before this command stays up.
    public func close() async {
        guard !sighting.isConnected else { return }
        let session = session
        await Task { try? await session.disconnect() }.value
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
            return value
        } catch {
            await owned.close()
            throw CommandFailure(error)
        }
    }
}

/// Sightings by address, in the order of appearance: an entry is updated in its place.
final class SightingList: Sendable {
    private let list = Mutex<[Sighting]>([])

    var sightings: [Sighting] { list.withLock { $0 } }

    /// - Returns: all entries, and whether this one is new.
    func add(_ sighting: Sighting) -> (all: [Sighting], isNew: Bool) {
        list.withLock { list in
            let place = list.firstIndex { $0.address == sighting.address && $0.adapter == sighting.adapter }
            if let place { list[place] = sighting } else { list.append(sighting) }
            return (list, place == nil)
        }
    }
}
