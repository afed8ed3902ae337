public import Bluetooth

/// A central that connects and nothing else: an installation asks for no more.
public protocol ConnectingCentral: Central {}

extension ConnectingCentral {
    public func adapters() async throws(BluetoothError) -> [Adapter] { throw .rejected(.listAdapters) }

    public func known(
        with service: BluetoothUUID, on adapter: AdapterName?
    ) async throws(BluetoothError) -> [Sighting] {
        throw .rejected(.discover)
    }

    public func discover(
        _ service: BluetoothUUID, on adapter: AdapterName
    ) -> AsyncThrowingStream<Sighting, any Error> {
        AsyncThrowingStream { $0.finish(throwing: BluetoothError.rejected(.discover)) }
    }

    public func pair(
        with device: BluetoothAddress, on adapter: AdapterName, deadline: Duration,
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(BluetoothError) -> BluetoothAddress {
        throw .rejected(.pair)
    }

    public func removeBond(of device: BluetoothAddress, on adapter: AdapterName) async throws(BluetoothError) {
        throw .rejected(.removeBond)
    }
}
