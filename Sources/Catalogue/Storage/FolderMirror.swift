import DurableFiles
import Glibc

/// A mirror in a folder of this machine, laid out like one on a web server: `metadata/…` and `targets/…`.
public struct FolderMirror: Mirror {
    public let folder: String

    public init(folder: String) {
        self.folder = folder
    }

    /// Reads a path, or a `file` URL of this machine (RFC 8089: `file:///…` or `file://localhost/…`).
    ///
    /// `nil` for an address of another scheme or host, with a broken escape, or with nothing in it. What begins as a scheme
    /// does is an address, and a broken one where no `//` follows (RFC 3986, section 4.2); `./` before it makes it a path.
    public init?(address: String) {
        guard !address.isEmpty else { return nil }
        guard let scheme = address.firstRange(of: "://") else {
            guard !Self.beginsWithScheme(address) else { return nil }
            self.init(folder: address)
            return
        }
        guard address[..<scheme.lowerBound].lowercased() == "file" else { return nil }
        let rest = address[scheme.upperBound...]
        let path = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard path.hasPrefix("/"), let decoded = Self.percentDecoded(Array(path.utf8)) else { return nil }
        self.init(folder: decoded)
    }

    private static func beginsWithScheme(_ address: String) -> Bool {
        guard let colon = address.firstIndex(of: ":"), let first = address.first else { return false }
        return first.isASCII && first.isLetter
            && address[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func percentDecoded(_ text: [UInt8]) -> String? {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let escaped = Hexadecimal.decode(Array(rest.prefix(2))), escaped.count == 1, escaped != [0] else {
                return nil
            }
            decoded += escaped
            rest = rest.dropFirst(2)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    public func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        // A role's name may hold what leads out of the folder.
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else { throw .notFound }
        var bytes: [UInt8] = []
        try read("\(folder)/metadata/\(name)", limit: limit) { piece in
            bytes.append(contentsOf: piece)
            return true
        }
        return bytes
    }

    public func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        let relative = path.map(\.string).joined(separator: "/")
        try read("\(folder)/targets/\(relative)", limit: limit, receive: receive)
    }

    private func read(
        _ path: String, limit: Int, receive: (UnsafeRawBufferPointer) -> Bool
    ) throws(MirrorError) {
        do {
            let file = try ReadableFile(path)
            var total = 0
            while true {
                guard !Task.isCancelled else { throw MirrorError.cancelled }
                let piece = try file.read(upTo: Self.pieceBytes)
                guard !piece.isEmpty else { return }
                total += piece.count
                guard total <= limit else { throw MirrorError.tooLarge(limit: limit) }
                guard piece.withUnsafeBytes(receive) else { throw MirrorError.stopped }
            }
        } catch let error as MirrorError {
            throw error
        } catch let error as DurableFileError {
            throw error.errno == ENOENT && hasMetadata ? .notFound : .folder(error)
        } catch {
            throw .folder(.failed(.read, path: path, errno: EIO))
        }
    }

    /// A folder that is not there (a stick that is not in) lacks every file, and none of that says anything of the
    /// catalogue: least of all that no newer root exists.
    public var hasMetadata: Bool { access("\(folder)/metadata", F_OK) == 0 }

    /// Without the stick there is what this machine holds.
    public var isAskedOffline: Bool { hasMetadata }

    /// Bytes read in one go.
    private static let pieceBytes = 64 * 1024
}
