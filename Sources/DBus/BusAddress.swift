import Glibc

/// Which bus to connect to.
public enum BusAddress: Hashable, Sendable {
    /// The bus of the system: `DBUS_SYSTEM_BUS_ADDRESS`, or the well-known address where that is unset or empty
    /// (D-Bus specification, "Well-known Message Bus Instances").
    case system
    /// A server address, such as `unix:path=/run/bus`.
    case explicit(String)

    static let wellKnownSystemBus = "unix:path=/var/run/dbus/system_bus_socket"
    static let systemBusVariable = "DBUS_SYSTEM_BUS_ADDRESS"

    /// - Parameter environment: the value of a variable of the environment, nil where it is unset.
    func text(environment: (String) -> String?) -> String {
        switch self {
        case .explicit(let address): return address
        case .system:
            guard let address = environment(BusAddress.systemBusVariable), !address.isEmpty else {
                return BusAddress.wellKnownSystemBus
            }
            return address
        }
    }

    /// The server address that it comes to in this process.
    public var text: String { text(environment: BusAddress.processEnvironment) }

    static func processEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
