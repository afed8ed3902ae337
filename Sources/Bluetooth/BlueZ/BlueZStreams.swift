import DBus

struct BlueZWriteStream: WriteStream {
    let maximumLength: Int
    let packets: OutgoingPackets
    let peripheral: BlueZPeripheral

    func write(_ value: [UInt8], deadline: Duration) async throws(BluetoothError) {
        // An empty packet would read as the end at BlueZ's side.
        guard (1...maximumLength).contains(value.count) else { throw .rejected(.writeWithoutResponse) }
        if Task.isCancelled { throw .cancelled }
        if try await send(value) { return }
        let time = Deadline(deadline, on: peripheral.objects.clock)
        repeat {
            let hasRoom: Void? = await race(within: time.remaining, on: time.clock) { await packets.room() }
            if Task.isCancelled { throw .cancelled }
            if hasRoom == nil { throw .deadline(.writeWithoutResponse, after: deadline) }
        } while try await !send(value)
    }

    func close() async { await packets.close() }

    /// False where there is no room.
    private func send(_ value: [UInt8]) async throws(BluetoothError) -> Bool {
        switch await packets.send(value) {
        case .done: return true
        case .noRoom: return false
        case .end(let end): throw await peripheral.error(of: end, during: .writeWithoutResponse)
        }
    }
}

struct BlueZNotificationStream: NotificationStream {
    let maximumLength: Int
    let packets: IncomingPackets
    let peripheral: BlueZPeripheral

    func next(deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        if let value = try await take() { return value }
        let time = Deadline(deadline, on: peripheral.objects.clock)
        while true {
            // Only the wait is raced: a packet that was taken out could be lost with the race.
            let hasCome: Void? = await race(within: time.remaining, on: time.clock) { await packets.arrival() }
            if Task.isCancelled { throw .cancelled }
            if let value = try await take() { return value }
            if hasCome == nil { throw .deadline(.awaitNotification, after: deadline) }
        }
    }

    func close() async { await packets.close() }

    private func take() async throws(BluetoothError) -> [UInt8]? {
        switch await packets.take() {
        case .packet(let value): return value
        case .nothingYet: return nil
        case .end(let end): throw await peripheral.error(of: end, during: .awaitNotification)
        }
    }
}
