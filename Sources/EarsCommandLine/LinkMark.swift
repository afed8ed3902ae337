import Bluetooth
import DurableFiles
import Glibc

/// A note, beside the ears' lock, that a command of ours made the link: one that finds it under the lock knows that the
/// link's maker died, and lets the ears go in its place.
struct LinkMark: Sendable {
    private let path: String
    /// The note's name from when its command begins to let the ears go: BlueZ may be at that still when the command is gone.
    private var leavingPath: String { path + ".leaving" }
    /// Whether the link is ours to end.
    let isOurs: Bool
    /// Whether the link that is up may be about to end, because its maker left while it let the ears go.
    let isLeft: Bool

    /// - Parameter folder: the locks' folder; the ears' lock has to be held.
    init(of sighting: Sighting, in folder: String) {
        path =
            "\(folder)/\(sighting.adapter)-\(sighting.address.description.replacing(":", with: "-").lowercased()).link"
        let wasLeft = access(path + ".leaving", F_OK) == 0
        isOurs = !sighting.isConnected || wasLeft || access(path, F_OK) == 0
        isLeft = sighting.isConnected && wasLeft
    }

    /// Before connecting. Where it cannot be written, a killed command's link stays up: nothing worse.
    func leave() {
        guard isOurs else { return }
        try? DurableFile.replace(path, with: [], permissions: 0o600)
        unlink(leavingPath)
    }

    /// Before the link is ended. Where there is no note, there is nothing to do.
    func beginLeaving() { rename(path, leavingPath) }

    /// Ends the link, whatever became of the task. The note of one that was not seen to end stays for the next command.
    func letGo<Failure: Error>(_ disconnect: @escaping @Sendable () async throws(Failure) -> Void) async {
        beginLeaving()
        let hasEnded = await Task {
            do throws(Failure) { try await disconnect() } catch { return false }
            return true
        }.value
        if hasEnded { remove() }
    }

    func remove() {
        unlink(path)
        unlink(leavingPath)
    }
}
