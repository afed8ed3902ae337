import Bluetooth
import ControlProtocol
import Ears
import Synchronization
import TestSupport
import Testing

/// Ears that answer one version document, and nothing else.
final class ScriptedPeripheral: Peripheral {
    static let normal = #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"normal"}}"#
    static let securityTwo = #"{"local_ctrl":{"ver":"v1.0","sec_ver":2},"espurr":{"protocol":2,"mode":"normal"}}"#

    let address = BluetoothAddress.first
    let adapter = AdapterName.zero
    private let version: Result<String, BluetoothError>
    private let disconnections = Mutex(0)

    init(version: Result<String, BluetoothError> = .success(normal)) { self.version = version }

    var disconnectCount: Int { disconnections.withLock { $0 } }

    func isBonded() async throws(BluetoothError) -> Bool { true }

    func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic] {
        [EndpointName.version, .control].compactMap { name in
            BluetoothUUID(EarsService.characteristicUUID(of: name)).map { uuid in
                Characteristic(
                    uuid: uuid, properties: [.read, .write], descriptors: [.userDescription],
                    maximumTransmissionUnit: 247, handle: name.rawValue)
            }
        }
    }

    func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] { Array(characteristic.handle.utf8) }

    func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        guard characteristic.handle == EndpointName.version.rawValue else {
            Issue.record("not in the script: reading \(characteristic.handle)")
            throw .rejected(.read)
        }
        return Array(try version.get().utf8)
    }

    func write(_ value: [UInt8], to characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) {
        guard characteristic.handle == EndpointName.version.rawValue else {
            Issue.record("not in the script: writing \(characteristic.handle)")
            throw .rejected(.write)
        }
    }

    func linkEnded() async { Issue.record("not in the script: waiting for the link's end") }

    func disconnect() async throws(BluetoothError) { disconnections.withLock { $0 += 1 } }
}
