internal import DBus

/// Why this machine is not kept awake.
public enum SleepInhibitionError: Error, Hashable, Sendable {
    /// There is no logind on the bus, or no bus.
    case absent
    /// By the policy of the bus or of polkit: the D-Bus error's name.
    case refused(name: String)
    case noAnswer(within: Duration)
    /// What it answered cannot be used.
    case failed(reason: String)
    case cancelled
}

/// Keeps this machine from suspending and hibernating, by systemd's logind
/// (<https://systemd.io/INHIBITOR_LOCKS/>, org.freedesktop.login1(5)).
///
/// The lock is of the kind that blocks: one that delays lasts 5 s as logind is configured by default, and an update takes
/// minutes. Nobody is asked for a password: where policy does not allow the lock by itself (over ssh as a rule), there is
/// none.
public struct SleepInhibitor: Sendable {
    private let address: BusAddress
    private let deadline: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - busAddress: a D-Bus address; nil is the system bus, or where `DBUS_SYSTEM_BUS_ADDRESS` points.
    ///   - deadline: of connecting, and of the call.
    public init(
        busAddress: String? = nil, deadline: Duration = .seconds(5), clock: any Clock<Duration> = ContinuousClock()
    ) {
        address = busAddress.map { .explicit($0) } ?? .system
        self.deadline = deadline
        self.clock = clock
    }

    /// Takes the lock, which lasts until it is released, or this process ends, however it ends.
    ///
    /// - Parameters:
    ///   - who: what takes it, for people: `systemd-inhibit --list` shows it.
    ///   - why: what for, for people.
    public func inhibit(who: String, why: String) async throws(SleepInhibitionError) -> SleepLock {
        do throws(DBusError) {
            // Of its own: the descriptor is what holds the lock, whatever becomes of the connection.
            let connection = try await BusConnection(to: address, deadline: deadline, clock: clock)
            let result: Result<[DBusValue], DBusError>
            do throws(DBusError) {
                result = .success(try await connection.call(Self.call(who, why), deadline: deadline))
            } catch {
                result = .failure(error)
            }
            await connection.close()
            guard case .fileDescriptor(let descriptor)? = try result.get().only else {
                throw .unexpectedReply(signature: "h")
            }
            return SleepLock(descriptor)
        } catch {
            throw SleepInhibitionError(error)
        }
    }

    /// The interface's `Inhibit(in s what, in s who, in s why, in s mode, out h pipe_fd)`.
    private static func call(_ who: String, _ why: String) -> MethodCall {
        MethodCall(
            "Inhibit", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
            to: "org.freedesktop.login1", [.string("sleep"), .string(who), .string(why), .string("block")])
    }
}

extension SleepInhibitionError {
    init(_ error: DBusError) {
        switch error {
        case .libraryUnusable, .connectionFailed, .disconnected: self = .absent
        case .connectionRefused: self = .refused(name: DBusErrorName.accessDenied)
        case .remote(DBusErrorName.serviceUnknown, _), .remote(DBusErrorName.nameHasNoOwner, _): self = .absent
        case .remote(let name, _) where Self.refusals.contains(name): self = .refused(name: name)
        case .remote(let name, let message): self = .failed(reason: "\(name): \(message)")
        case .deadline(let time): self = .noAnswer(within: time)
        case .cancelled: self = .cancelled
        case .invalidMessage, .unexpectedReply, .nameTaken, .pathTaken, .outOfMemory, .tooManyOpenFiles:
            self = .failed(reason: "\(error)")
        }
    }

    private static let refusals = [
        DBusErrorName.accessDenied, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
    ]
}
