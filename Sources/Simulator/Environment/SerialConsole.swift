import Glibc
import Synchronization

/// The serial consoles of the ears: a file each, which grows.
final class SerialConsole: Sendable {
    /// Bytes of one file; what comes after is not written.
    private static let limit = 16 << 20

    let paths: [String]
    private let files: Mutex<[File]>

    private struct File {
        let descriptor: Int32
        var size = 0
    }

    init(in folder: String, count: Int) throws(SimulationError) {
        paths = (1...count).map { folder + ($0 == 1 ? "/serial" : "/serial.\($0)") }
        var files: [File] = []
        for path in paths {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .file(path: path, errno: errno) }
            files.append(File(descriptor: descriptor))
        }
        self.files = Mutex(files)
    }

    deinit { files.withLock { for file in $0 { close(file.descriptor) } } }

    func write(_ line: String, of ears: Int) {
        let bytes = Array((line + "\n").utf8)
        files.withLock { files in
            guard files[ears].size + bytes.count <= Self.limit else { return }
            files[ears].size += bytes.count
            _ = Glibc.write(files[ears].descriptor, bytes, bytes.count)
        }
    }
}
