import Glibc

/// A Unix socket that takes connections and never says a word.
final class HungSocket: Sendable {
    private let descriptor: Int32
    private static let backlog: Int32 = 128

    init(at path: String) throws(SimulationError) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .file(path: path, errno: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard bytes.count < place.count else { return false }
            place.copyBytes(from: bytes)
            return true
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isShort, result == 0, listen(descriptor, Self.backlog) == 0 else {
            let reason = isShort ? errno : ENAMETOOLONG
            close(descriptor)
            throw .file(path: path, errno: reason)
        }
    }

    deinit { close(descriptor) }
}
