public import Bluetooth
import ControlProtocol
public import Simulator

/// The simulated ears' words as this machine's Bluetooth has them.
extension GATTFailure {
    public func bluetooth(during operation: BluetoothError.Operation) -> BluetoothError {
        switch self {
        case .attribute(let error): .attribute(code: error.rawValue, during: operation)
        case .notConnected, .linkLost: .linkLost(during: operation)
        case .noAnswer: .attribute(code: 0x0E, during: operation)
        }
    }
}

extension GATTTable {
    /// - Parameter unit: the link's ATT MTU, bytes.
    public func characteristics(maximumTransmissionUnit unit: Int) -> [Bluetooth.Characteristic] {
        characteristics.compactMap { characteristic in
            BluetoothUUID(characteristic.uuid).map {
                Bluetooth.Characteristic(
                    uuid: $0,
                    properties: characteristic.endpoint.isStream ? [.writeWithoutResponse, .notify] : [.read, .write],
                    descriptors: [.userDescription], maximumTransmissionUnit: unit,
                    handle: characteristic.endpoint.rawValue)
            }
        }
    }
}
