import ControlProtocol

/// What the version endpoint answers: Espressif's object, and the ears' own beside it.
struct VersionDocument {
    private let configuration: EarsConfiguration

    init(_ configuration: EarsConfiguration) { self.configuration = configuration }

    func encoded() -> [UInt8] {
        if configuration.faults.contains(.securityTwo) {
            return Array(#"{"local_ctrl":{"ver":"v1.0","sec_ver":2,"sec_patch_ver":1}}"#.utf8)
        }
        let limits = [EndpointName.control, .update, .audio]
            .map { #""\#($0.rawValue)":\#(SimulatedEars.exchangeLimit)"# }.joined(separator: ",")
        let text = #"""
            {"local_ctrl":{"ver":"v1.0","sec_ver":0,"sec_patch_ver":0},\#
            "espurr":{"protocol":\#(configuration.applicationProtocol),\#
            "mode":"\#(configuration.mode.rawValue)","limits":{\#(limits)}}}
            """#
        return Array(text.utf8)
    }
}
