import ControlProtocol
import EarsInVirtualTime
import Simulator
import Synchronization

/// One pair of simulated ears at the other end of a modelled link, and whoever waits for what comes over it.
final class LinkWorld: Sendable {
    struct State {
        var ears: EarsOverLink
        /// Of the link that is up; 0: none is.
        var link = 0
        var lastLink = 0
        /// There is one request at a time; nil: the link went down.
        var reply: CheckedContinuation<AttributeReply?, Never>?
        var notifications: [[UInt8]] = []
        var listener: (until: Duration, continuation: CheckedContinuation<Void, Never>)?
        var isOver = false
    }

    static let host = "02:00:00:00:00:01"
    static let address = "F0:00:00:00:00:01"

    let time = VirtualTime()
    let state: Mutex<State>
    private let key: BondKey

    init(_ configuration: EarsConfiguration, settings: LinkSettings, writePath: WritePath, seed: UInt64) {
        var ears = SimulatedEars(configuration: configuration)
        key = ears.provisionBond(with: Self.host)
        ears.powerOn(at: .zero)
        state = Mutex(State(ears: EarsOverLink(ears, settings: settings, writePath: writePath, seed: seed)))
    }

    // MARK: Time

    /// When something happens by itself.
    var nextEvent: Duration? {
        state.withLock { state in
            guard let listener = state.listener else { return state.ears.nextDeadline }
            return state.ears.nextDeadline.map { min($0, listener.until) } ?? listener.until
        }
    }

    func advance(to now: Duration) { wake(state.withLock { $0.advance(to: now) }) }

    private func act<Value: Sendable>(_ body: (inout State, Duration) -> Value) -> Value {
        let now = time.elapsed
        let (value, woken) = state.withLock { state in
            let value = body(&state, now)
            return (value, state.advance(to: now))
        }
        wake(woken)
        return value
    }

    private func wake(_ woken: [State.Woken]) {
        for waiter in woken {
            switch waiter {
            case .asker(let continuation, let reply): continuation.resume(returning: reply)
            case .listener(let continuation): continuation.resume()
            }
        }
    }

    /// Lets every task come to its end, when nothing it does counts any more.
    func end() {
        let woken = state.withLock { state in
            state.isOver = true
            return state.linkIsDown()
        }
        wake(woken)
        time.end()
    }

    // MARK: The link

    /// The number of the new link; nil where there is nobody to connect to.
    func connect() -> Int? {
        act { state, now in
            guard !state.isOver, state.link == 0, state.ears.connect(from: Self.host, key: key, at: now) else {
                return nil
            }
            state.lastLink += 1
            state.link = state.lastLink
            return state.link
        }
    }

    func disconnect() { act { state, now in state.ears.disconnect(at: now) } }

    func send(command value: [UInt8]) { act { state, now in state.ears.send(.command(value), at: now) } }

    /// - Returns: nil where the link went down.
    func ask(_ request: AttributeRequest, over link: Int) async -> AttributeReply? {
        await withCheckedContinuation { continuation in
            let isUp = act { state, now in
                guard state.link == link else { return false }
                state.reply = continuation
                state.ears.send(.request(request), at: now)
                return true
            }
            if !isUp { continuation.resume(returning: nil) }
        }
    }

    func takeNotification() -> [UInt8]? {
        state.withLock { $0.notifications.isEmpty ? nil : $0.notifications.removeFirst() }
    }

    /// Returns when there may be a notification, the link is down, or the time has come.
    func listen(until deadline: Duration) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.listener = (deadline, continuation) }
        }
    }
}

extension LinkWorld.State {
    enum Woken {
        case asker(CheckedContinuation<AttributeReply?, Never>, AttributeReply?)
        case listener(CheckedContinuation<Void, Never>)
    }

    mutating func advance(to now: Duration) -> [Woken] {
        var woken: [Woken] = []
        for event in ears.advance(to: now) {
            switch event {
            case .reply(let value):
                if let asker = reply { woken.append(.asker(asker, value)) }
                reply = nil
            case .notification(let value):
                notifications.append(value)
                woken += wakeListener()
            case .linkEnded: woken += linkIsDown()
            }
        }
        if let listener, listener.until <= now { woken += wakeListener() }
        return woken
    }

    mutating func linkIsDown() -> [Woken] {
        link = 0
        notifications = []
        defer { reply = nil }
        return wakeListener() + (reply.map { [.asker($0, nil)] } ?? [])
    }

    private mutating func wakeListener() -> [Woken] {
        defer { listener = nil }
        return listener.map { [.listener($0.continuation)] } ?? []
    }
}
