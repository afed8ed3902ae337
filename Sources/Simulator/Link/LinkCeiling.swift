import ControlProtocol

/// The most that a link can carry to the ears, from the timing of its link layer alone: hosts, buffers and flash take no
/// time. `Tests/LinkSpeed/ceiling.py` states the same formula independently.
public struct LinkCeiling: Sendable {
    private let settings: LinkSettings

    public init(_ settings: LinkSettings) { self.settings = settings }

    /// Bytes of values a second that writes without response carry, all of one length, the best one that the MTU allows.
    ///
    /// A packet and its answer both have to arrive whole, so with loss it is the same times (1 - loss)².
    public var stream: Double {
        let lengths = 1...max(1, settings.longestCommand)
        let best = lengths.lazy.map { stream(ofValues: $0) }.max() ?? 0
        return best * (1 - settings.loss) * (1 - settings.loss)
    }

    /// Without loss.
    ///
    /// - Parameter length: bytes of every value.
    public func stream(ofValues length: Int) -> Double {
        let fragments = settings.fragments(ofPacket: AttributePacket.command([]).bytes + length)
        // From an event that starts with the same fragment as an earlier one, everything comes again.
        var seen: [Int: (events: Int, values: Int)] = [:]
        var (events, values, next) = (0, 0, 0)
        while true {
            if let before = seen[next] {
                return Double((values - before.values) * length)
                    / (Double(events - before.events) * settings.interval.inSeconds)
            }
            seen[next] = (events, values)
            var event = EventRoom(settings)
            while event.take(fragments[next], from: .central) {
                next = (next + 1) % fragments.count
                if next == 0 { values += 1 }
            }
            events += 1
        }
    }

    /// Bytes of a file a second in the exchange form, with the best length of messages: the longest session id, offsets of
    /// three bytes. Each request, and each reply, begins an event of its own: nobody answers within the event that asked.
    public var exchange: Double {
        (1...Self.longestMessage).lazy.map { exchange(ofMessages: $0) }.max() ?? 0
    }

    private static let longestMessage = SimulatedEars.exchangeLimit

    /// - Parameter length: bytes of every message.
    public func exchange(ofMessages length: Int) -> Double {
        let data = UpdateRequest.largestChunk(session: .max, offset: Self.offset, messageLimit: length)
        let taken = packets(ofMessage: length).reduce(0.0) { $0 + events(for: $1.bytes, from: $1.sender) }
        return Double(data) / (taken * settings.interval.inSeconds)
    }

    private static let offset: UInt32 = 1 << 20

    /// Write, or the parts of a long write, and read, each with its answer.
    private func packets(ofMessage length: Int) -> [(bytes: Int, sender: LinkRole)] {
        let reply = UpdateReply(
            session: .max, state: .receiving, nextOffset: Self.offset, refusal: nil, deviceError: 0,
            silenceLimit: 30_000)
        var steps: [(AttributeRequest, AttributeReply)] = []
        let message = [UInt8](repeating: 0, count: length)
        if length <= settings.maximumTransmissionUnit - 3 {
            steps.append((.write(.update, message), .written))
        } else {
            let room = settings.maximumTransmissionUnit - 5
            for start in stride(from: 0, to: length, by: room) {
                let part = Array(message[start..<min(length, start + room)])
                steps.append((.prepareWrite(.update, part: part), .prepared(part)))
            }
            steps.append((.executeWrite, .executed))
        }
        steps.append((.read(.update), .value(reply.encoded())))
        return steps.flatMap { [($0.bytes, .central), ($1.bytes, .peripheral)] }
    }

    /// Events that one ATT packet takes on average, from its first bit to the last bit of its last fragment.
    private func events(for packet: Int, from sender: LinkRole) -> Double {
        let fragments = settings.fragments(ofPacket: packet)
        // Of events beyond the first, by the fragment that an event starts with; of the last one first.
        var further = [Double](repeating: 0, count: fragments.count + 1)
        for first in fragments.indices.reversed() {
            var (sure, again) = (0.0, 0.0)
            for (next, chance) in ends(ofEventFrom: first, of: fragments, from: sender) where next < fragments.count {
                sure += chance * (1 + (next == first ? 0 : further[next]))
                if next == first { again += chance }
            }
            further[first] = sure / (1 - again)
        }
        return 1 + further[0]
    }

    /// How likely it is that an event has room for no more before a fragment, by the fragment; behind the last one nothing
    /// is left to send.
    private func ends(ofEventFrom first: Int, of fragments: [Int], from sender: LinkRole) -> [(next: Int, Double)] {
        let whole = 1 - settings.loss
        var ends: [(next: Int, Double)] = []
        var states = [EventState(room: EventRoom(settings), next: first): 1.0]
        while !states.isEmpty {
            var later: [EventState: Double] = [:]
            for (state, chance) in states {
                var room = state.room
                guard state.next < fragments.count, room.take(fragments[state.next], from: sender) else {
                    ends.append((state.next, chance))
                    continue
                }
                // The last one needs no acknowledgement to be there.
                let isLast = state.next == fragments.count - 1
                let passes = isLast ? whole : whole * whole
                // A peripheral whose last word was damaged does not listen any more, unless what it answered was damaged too.
                let ended = isLast && sender == .peripheral ? (1 - whole) * whole : 0
                later[EventState(room: room, next: state.next + 1), default: 0] += chance * passes
                guard passes < 1 else { continue }
                later[EventState(room: room, next: state.next), default: 0] += chance * (1 - passes - ended)
                if ended > 0 { ends.append((state.next, chance * ended)) }
            }
            states = later
        }
        return ends
    }
}

private struct EventState: Hashable {
    let room: EventRoom
    /// The fragment that is sent next.
    let next: Int
}

/// What is left of one event.
private struct EventRoom: Hashable {
    private let settings: LinkSettings
    private var time = Duration.zero
    private var packets = 0

    init(_ settings: LinkSettings) { self.settings = settings }

    /// - Returns: false where a packet and its answer have no room.
    mutating func take(_ bytes: Int, from sender: LinkRole) -> Bool {
        let (central, peripheral) = sender == .central ? (bytes, 0) : (0, bytes)
        guard packets < settings.packetsPerEvent ?? .max, settings.hasRoom(for: central, and: peripheral, at: time)
        else { return false }
        packets += 1
        time +=
            settings.airTime(of: central) + settings.airTime(of: peripheral) + LinkSettings.interFrameSpace * 2
        return true
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
