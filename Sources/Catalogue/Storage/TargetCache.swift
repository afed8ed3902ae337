import Download
public import DurableFiles
import Glibc

/// Verified targets, each in a file of its own. A file is verified again whenever it is used.
public struct TargetCache: Sendable {
    public let folder: String
    private let naming: Naming
    private let limits: CatalogueLimits

    public enum Naming: Sendable {
        /// By the target's hash: releases stay side by side.
        case hash
        /// By the target's path, percent-encoded: a changed target takes the place of the one before it.
        case path
    }

    public init(folder: String, naming: Naming = .hash, limits: CatalogueLimits = CatalogueLimits()) {
        self.folder = folder
        self.naming = naming
        self.limits = limits
    }

    /// The target's file, open and verified, where the cache holds it; a damaged copy, or what is no plain file, is as good
    /// as none. It is what was verified as long as nobody writes to it.
    public func open(_ target: Target) throws(CatalogueError) -> ReadableFile? {
        let path = try path(of: target)
        do throws(DurableFileError) {
            let file = try ReadableFile(path)
            guard try target.isHeld(by: file) else { return nil }
            // Only where age decides what is removed (`makeRoom`): a file of the user's keeps its time.
            if case .hash = naming { markUsed(path) }
            return file
        } catch {
            guard [ENOENT, EINVAL, ELOOP].contains(error.errno) else { throw .localState(error) }
            return nil
        }
    }

    /// Removes the targets that were used longest ago until the rest is within `CatalogueLimits.cacheBytes` and
    /// `cacheFiles`; this one stays whatever its size. What lies in the folder beside targets is left alone, and so is
    /// one that cannot be removed: the next time may do it.
    func makeRoom(beside target: Target) {
        guard case .hash = naming, let used = try? name(of: target) else { return }
        trimFolder(folder, to: limits.cacheBytes, files: limits.cacheFiles, keeping: used) { name in
            [64, 128].contains(name.utf8.count) && name.utf8.allSatisfy(Hexadecimal.isLowerCaseDigit)
        }
    }

    /// Where the target's file is, or will be.
    func path(of target: Target) throws(CatalogueError) -> String {
        do {
            return "\(folder)/\(try name(of: target))"
        } catch {
            throw .untrusted(file: target.path.string, error)
        }
    }

    private func name(of target: Target) throws(Distrust) -> String {
        switch naming {
        case .hash: try target.hashes.nameHash().string
        case .path:
            PermittedURL.percentEncoded(
                Array(try target.segments().map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
        }
    }
}

extension Target {
    func check(limit: Int) throws(Distrust) -> FileCheck {
        guard length <= limit else { throw .tooLarge(limit: limit) }
        return try FileCheck(length: length, limit: limit, hashes: hashes)
    }

    /// Puts the target's file in another place, whose folder exists. Where anything about the file changed since it was
    /// opened, and then found to be the target's, what is written there is verified on its way.
    ///
    /// - Throws: a failure of reading with `ESTALE` where somebody has written to the file since.
    public func copy(_ file: borrowing ReadableFile, to path: String) throws(DurableFileError) {
        if try copyUntouched(file, to: path) { return }
        var copy = try DurableFile(at: path)
        let isHeld = try isHeld(by: file) { piece throws(DurableFileError) in try copy.write(piece) }
        guard isHeld else { throw .failed(.read, path: file.path, errno: ESTALE) }
        try copy.commit()
    }

    /// - Returns: whether it is done: nothing about the file changed until then.
    private func copyUntouched(_ file: borrowing ReadableFile, to path: String) throws(DurableFileError) -> Bool {
        guard try file.isUntouched() else { return false }
        var copy = try DurableFile(at: path)
        var offset = 0
        while offset < length {
            let piece = try file.bytes(at: offset, upTo: min(ReadableFile.pieceBytes, length - offset))
            guard !piece.isEmpty else { return false }
            try copy.write(piece)
            offset += piece.count
        }
        guard try file.isUntouched() else { return false }
        try copy.commit()
        return true
    }

    /// Whether a file has the target's length and hashes.
    ///
    /// - Parameter take: is given every piece.
    fileprivate func isHeld(
        by file: borrowing ReadableFile, _ take: ([UInt8]) throws(DurableFileError) -> Void = { _ in }
    ) throws(DurableFileError) -> Bool {
        var check: FileCheck
        do { check = try self.check(limit: length) } catch { return false }
        var offset = 0
        while true {
            let piece = try file.bytes(at: offset, upTo: ReadableFile.pieceBytes)
            if piece.isEmpty { break }
            guard piece.withUnsafeBytes({ check.update($0) }) else { return false }
            try take(piece)
            offset += piece.count
        }
        do { try check.finish() } catch { return false }
        return true
    }

    /// The segments of the path, which lead down from the folder they are put below: none is empty, `.` or `..`.
    func segments() throws(Distrust) -> [UTF8Text] {
        let segments = path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Array($0)
        }
        let isSafe = segments.allSatisfy { segment in
            !segment.isEmpty && !segment.contains(0) && segment != Array(".".utf8) && segment != Array("..".utf8)
        }
        guard isSafe else { throw .unsafePath }
        return segments.map { UTF8Text(validated: $0) }
    }

    /// Specification 5.7.3 and 6.2: the name as it is served, with the hash before it where the root says so.
    func servedPath(consistentSnapshot: Bool) throws(Distrust) -> [UTF8Text] {
        var segments = try segments()
        guard consistentSnapshot, let name = segments.popLast() else { return segments }
        return segments + [UTF8Text("\(try hashes.nameHash()).\(name)")]
    }
}
