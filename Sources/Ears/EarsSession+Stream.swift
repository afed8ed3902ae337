internal import Bluetooth
public import ControlProtocol

/// The stream form of an upload, open on one link: chunks without a response, credit by notification
/// (`Protocol/wire.md`, "The stream form").
///
/// That a chunk was sent says nothing; how far the ears have come is in the credit alone, and in a status.
public struct UpdateStream: Sendable {
    private let writes: any WriteStream
    private let credits: any NotificationStream

    /// Bytes of the longest chunk, encoded.
    public var messageLimit: Int { writes.maximumLength }

    init(writes: any WriteStream, credits: any NotificationStream) {
        self.writes = writes
        self.credits = credits
    }

    /// Hands one chunk to this machine's Bluetooth.
    ///
    /// - Parameter offset: bytes from the start of the file.
    public func send(offset: UInt32, data: [UInt8]) async throws(EarsError) {
        let chunk = StreamChunk(offset: offset, data: data).encoded()
        try await bluetooth { () throws(BluetoothError) in
            try await writes.write(chunk, deadline: EarsDeadlines.streamWrite)
        }
    }

    /// The next credit; nil where none came in time.
    public func nextCredit(within deadline: Duration) async throws(EarsError) -> StreamCredit? {
        let value: [UInt8]
        do {
            value = try await credits.next(deadline: deadline)
        } catch {
            if case .deadline = error { return nil }
            throw .bluetooth(error)
        }
        do { return try StreamCredit(decoding: value) } catch { throw .wire(.undecodable(.updateStream)) }
    }

    public func close() async {
        await writes.close()
        await credits.close()
    }
}

extension EarsSession {
    /// Name of the capability that offers it.
    static let streamCapability = "update-stream"

    /// - Returns: nil where the ears do not offer it, or this machine cannot have it: the exchange form always works.
    public func openUpdateStream() async throws(EarsError) -> UpdateStream? {
        guard let endpoint = endpoint(.updateStream),
            endpoint.characteristic.properties.isSuperset(of: [.writeWithoutResponse, .notify]),
            try await capabilities().names.contains(Self.streamCapability)
        else { return nil }
        do throws(BluetoothError) {
            let credits = try await peripheral.openNotifications(
                of: endpoint.characteristic, deadline: EarsDeadlines.streamOpening)
            do throws(BluetoothError) {
                let writes = try await peripheral.openWrites(
                    to: endpoint.characteristic, deadline: EarsDeadlines.streamOpening)
                return UpdateStream(writes: writes, credits: credits)
            } catch {
                await credits.close()
                throw error
            }
        } catch {
            switch error {
            case .rejected, .busy, .notPermitted, .attribute, .missingCharacteristic: return nil
            default: throw .bluetooth(error)
            }
        }
    }
}
