import Glibc

/// A process group as `/proc` shows it.
struct ProcessGroup {
    private let identifier: pid_t

    init(_ identifier: pid_t) { self.identifier = identifier }

    /// One that has ended and is not yet reaped does not count.
    var hasLivingMember: Bool {
        guard kill(-identifier, 0) == 0 else { return false }
        guard let folder = opendir("/proc") else { return true }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            if pid_t(entry.name) != nil, isLivingMember(entry.name) { return true }
        }
        return false
    }

    /// proc(5): after the name in parentheses come state, parent and group.
    private func isLivingMember(_ process: String) -> Bool {
        guard let stat = (try? Folder.read("/proc/\(process)/stat", limit: 4096)).flatMap({ $0 }) else { return false }
        let fields = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 2 && fields[2] == String(identifier) && fields[0] != "Z" && fields[0] != "X"
    }
}
