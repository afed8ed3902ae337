/// How a device is connected, as `bluetoothd` sees it.
enum DeviceLink: Hashable, Sendable {
    case down
    /// Trying to reach it since that time.
    case opening(since: Duration)
    case up
    /// `Disconnect` was called: up until its timer ends.
    case closing

    var isUp: Bool { self == .up || self == .closing }

    var isOpening: Bool {
        if case .opening = self { true } else { false }
    }
}

/// A method call that is answered later.
struct CallID: Hashable, Sendable {
    let number: UInt64
}

/// A read or write that one or more clients wait for.
struct AttributeOperation: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case read(offset: Int)
        case write([UInt8])
    }

    let kind: Kind
    /// Of the characteristic or descriptor.
    let path: String
    let interface: String
    let handle: UInt16
    /// A second read of the same value waits for the first one's answer.
    var calls: [CallID]
    /// It was refused for want of a bond, and waits for the pairing.
    var awaitsPairing = false
}

/// A pairing under way.
struct PairingUnderWay: Hashable, Sendable {
    enum Origin: Hashable, Sendable {
        case call(CallID, client: String)
        /// A protected value was touched without a bond: BlueZ pairs by itself.
        case protectedAccess
    }

    let origin: Origin
    let agent: Agent?
    /// The question that the agent has not answered yet.
    var question: AgentRequestID?
    /// The key came, and only the agent's answer is missing.
    var hasBegun = false
}

/// One device on one adapter.
struct DeviceState: Hashable, Sendable {
    let path: String
    let adapter: Int
    let peripheral: Int
    var link = DeviceLink.down
    /// Of the bond, where there is one.
    var key: [UInt8]?
    var connectCall: CallID?
    var disconnectCalls: [CallID] = []
    /// `RemoveDevice` while it was connected.
    var removeCalls: [CallID] = []
    var pairing: PairingUnderWay?
    /// The first is under way, the others wait for it.
    var operations: [AttributeOperation] = []
    /// Stale bonds fail with one text and the other by turns.
    var staleConnects = 0
    var isStale = false
    /// The services that are remembered are not those that it has.
    var hasStaleCache = false

    var isBonded: Bool { key != nil }
}
