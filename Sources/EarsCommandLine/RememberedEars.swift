public import Bluetooth
import CommandLineTools
public import DurableFiles

/// The ears that were last asked for by `--device`, on this machine.
///
/// It is written before connecting, so that a failed attempt does not lose the choice. It decides only between several
/// bonded pairs where none is named.
public struct RememberedEars: Sendable {
    private let path: String
    private let folder: String

    /// - Parameter stateFolder: `$XDG_STATE_HOME/espurr`.
    public init(stateFolder: String) {
        folder = stateFolder
        path = stateFolder + "/device"
    }

    public var address: BluetoothAddress? {
        guard let bytes = try? ReadableFile.contents(of: path, limit: 64) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return lines.count == 1 ? BluetoothAddress(String(lines[0])) : nil
    }

    public func remember(_ address: BluetoothAddress) throws(DurableFileError) {
        guard self.address != address else { return }
        try makeFolder(folder)
        try DurableFile.replace(path, with: Array("\(address)\n".utf8))
    }
}
