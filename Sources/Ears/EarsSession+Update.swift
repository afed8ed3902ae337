public import ControlProtocol

/// Status of the update endpoint as it was read: complete, and consistent in itself.
public struct UpdateReading: Hashable, Sendable {
    /// 0: none is open.
    public var session: UInt32
    public var state: UpdateState
    /// Bytes from the start of the file.
    public var nextOffset: UInt32
    public var refusal: UpdateRefusal?
    /// `esp_err_t`; 0: none.
    public var deviceError: UInt32
    /// After this long without a request the ears end the session.
    public var silenceLimit: Duration
    public var status: UpdateStatus
    /// What the ears were in when they were read.
    public var mode: EarsMode

    /// In recovery nothing of it runs: it is the slot that a boot takes, or took last.
    public var running: Slot
    /// The slot that the next boot takes.
    public var selected: Slot
    /// Where an update goes; nil for ears with one slot.
    public var inactive: Slot?

    /// - Throws: a reply without a status, or one whose parts contradict each other.
    public init(_ reply: UpdateReply, mode: EarsMode = .normal) throws(WireFault) {
        guard let status = reply.status, status.slots.count <= EarsLimits.slots else { throw .inconsistentStatus }
        guard Set(status.slots.map(\.index)).count == status.slots.count else { throw .inconsistentStatus }
        guard status.slots.allSatisfy({ [0, 32].contains($0.imageDigest.count) }) else { throw .inconsistentStatus }
        guard let running = status.slots.first(where: { $0.index == status.runningSlot }),
            let selected = status.slots.first(where: { $0.index == status.selectedSlot })
        else { throw .inconsistentStatus }
        self.running = running
        self.selected = selected
        inactive = Self.next(after: running, among: status.slots)
        session = reply.session
        state = reply.state
        nextOffset = reply.nextOffset
        refusal = reply.refusal
        deviceError = reply.deviceError
        silenceLimit = .milliseconds(Int64(reply.silenceLimit))
        self.status = status
        self.mode = mode
    }

    /// As `esp_ota_get_next_update_partition` chooses: the next one, round and round.
    private static func next(after running: Slot, among slots: [Slot]) -> Slot? {
        let ordered = slots.sorted { $0.index < $1.index }
        let next = ordered.first { $0.index > running.index } ?? ordered.first
        return next?.index == running.index ? nil : next
    }
}

extension UpdateReply {
    /// Whether it says neither that the chunk at this offset was taken nor why not: ears always say one of the two.
    public func isSilent(onChunkAt offset: UInt32) -> Bool {
        state == .receiving && refusal == nil && nextOffset == offset
    }
}

/// The update endpoint. A refusal is part of a reply, never an error.
extension EarsSession {
    /// What runs, what is selected, the slots' states, and the session that is open.
    public func updateReading() async throws(EarsError) -> UpdateReading {
        let reply = try await update(.status)
        do { return try UpdateReading(reply, mode: mode) } catch { throw .wire(error) }
    }

    /// - Parameters:
    ///   - size: bytes of the whole file.
    ///   - sha256: of the whole file, 32 bytes.
    public func beginUpdate(
        size: UInt32, sha256: [UInt8], family: String, version: String
    ) async throws(EarsError) -> UpdateReply {
        try await update(.begin(size: size, sha256: sha256, family: family, version: version))
    }

    /// - Parameters:
    ///   - offset: bytes from the start of the file.
    ///   - overlapping: what is read may be the reply to the request before, of which ``UpdateReply/isSilent(onChunkAt:)``
    ///     tells; else it never is, and the next chunk goes a little later.
    public func sendChunk(
        session: UInt32, offset: UInt32, data: [UInt8], overlapping: Bool = false
    ) async throws(EarsError) -> UpdateReply {
        try await update(.chunk(session: session, offset: offset, data: data), overlapping: overlapping)
    }

    public func finishUpdate(session: UInt32) async throws(EarsError) -> UpdateReply {
        try await update(.finish(session: session))
    }

    public func abortUpdate(session: UInt32) async throws(EarsError) -> UpdateReply {
        try await update(.abort(session: session))
    }

    /// The link ends soon after the reply, sometimes before it.
    public func restart() async throws(EarsError) -> UpdateReply {
        try await update(.restart)
    }

    private func update(
        _ request: UpdateRequest, overlapping: Bool = false
    ) async throws(EarsError) -> UpdateReply {
        let reply = try await exchange(request.encoded(), on: .update, overlapping: overlapping)
        do { return try UpdateReply(decoding: reply) } catch { throw .wire(.undecodable(.update)) }
    }
}
