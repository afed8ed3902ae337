import DBus

/// The connection to BlueZ and its objects, kept current by its signals. Opened by the first call that needs it, and
/// again after BlueZ or the bus has gone.
///
/// It shares the thread of its connection, so that a call is sent from here, and its reply taken up, without a change of
/// threads.
actor BlueZObjects {
    nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
    nonisolated let clock: any Clock<Duration>
    nonisolated let limits: BlueZLimits
    let address: BusAddress

    var connection: BusConnection?
    var state = State.closed
    var tree: ObjectTree

    var followers: [Task<Void, Never>] = []
    var waiters: [UInt64: Waiter] = [:]
    var listeners: [UInt64: AsyncStream<ObjectTree.Change>.Continuation] = [:]
    var scans: [String: ScanTicket] = [:]
    var lastIdentifier: UInt64 = 0
    /// Whether the daemon is being asked if it still answers, and whether it did not: nothing is waited for then.
    var isWatched = false
    var hasGivenUp = false

    enum State {
        case closed
        case opening
        /// With the unique name of the daemon: a daemon that is started anew is another one.
        case open(daemon: String)
        case lost(BluetoothError)
    }

    /// Something that waits for the objects to be in some state.
    struct Waiter {
        /// Resumes it where it can be; true then.
        let check: (isolated BlueZObjects) -> Bool
        let cancel: () -> Void
    }

    init(address: BusAddress, limits: BlueZLimits, radio: RadioSwitches, clock: any Clock<Duration>) {
        tree = ObjectTree(radio: radio)
        self.address = address
        self.limits = limits
        self.clock = clock
    }

    deinit {
        for follower in followers { follower.cancel() }
    }

    nonisolated var busName: String { address.text }

    /// The daemon's unique name.
    var daemon: String? {
        if case .open(let daemon) = state { daemon } else { nil }
    }
}
