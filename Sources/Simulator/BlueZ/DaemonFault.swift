/// What can be made to go wrong on this machine's side of Bluetooth.
public enum DaemonFault: String, CaseIterable, Hashable, Sendable {
    case noBus = "no-bus"
    case noDaemon = "no-daemon"
    case hungDaemon = "hung-daemon"
    case activatableDaemon = "activatable-daemon"
    case accessDenied = "access-denied"
    case noAdapter = "no-adapter"
    case adapterOff = "adapter-off"
    case adapterBlocked = "adapter-blocked"
    case wrongPasskey = "wrong-passkey"
    case pairRefused = "pair-refused"
    case pairTimeout = "pair-timeout"
    case silentRead = "silent-read"
    case silentWrite = "silent-write"
    case absent = "absent"
    case alreadyConnected = "already-connected"
    case slowLink = "slow-link"

    /// One line for a list, lower case, no full stop.
    public var summary: String {
        switch self {
        case .noBus: "there is no message bus at the system bus address"
        case .noDaemon: "nobody owns org.bluez"
        case .hungDaemon: "org.bluez has an owner that never answers"
        case .activatableDaemon: "org.bluez can be activated, and never appears"
        case .accessDenied: "the bus lets nobody call org.bluez"
        case .noAdapter: "bluetoothd runs and finds no adapter"
        case .adapterOff: "the adapters are powered off"
        case .adapterBlocked: "the adapters are blocked by rfkill"
        case .wrongPasskey: "this side shows other digits than the ears, as with a man in the middle"
        case .pairRefused: "the ears refuse the digits"
        case .pairTimeout: "nobody confirms the digits on the ears"
        case .silentRead: "a read of a characteristic is never answered by bluetoothd"
        case .silentWrite: "the ears never answer a write: the link goes after 30 s"
        case .absent: "the ears are not in range"
        case .alreadyConnected: "BlueZ holds the ears connected, so that no discovery shows them"
        case .slowLink: "connections and exchanges take as long as they were measured with real BlueZ"
        }
    }
}
