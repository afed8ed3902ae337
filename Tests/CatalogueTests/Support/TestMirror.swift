import DurableFiles
import Synchronization

@testable import Catalogue

/// A mirror in memory that remembers what it was asked for.
final class TestMirror: Mirror {
    let isAskedOffline = false
    private let state = Mutex(State())

    private struct State {
        var files: [String: [UInt8]] = [:]
        var errors: [String: MirrorError] = [:]
        var requests: [String] = []
    }

    /// Since the last look.
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    func put(_ name: String, _ bytes: [UInt8]?) { state.withLock { $0.files[name] = bytes } }
    var allFiles: [String: [UInt8]] { state.withLock { $0.files } }
    func file(_ name: String) -> [UInt8] { state.withLock { $0.files[name] } ?? [] }
    func fail(_ name: String, _ error: MirrorError?) { state.withLock { $0.errors[name] = error } }

    func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] { try answer(name, limit) }

    func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        let bytes = try answer(path.map(\.string).joined(separator: "/"), limit)
        for piece in stride(from: 0, to: bytes.count, by: 1000) {
            guard bytes[piece..<min(piece + 1000, bytes.count)].withUnsafeBytes(receive) else { throw .stopped }
        }
    }

    private func answer(_ name: String, _ limit: Int) throws(MirrorError) -> [UInt8] {
        let (file, error) = state.withLock { state in
            state.requests.append(name)
            return (state.files[name], state.errors[name])
        }
        if let error { throw error }
        guard let file else { throw .notFound }
        guard file.count <= limit else { throw .tooLarge(limit: limit) }
        return file
    }
}

extension TestMirror {
    /// The files as a folder holds them: `metadata/` and `targets/`.
    func write(to folder: String) throws {
        for (name, bytes) in allFiles {
            let path = "\(folder)/\(name.hasSuffix(".json") ? "metadata" : "targets")/\(name)"
            try makeFolder(parentFolder(of: path))
            try DurableFile.replace(path, with: bytes)
        }
    }
}
