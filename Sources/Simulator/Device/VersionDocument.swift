import ControlProtocol
import Crypto

/// What the version endpoint answers: Espressif's object, and the ears' own beside it.
struct VersionDocument {
    private let configuration: EarsConfiguration
    private let properties: [PropertyInfo]

    /// - Parameter properties: all of them, in the order of their indices.
    init(_ configuration: EarsConfiguration, _ properties: [PropertyInfo]) {
        self.configuration = configuration
        self.properties = properties
    }

    func encoded() -> [UInt8] {
        if configuration.faults.contains(.securityTwo) {
            return Array(#"{"local_ctrl":{"ver":"v1.0","sec_ver":2,"sec_patch_ver":1}}"#.utf8)
        }
        let limits = [EndpointName.control, .update, .audio]
            .map { #""\#($0.rawValue)":\#(SimulatedEars.exchangeLimit)"# }.joined(separator: ",")
        let text = #"""
            {"local_ctrl":{"ver":"v1.0","sec_ver":0,"sec_patch_ver":0},\#
            "espurr":{"protocol":\#(configuration.applicationProtocol),\#
            "mode":"\#(configuration.mode.rawValue)","limits":{\#(limits)},\#
            "properties":"\#(propertyTableHash)"}}
            """#
        return Array(text.utf8)
    }

    /// The first 16 bytes of the SHA-256 of the table.
    private var propertyTableHash: String {
        let digest = HashAlgorithm.sha256.hash(of: PropertyTable(properties).encoded())
        return digest.prefix(16).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}
