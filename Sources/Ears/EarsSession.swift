public import Bluetooth
public import ControlProtocol

/// A conversation with one connected pair of ears.
///
/// **One exchange at a time, ever.** The ears keep one reply per characteristic, so an exchange is a write and a read
/// that nothing may come between. Exchanges of concurrent callers queue up. A caller that is cancelled while it waits
/// sends nothing and gets ``BluetoothError/cancelled``; one that is cancelled while its exchange is under way gets that
/// exchange's reply as if it had not been, so that no reply is left to be taken for the next one's, and what the ears
/// did is known. Only where that takes too long it gets ``BluetoothError/abandoned(_:)``: what the ears did is not known.
///
/// **A session ends with its first lost exchange.** After a deadline, an abandoned exchange or a lost link every later call fails
/// with the same error: a late reply could otherwise be misread, and ATT allows nothing after a transaction that timed
/// out (Core specification, Vol 3 Part F 3.3.3). The way on is a new connection and a new session.
public actor EarsSession {
    public nonisolated let peripheral: any Peripheral
    public nonisolated let document: VersionDocument

    let clock: any Clock<Duration>
    let makeChangeID: @Sendable () -> UInt32
    /// Of the tables that were read before; nil where each session reads its own.
    public nonisolated let memory: (any PropertyTableMemory)?
    private let endpoints: [EndpointName: EarsEndpoint]
    var turns = ExchangeTurns()
    private var ended: EarsError?
    /// Names, types and flags never change while a link is up.
    var layout: PropertyLayout?
    /// Read once, or recalled with the layout.
    var descriptions: SettingDescriptions?

    /// Normal or recovery.
    public nonisolated var mode: EarsMode { document.mode }

    /// The ears' service UUID, which they advertise.
    public static let service: BluetoothUUID = {
        guard let uuid = BluetoothUUID(EarsService.uuid) else { preconditionFailure("the service UUID is malformed") }
        return uuid
    }()

    /// Finds the endpoints and reads the version document of connected, bonded ears.
    ///
    /// - Parameters:
    ///   - clock: what polls and their deadlines are measured on.
    ///   - makeChangeID: gives a fresh random number for each change; 0 is never used.
    ///   - memory: of the tables of properties that were read before.
    /// - Throws: ``BluetoothError/notBonded(_:)`` before anything is read on a link that no bond protects;
    ///   ``EarsError/unsupported(_:)`` for ears that have to be updated by USB first.
    public static func open(
        on peripheral: any Peripheral, clock: any Clock<Duration> = ContinuousClock(),
        makeChangeID: @escaping @Sendable () -> UInt32 = { UInt32.random(in: 1...UInt32.max) },
        memory: (any PropertyTableMemory)? = nil
    ) async throws(EarsError) -> EarsSession {
        guard try await bluetooth({ () throws(BluetoothError) in try await peripheral.isBonded() }) else {
            throw .bluetooth(.notBonded(peripheral.address))
        }
        let endpoints = try await EarsEndpoint.discover(on: peripheral)
        guard let version = endpoints[.version] else { throw .unsupported(.missingEndpoint(.version)) }
        guard endpoints[.control] != nil else { throw .unsupported(.missingEndpoint(.control)) }
        let exchange = EndpointExchange(
            peripheral: peripheral, endpoint: version, requestLimit: EarsLimits.attributeBytes)
        let reply = try await exchange.run(versionRequest)
        let document: VersionDocument
        do { document = try VersionDocument(parsing: reply) } catch { throw .unsupported(error) }
        return EarsSession(
            peripheral: peripheral, document: document, endpoints: endpoints, clock: clock, makeChangeID: makeChangeID,
            memory: memory)
    }

    /// What it holds is ignored by the ears, but it must not be empty.
    private static let versionRequest = Array("---".utf8)

    private init(
        peripheral: any Peripheral, document: VersionDocument, endpoints: [EndpointName: EarsEndpoint],
        clock: any Clock<Duration>, makeChangeID: @escaping @Sendable () -> UInt32,
        memory: (any PropertyTableMemory)?
    ) {
        self.peripheral = peripheral
        self.document = document
        self.endpoints = endpoints
        self.clock = clock
        self.makeChangeID = makeChangeID
        self.memory = memory
    }

    /// Whether the ears have an endpoint of this name.
    public nonisolated func has(_ endpoint: EndpointName) -> Bool { endpoints[endpoint] != nil }

    nonisolated func endpoint(_ name: EndpointName) -> EarsEndpoint? { endpoints[name] }

    /// Bytes of one ATT packet on the link.
    public nonisolated func maximumTransmissionUnit(of endpoint: EndpointName) -> Int {
        endpoints[endpoint]?.characteristic.maximumTransmissionUnit ?? 23
    }

    /// Returns once the link is down, whoever ended it.
    public nonisolated func linkEnded() async { await peripheral.linkEnded() }

    public nonisolated func disconnect() async throws(EarsError) {
        try await bluetooth { () throws(BluetoothError) in try await peripheral.disconnect() }
    }

    /// One exchange, after those that wait already.
    func exchange(
        _ request: [UInt8], on name: EndpointName, overlapping: Bool = false
    ) async throws(EarsError) -> [UInt8] {
        guard let endpoint = endpoints[name] else { throw .unsupported(.missingEndpoint(name)) }
        let exchange = EndpointExchange(
            peripheral: peripheral, endpoint: endpoint, requestLimit: document.requestLimit(of: name))
        try await takeTurn()
        defer { passTurn() }
        if let ended { throw ended }
        do throws(EarsError) { return try await exchange.run(request, overlapping: overlapping) } catch {
            if error.endsSession { ended = error }
            throw error
        }
    }
}

extension EarsError {
    /// Whether the caller's task was cancelled. What had been sent by then, the error itself says.
    public var isCancellation: Bool {
        switch self {
        case .bluetooth(.cancelled), .bluetooth(.abandoned): true
        default: false
        }
    }

    /// Whether nothing more can be said to the ears over this link. A call that was cancelled was not begun.
    public var endsSession: Bool {
        guard case .bluetooth(let error) = self else { return false }
        switch error {
        case .attribute, .rejected, .cancelled: return false
        default: return true
        }
    }
}
