import DBus

/// A client's `SetDiscoveryFilter`.
struct DiscoveryFilter: Hashable, Sendable {
    /// Lower case; empty is any.
    var services: Set<String> = []
    /// dBm.
    var minimumSignal: Int16?
    var pattern: String?
    var isForClassicOnly = false

    static let names = [
        "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern", "AutoConnect",
    ]

    /// - Parameter properties: `a{sv}`; nil where it is empty, which removes the filter.
    init?(_ properties: [String: DBusValue]) throws(ErrorReply) {
        guard !properties.isEmpty else { return nil }
        for (name, value) in properties { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: DBusValue) throws(ErrorReply) {
        switch (name, value) {
        case ("UUIDs", .array("s", let uuids)):
            services = Set(uuids.compactMap { if case .string(let uuid) = $0 { uuid.lowercased() } else { nil } })
        case ("RSSI", .int16(let signal)) where (-127...20).contains(signal): minimumSignal = signal
        case ("Pathloss", .uint16(let loss)) where loss <= 137: break
        case ("Transport", .string("auto")), ("Transport", .string("le")): break
        case ("Transport", .string("bredr")): isForClassicOnly = true
        case ("Pattern", .string(let text)): pattern = text
        case ("DuplicateData", .boolean), ("Discoverable", .boolean), ("AutoConnect", .boolean): break
        default: throw .invalidArguments
        }
    }

    func accepts(_ advertisement: AirAdvertisement, address: String, signal: Int16) -> Bool {
        guard !isForClassicOnly else { return false }
        if let pattern, !address.hasPrefix(pattern), !advertisement.name.hasPrefix(pattern) { return false }
        if let minimumSignal, signal < minimumSignal { return false }
        return services.isEmpty || advertisement.services.contains { services.contains($0.lowercased()) }
    }
}
