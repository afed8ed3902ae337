import ControlProtocol

/// What a central's host sees of the ears at the other end of a link.
public enum LinkEvent: Hashable, Sendable {
    case reply(AttributeReply)
    case notification([UInt8])
    case linkEnded
}

/// The simulated ears behind a modelled link: their attribute server, the buffer that writes wait in, and the flash
/// that they wait for. Packets and time in, packets and time out.
public struct EarsOverLink: Sendable {
    public private(set) var ears: SimulatedEars
    public let settings: LinkSettings
    public let writePath: WritePath
    /// Writes without response that found the buffer full.
    public private(set) var droppedWrites = 0
    /// When the flash was done with the last write of an upload.
    public private(set) var lastWrite: Duration?
    private let seed: UInt64
    private var link: LinkModel<AttributePacket>?
    private var waiting: [AttributePacket] = []
    private var waitingBytes = 0
    /// The flash works on it until then.
    private var underWay: (packet: AttributePacket, until: Duration)?
    private var longWrite: (endpoint: EndpointName, value: [UInt8])?
    private var events: [LinkEvent] = []

    /// - Parameter seed: of what is lost on the air.
    public init(_ ears: SimulatedEars, settings: LinkSettings, writePath: WritePath = WritePath(), seed: UInt64 = 1) {
        self.ears = ears
        self.settings = settings
        self.writePath = writePath
        self.seed = seed
    }

    /// What went over the air of the link that is up.
    public var count: LinkModel<AttributePacket>.Count? { link?.count }

    // MARK: The link

    /// - Returns: false where there is nobody to connect to, or the ears do not know the key.
    public mutating func connect(from host: String, key: BondKey, at now: Duration) -> Bool {
        pass(to: now)
        guard link == nil, ears.connect(from: host, at: now), ears.encrypt(with: key, at: now) else { return false }
        link = LinkModel(settings, seed: seed, openedAt: now)
        return true
    }

    public mutating func disconnect(at now: Duration) {
        pass(to: now)
        ears.disconnect(at: now)
        endLink()
    }

    /// The central's host hands a packet to its controller. Without a link it goes nowhere.
    public mutating func send(_ packet: AttributePacket, at now: Duration) {
        pass(to: now)
        link?.send(packet, bytes: packet.bytes, from: .central, at: now)
    }

    // MARK: Time

    /// The earliest time at which something happens by itself; nil: never.
    public var nextDeadline: Duration? {
        var next = ears.nextDeadline
        for time in [link?.nextDeadline, underWay?.until] {
            guard let time else { continue }
            next = next.map { min($0, time) } ?? time
        }
        return next
    }

    /// Lets time pass, and takes what arrived since it was last asked.
    public mutating func advance(to now: Duration) -> [LinkEvent] {
        pass(to: now)
        defer { events = [] }
        return events
    }

    private mutating func pass(to now: Duration) {
        while let due = nextDeadline, due <= now { run(at: due) }
        settle(at: now)
    }

    private mutating func run(at time: Duration) {
        if let ended = underWay, ended.until <= time {
            underWay = nil
            lastWrite = time
            answer(ended.packet, at: time)
        }
        for delivery in link?.advance(to: time) ?? [] {
            switch (delivery.receiver, delivery.message) {
            case (.peripheral, let packet): take(packet)
            case (.central, .reply(let reply)): events.append(.reply(reply))
            case (.central, .notification(let value)): events.append(.notification(value))
            case (.central, .request), (.central, .command): break
            }
        }
        serve(at: time)
        settle(at: time)
    }

    /// What the ears did by themselves, or because of what they were asked.
    private mutating func settle(at time: Duration) {
        for effect in ears.advance(to: time) {
            switch effect {
            case .notification(_, let value): sendBack(.notification(value), at: time)
            case .linkDropped: endLink()
            case .advertisementChanged, .serialLine, .pairing: break
            }
        }
    }

    private mutating func endLink() {
        guard link != nil else { return }
        link = nil
        (waiting, waitingBytes, underWay, longWrite) = ([], 0, nil, nil)
        events.append(.linkEnded)
    }

    private mutating func sendBack(_ packet: AttributePacket, at time: Duration) {
        link?.send(packet, bytes: packet.bytes, from: .peripheral, at: time)
    }

    // MARK: The ears' host

    private mutating func take(_ packet: AttributePacket) {
        if case .command(let value) = packet {
            guard waitingBytes + value.count <= writePath.buffer else {
                droppedWrites += 1
                return
            }
            waitingBytes += value.count
        }
        waiting.append(packet)
    }

    /// In the order of arrival, one at a time: while the flash is busy nothing is answered.
    private mutating func serve(at time: Duration) {
        while underWay == nil, !waiting.isEmpty {
            let packet = waiting.removeFirst()
            if case .command(let value) = packet { waitingBytes -= value.count }
            let busy = chunk(in: packet).map { writePath.time(toWrite: $0.count, at: $0.offset) }
            guard let busy, busy > .zero else {
                if busy != nil { lastWrite = time }
                answer(packet, at: time)
                continue
            }
            underWay = (packet, time + busy)
        }
    }

    /// What of an upload is in a packet; nil: nothing that goes into the flash.
    private func chunk(in packet: AttributePacket) -> (offset: Int, count: Int)? {
        switch packet {
        case .command(let value): (try? StreamChunk(decoding: value)).map { (Int($0.offset), $0.data.count) }
        case .request(.write(.update, let value)): Self.chunk(in: value)
        case .request(.executeWrite) where longWrite?.endpoint == .update: Self.chunk(in: longWrite?.value ?? [])
        default: nil
        }
    }

    private static func chunk(in request: [UInt8]) -> (offset: Int, count: Int)? {
        guard case .chunk(_, let offset, let data) = try? UpdateRequest(decoding: request) else { return nil }
        return (Int(offset), data.count)
    }

    private mutating func answer(_ packet: AttributePacket, at time: Duration) {
        switch packet {
        case .command(let value): ears.command(value, to: .updateStream, at: time)
        case .request(let request):
            do throws(GATTFailure) {
                let reply = try answer(request, at: time)
                sendBack(.reply(reply), at: time)
            } catch {
                if case .attribute(let error) = error { sendBack(.reply(.refused(error)), at: time) }
            }
        case .reply, .notification: break
        }
    }

    private mutating func answer(
        _ request: AttributeRequest, at time: Duration
    ) throws(GATTFailure) -> AttributeReply {
        switch request {
        case .write(let endpoint, let value):
            try ears.write(value, to: endpoint, at: time)
            return .written
        case .prepareWrite(let endpoint, let part):
            longWrite = (endpoint, (longWrite?.value ?? []) + part)
            return .prepared(part)
        case .executeWrite:
            guard let (endpoint, value) = longWrite else { return .executed }
            longWrite = nil
            try ears.write(value, to: endpoint, at: time)
            return .executed
        case .read(let endpoint): return .value(try part(of: endpoint, from: 0, at: time))
        case .readBlob(let endpoint, let offset): return .value(try part(of: endpoint, from: offset, at: time))
        case .readName(let endpoint): return .value(Array(endpoint.rawValue.utf8))
        case .subscribe(let isOn):
            ears.subscribe(isOn, at: time)
            return .written
        }
    }

    /// As much of a value as one packet carries.
    private mutating func part(
        of endpoint: EndpointName, from offset: Int, at time: Duration
    ) throws(GATTFailure) -> [UInt8] {
        let value = try ears.read(endpoint, at: time)
        return Array(value.dropFirst(offset).prefix(settings.maximumTransmissionUnit - 1))
    }
}
