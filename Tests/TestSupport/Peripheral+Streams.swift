public import Bluetooth

/// For doubles without streams: what opens one in a test of something else is a fault of the test.
extension Peripheral {
    public func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream {
        preconditionFailure("not in the script: a stream of writes to \(characteristic.uuid)")
    }

    public func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream {
        preconditionFailure("not in the script: notifications of \(characteristic.uuid)")
    }
}
