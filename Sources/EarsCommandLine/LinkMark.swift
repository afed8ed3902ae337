import Bluetooth
import DurableFiles
import Glibc

/// A note, beside the ears' lock, that a command of ours made the link: one that finds it under the lock knows that the
/// link's maker died, and lets the ears go in its place.
struct LinkMark: Sendable {
    private let path: String
    /// Whether the link is ours to end.
    let isOurs: Bool

    /// - Parameter folder: the locks' folder; the ears' lock has to be held.
    init(of sighting: Sighting, in folder: String) {
        path =
            "\(folder)/\(sighting.adapter)-\(sighting.address.description.replacing(":", with: "-").lowercased()).link"
        isOurs = !sighting.isConnected || access(path, F_OK) == 0
    }

    /// Before connecting. Where it cannot be written, a killed command's link stays up: nothing worse.
    func leave() {
        guard isOurs else { return }
        try? DurableFile.replace(path, with: [], permissions: 0o600)
    }

    func remove() { unlink(path) }
}
