/// Tasks that wait for something to change in an actor; each is resumed once, by the change or by its own cancel.
struct PacketWaiters {
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastIdentifier: UInt64 = 0

    mutating func newIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }

    mutating func add(_ continuation: CheckedContinuation<Void, Never>, _ identifier: UInt64) {
        waiting[identifier] = continuation
    }

    mutating func cancel(_ identifier: UInt64) { waiting.removeValue(forKey: identifier)?.resume() }

    mutating func resumeAll() {
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }
}
