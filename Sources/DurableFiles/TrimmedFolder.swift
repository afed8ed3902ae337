import Glibc

/// Makes a file count as used now, where that is allowed (`trimFolder`). Its time of change stays: somebody may be
/// reading it who goes by that.
public func markUsed(_ path: String) {
    let times = [timespec(tv_sec: 0, tv_nsec: now), timespec(tv_sec: 0, tv_nsec: unchanged)]
    utimensat(AT_FDCWD, path, times, 0)
}

/// `UTIME_NOW` and `UTIME_OMIT`, which are not imported (`bits/stat.h`).
private let now = (1 << 30) - 1
private let unchanged = (1 << 30) - 2

/// Removes regular files from a folder, those used longest ago first, until the rest is within both bounds.
///
/// A file was used when it was last modified, read or marked (``markUsed(_:)``). Several processes may do this at once. It does
/// what it can: a file that cannot be removed stays.
///
/// - Parameters:
///   - isCounted: by the name; other files are neither counted nor touched, nor are links, pipes and folders.
///   - keptName: stays, though it is counted.
public func trimFolder(
    _ folder: String, to maximumBytes: Int, files maximumFiles: Int, keeping keptName: String,
    isCounted: (String) -> Bool
) {
    let files = usedFiles(in: folder, isCounted: isCounted)
    var (bytes, count) = (files.reduce(0) { $0 + $1.bytes }, files.count)
    for file in files.sorted(by: { $0.used < $1.used }) where file.name != keptName {
        guard bytes > maximumBytes || count > maximumFiles else { return }
        guard unlink("\(folder)/\(file.name)") == 0 else { continue }
        (bytes, count) = (bytes - file.bytes, count - 1)
    }
}

private struct UsedFile {
    let name: String
    let bytes: Int
    /// Seconds and nanoseconds.
    let used: (Int, Int)
}

private func usedFiles(in folder: String, isCounted: (String) -> Bool) -> [UsedFile] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var files: [UsedFile] = []
    while let entry = readdir(listing) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        var status = stat()
        guard isCounted(name), lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            continue
        }
        let changed = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        let read = (status.st_atim.tv_sec, status.st_atim.tv_nsec)
        let used = changed < read ? read : changed
        files.append(UsedFile(name: name, bytes: Int(status.st_size), used: used))
    }
    return files
}
