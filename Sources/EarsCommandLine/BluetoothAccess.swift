import CommandLineTools
import Glibc

/// Why the message bus may keep this user from BlueZ: what the machine's groups say about it.
///
/// Debian's policy lets root and the group `bluetooth` in, others the active session; BlueZ's own lets everybody in.
enum BluetoothAccess: Hashable, Sendable {
    /// There is no such group: a policy alone decides.
    case noGroup
    case notMember(user: String)
    /// The user is a member, and this process began before that.
    case memberSinceLogin
    case member

    static let group = "bluetooth"

    /// - Parameters:
    ///   - exists: whether the machine has the group.
    ///   - isListed: whether the machine's own list has the user in it.
    ///   - isInForce: whether the process has the group's rights, or root's.
    init(user: String, exists: Bool, isListed: Bool, isInForce: Bool) {
        if isInForce {
            self = .member
        } else if !exists {
            self = .noGroup
        } else {
            self = isListed ? .memberSinceLogin : .notMember(user: user)
        }
    }

    static var ofThisProcess: BluetoothAccess {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
        guard let entry = getgrnam(group) else {
            return BluetoothAccess(user: user, exists: false, isListed: false, isInForce: geteuid() == 0)
        }
        let identifier = entry.pointee.gr_gid
        var isListed = false
        var member = entry.pointee.gr_mem
        while let name = member?.pointee, !isListed {
            isListed = String(cString: name) == user
            member = member?.advanced(by: 1)
        }
        let isInForce = geteuid() == 0 || getegid() == identifier || currentGroups().contains(identifier)
        return BluetoothAccess(user: user, exists: true, isListed: isListed, isInForce: isInForce)
    }

    private static func currentGroups() -> [gid_t] {
        let count = getgroups(0, nil)
        guard count > 0 else { return [] }
        var groups = [gid_t](repeating: 0, count: Int(count))
        let filled = getgroups(count, &groups)
        return Array(groups.prefix(max(0, Int(filled))))
    }

    var remedy: String {
        switch self {
        case .notMember(let user):
            "sudo usermod -aG \(Self.group) \(user.printable), then log in again"
        case .memberSinceLogin: "log in again: this session is older than the membership in the group \(Self.group)"
        case .noGroup:
            "use this machine's own session, or allow it in a policy: /etc/dbus-1/system.d/\(Self.group).conf"
        case .member:
            "a policy forbids it to the group \(Self.group) too: /usr/share/dbus-1/system.d and /etc/dbus-1/system.d"
        }
    }
}
