import Glibc

/// A file that is not there yet.
public struct NewFile: Hashable, Sendable {
    public var path: String
    public var bytes: [UInt8]

    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

/// Tells a file from another one that took its name.
struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t
}

/// Puts new files in their places: all of them or none, and none over a file that is there (`EEXIST`).
///
/// All are written and synced beside their places first, so a full disk is found before anything appears. They appear in
/// the order of the list; where one cannot, those before it are taken away again. Only a crash right then leaves the
/// first of them without the others: what vouches for the others goes last.
///
/// - Parameter permissions: of the finished files, before the process's umask.
public func publishTogether(_ files: [NewFile], permissions: UInt32 = 0o644) throws(DurableFileError) {
    let placed = try place(files[...], permissions)
    do throws(DurableFileError) {
        for folder in Set(files.map { parentFolder(of: $0.path) }) { try synchroniseFolder(folder) }
    } catch {
        takeAway(placed)
        throw error
    }
}

private struct PlacedFile {
    let path: String
    let identity: FileIdentity
}

/// The last one is written first and named last: when the first appears, all are on the disk.
private func place(_ files: ArraySlice<NewFile>, _ permissions: UInt32) throws(DurableFileError) -> [PlacedFile] {
    guard let last = files.last else { return [] }
    var file = try DurableFile(at: last.path, permissions: permissions)
    try file.write(last.bytes)
    try file.synchronise()
    let others = try place(files.dropLast(), permissions)
    do throws(DurableFileError) {
        return others + [PlacedFile(path: last.path, identity: try file.appear())]
    } catch {
        takeAway(others)
        throw error
    }
}

/// Removes what was placed, unless somebody put another file there since.
private func takeAway(_ files: [PlacedFile]) {
    for file in files {
        var status = stat()
        guard lstat(file.path, &status) == 0,
            FileIdentity(device: status.st_dev, inode: status.st_ino) == file.identity
        else { continue }
        unlink(file.path)
    }
}
