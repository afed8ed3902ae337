public import CommandLineTools
public import ControlProtocol
public import Ears

/// What a pair of ears is, and what it can do.
public struct EarsCard: Sendable {
    private let address: String
    private let mode: EarsMode
    private let device: DeviceInformation
    private let capabilities: [String]
    private let battery: Battery?

    public init(
        address: String, mode: EarsMode, device: DeviceInformation, capabilities: [String], battery: Battery?
    ) {
        self.address = address
        self.mode = mode
        self.device = device
        self.capabilities = capabilities
        self.battery = battery
    }

    /// Nil in recovery mode, where no firmware runs.
    private var running: String? { mode == .recovery ? nil : device.firmwareVersion }

    /// In recovery mode: of the firmware in its slot; nil where none is.
    private var held: String? {
        mode == .recovery && !device.firmwareVersion.isEmpty ? device.firmwareVersion : nil
    }

    private var firmware: String {
        running ?? "none runs (recovery mode); " + (held.map { "\($0) is in its slot" } ?? "no slot holds any")
    }

    private var abilities: String {
        guard !capabilities.isEmpty else { return "none" }
        return capabilities.joined(separator: ", ") + (mode == .recovery ? " (of normal mode)" : "")
    }

    /// A label and its text.
    public var rows: [(String, String)] {
        [
            ("name", device.name), ("address", address), ("family", device.family), ("chip", device.chip),
            ("hardware", device.hardwareRevision), ("firmware", firmware),
            ("protocol", String(device.applicationProtocol)), ("mode", mode.rawValue),
            ("battery", battery.map { "\($0.percent) %" } ?? "not reported"), ("capabilities", abilities),
        ]
    }

    public var members: [(String, JSON)] {
        [
            ("name", .string(device.name)), ("address", .string(address)), ("family", .string(device.family)),
            ("chip", .string(device.chip)), ("hardware_revision", .string(device.hardwareRevision)),
            ("firmware_version", .optional(running)), ("held_firmware_version", .optional(held)),
            ("application_protocol", .integer(Int64(device.applicationProtocol))), ("mode", .string(mode.rawValue)),
            ("battery_percent", .optional(battery?.percent)),
            ("capabilities", .array(capabilities.map(JSON.string))),
            ("capabilities_mode", .string(EarsMode.normal.rawValue)),
        ]
    }
}
