import Bluetooth
import DurableFiles
import Glibc
import Synchronization

/// The pairings that commands of this user have begun and not brought to an end: a file each, written before BlueZ is
/// asked to pair and removed once the bond is proved, or there is none.
///
/// A command that dies in between leaves its file behind, and with it perhaps a bond that nobody proved: one that BlueZ
/// made without comparing digits, say. BlueZ itself does not tell such a bond from a good one.
struct PairingRecords: Sendable {
    /// One pairing, by the identities of both sides.
    struct Record: Hashable, Sendable {
        var adapter: BluetoothAddress
        var device: BluetoothAddress

        init(adapter: BluetoothAddress, device: BluetoothAddress) {
            self.adapter = adapter
            self.device = device
        }

        fileprivate init?(fileName: String) {
            let parts = fileName.split(separator: "_", omittingEmptySubsequences: false)
            let addresses = parts.compactMap { BluetoothAddress(String($0).replacing("-", with: ":")) }
            guard parts.count == 2, addresses.count == 2 else { return nil }
            self.init(adapter: addresses[0], device: addresses[1])
        }

        fileprivate var fileName: String {
            [adapter, device].map { "\($0)".replacing(":", with: "-") }.joined(separator: "_")
        }
    }

    /// More are not looked at.
    private static let limit = 256

    private let folder: String

    /// - Parameter stateFolder: `$XDG_STATE_HOME/espurr`.
    init(stateFolder: String) { folder = stateFolder + "/pairings" }

    var all: [Record] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var records: [Record] = []
        while records.count < Self.limit, let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let record = Record(fileName: name) { records.append(record) }
        }
        return records.sorted { $0.fileName < $1.fileName }
    }

    /// Returns once the record survives a power cut.
    func begin(_ record: Record) throws(DurableFileError) {
        try makeFolder(folder, permissions: 0o700)
        try synchroniseFolder(parentFolder(of: folder))
        // Its name is all that it holds, so it is whole as soon as it is there: nothing has to be renamed, and a kill
        // leaves no half of it.
        let descriptor = open(path(of: record), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(.open, path: path(of: record), errno: errno) }
        close(descriptor)
        try synchroniseFolder(folder)
    }

    /// Returns once the record will not come back: with it the bond would be taken for unproved.
    func end(_ record: Record) throws(DurableFileError) {
        if unlink(path(of: record)) != 0, errno != ENOENT {
            throw .failed(.write, path: path(of: record), errno: errno)
        }
        try synchroniseFolder(folder)
    }

    private func path(of record: Record) -> String { folder + "/" + record.fileName }
}

/// The record of a pairing under way, which follows the ears to their identity address.
final class PairingUnderWay: Sendable {
    private let record: Mutex<PairingRecords.Record>
    private let records: PairingRecords

    init(_ record: PairingRecords.Record, in records: PairingRecords) {
        self.record = Mutex(record)
        self.records = records
    }

    var current: PairingRecords.Record { record.withLock { $0 } }

    /// Where the new record cannot be written the old one stays.
    func isWith(_ identity: BluetoothAddress) {
        record.withLock { record in
            guard record.device != identity else { return }
            let new = PairingRecords.Record(adapter: record.adapter, device: identity)
            guard (try? records.begin(new)) != nil else { return }
            try? records.end(record)
            record = new
        }
    }
}
