import ControlProtocol
import Ears

/// What ears said of their firmware and its settings, with their values.
struct DescribedFirmware: Sendable {
    var device: DeviceInformation
    var settings: [Setting]
}
