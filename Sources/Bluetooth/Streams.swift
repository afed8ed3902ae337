/// Writes without response to one characteristic.
///
/// That a write has returned says only that this machine took it: BlueZ queues without a limit worth the name (2 MiB
/// were taken before a tenth of it was on the air), and what is queued goes with the link. Flow control and progress
/// have to come from the peripheral's own acknowledgements.
///
/// While the stream is open, every other write to the characteristic is
/// ``BluetoothError/heldByOthers(_:)``. It ends with
/// ``close()``, with its last reference, or with the link.
public protocol WriteStream: Sendable {
    /// Bytes of the longest value: the MTU less 3, and 512 at most. BlueZ cuts longer ones in silence.
    var maximumLength: Int { get }

    /// Hands over one value, whole. Values of one writer keep their order.
    ///
    /// Where it throws, nothing of the value was handed over.
    ///
    /// - Parameters:
    ///   - value: 1 to ``maximumLength`` bytes.
    ///   - deadline: for BlueZ to make room for it.
    /// - Throws: ``BluetoothError/rejected(_:)`` for another length, ``BluetoothError/linkLost(during:)``,
    ///   ``BluetoothError/deadline(_:after:)``, ``BluetoothError/cancelled`` (also once it is closed).
    func write(_ value: [UInt8], deadline: Duration) async throws(BluetoothError)

    /// Gives the characteristic back. What was handed over is still sent. Harmless when it has ended.
    func close() async
}

/// The notifications of one characteristic, from the moment that it was opened.
///
/// They are fetched from BlueZ all the time, whether anybody waits for one or not, because BlueZ drops what it cannot
/// hand over, in silence. Of those that were fetched none is left out: when too many wait unread the stream ends with
/// ``BluetoothError/notificationsLost(limit:)``. What BlueZ drops while this process stands still (stopped, or without
/// a processor for long) cannot be seen from here: values that must not be lost have to be numbered by the peripheral.
///
/// It ends with ``close()``, with its last reference, or with the link.
public protocol NotificationStream: Sendable {
    /// Bytes of the longest notification that the link can carry: the MTU less 3.
    var maximumLength: Int { get }

    /// The next notification, in the order of arrival. What arrived before an end is given before the end is told.
    ///
    /// A deadline or a cancel takes nothing out: the next call gets it.
    ///
    /// - Throws: ``BluetoothError/linkLost(during:)``, ``BluetoothError/notificationsLost(limit:)``,
    ///   ``BluetoothError/deadline(_:after:)``, ``BluetoothError/cancelled`` (also once it is closed).
    func next(deadline: Duration) async throws(BluetoothError) -> [UInt8]

    /// Ends the subscription. What waits unread is gone. Harmless when it has ended.
    func close() async
}
