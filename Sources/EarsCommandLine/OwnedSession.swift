public import Bluetooth
public import Ears
import Glibc
import Synchronization

/// A session with a pair of ears that this command owns.
public struct OwnedSession: Sendable {
    public let session: EarsSession
    public let sighting: Sighting
    /// Held as long as the value lives.
    public let lock: EarsLock
}

var processID: Int32 { getpid() }

/// Sightings by address, in the order of appearance: an entry is updated in its place.
final class SightingList: Sendable {
    private let list = Mutex<[Sighting]>([])

    var sightings: [Sighting] { list.withLock { $0 } }

    func add(_ sighting: Sighting) -> [Sighting] {
        list.withLock { list in
            if let index = list.firstIndex(where: { $0.address == sighting.address && $0.adapter == sighting.adapter })
            {
                list[index] = sighting
            } else {
                list.append(sighting)
            }
            return list
        }
    }
}
