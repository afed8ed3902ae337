import ControlProtocol
import EarsInVirtualTime
import Simulator
import Synchronization

/// One pair of simulated ears, the air between them and this machine, and what is to go wrong.
///
/// It knows nothing of installations: it counts what goes over the air, and lets faults strike where it was told to.
final class World: Sendable {
    /// Something that went over the air, and what of it a fault can take away.
    enum Step {
        /// A request and its reply.
        case exchange
        /// A connection, a descriptor: one question.
        case single
        /// A write without response.
        case command
        /// A notification of the ears.
        case notification
    }

    struct State {
        var ears: SimulatedEars
        /// Of the link that is up; 0: none is.
        var link = 0
        var lastLink = 0
        var linkWaiters: [(id: Int, link: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var lastWaiter = 0
        var cancelledWaiters: Set<Int> = []
        var stretch = Stretch.opening
        var counts: [Stretch: Int] = [:]
        var trace: [(place: Place, step: Step)] = []
        /// The first of them is armed.
        var injections: [Injection] = []
        var struck: [Injection] = []
        var replies: [EndpointName: [UInt8]] = [:]
        /// What the ears notified and nobody took yet.
        var notifications: [[UInt8]] = []
        var runningSlot = 0
        var boots = 0
        var wasStarting = false
        var cutAt: Duration?
        var powerReturns: Duration?
        /// Of the exchange whose request was carried out.
        var pendingFault: Fault?
        /// The calls of killed commands, which never come back.
        var graves: [CheckedContinuation<Void, Never>] = []
        var buried: [CheckedContinuation<Void, Never>] = []
        var isOver = false
        var cancel: @Sendable () -> Void = {}
    }

    static let host = "02:00:00:00:00:01"
    static let flashBudget = 1_000_000

    let time: VirtualTime
    let key: BondKey
    let state: Mutex<State>

    init(_ configuration: EarsConfiguration, flash: Flash, time: VirtualTime) {
        var ears = SimulatedEars(configuration: configuration, flash: flash)
        key = ears.provisionBond(with: Self.host)
        ears.powerOn(at: time.elapsed)
        _ = ears.advance(to: time.elapsed + configuration.timing.boot + .milliseconds(1))
        self.time = time
        state = Mutex(State(ears: ears))
    }

    // MARK: Faults

    /// What is to go wrong from now on, one after the other.
    func arm(_ injections: [Injection]) {
        state.withLock { state in
            state.injections = injections
            state.stretch = .opening
            state.cutAt = nil
            state.armFirst()
        }
    }

    func enter(_ stretch: Stretch) { state.withLock { $0.stretch = stretch } }

    /// Counts a step, and takes the fault that is to strike it.
    func fault(at step: Step) -> Fault? {
        state.withLock { $0.fault(at: step) }
    }

    // MARK: Time

    /// When the ears, or somebody at their battery, do something next.
    var nextEvent: Duration? {
        state.withLock { [$0.ears.nextDeadline, $0.cutAt, $0.powerReturns].compactMap(\.self).min() }
    }

    func advance(to now: Duration) {
        resume(
            state.withLock { state in
                if let cut = state.cutAt, cut <= now {
                    state.cutAt = nil
                    _ = state.strike()
                    return state.losePower(at: now)
                }
                if let returns = state.powerReturns, returns <= now {
                    state.powerReturns = nil
                    state.ears.powerOn(at: now)
                }
                return state.settle(at: now)
            })
    }

    /// Lets something be done to the ears, and what it brings about happen.
    func act<Value: Sendable, Failure: Error>(
        _ body: (inout State, Duration) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = time.elapsed
        let (result, waiters) = state.withLock {
            state -> (Result<Value, Failure>, [CheckedContinuation<Void, Never>]) in
            let result = Result { () throws(Failure) in try body(&state, now) }
            return (result, state.settle(at: now))
        }
        resume(waiters)
        return try result.get()
    }

    func losePower() {
        let now = time.elapsed
        resume(state.withLock { $0.losePower(at: now) })
    }

    func endLink() {
        act { state, now in
            state.ears.disconnect(at: now)
            state.linkIsDown()
        }
    }

    private func resume(_ waiters: [CheckedContinuation<Void, Never>]) { for waiter in waiters { waiter.resume() } }

    // MARK: The end of a command

    /// A call that never comes back.
    func die() async {
        await withCheckedContinuation { continuation in state.withLock { $0.graves.append(continuation) } }
    }

    var hasDead: Bool { state.withLock { !$0.graves.isEmpty } }

    /// From here on the killed commands are forgotten.
    func forgetDead() {
        state.withLock { state in
            state.buried += state.graves
            state.graves = []
        }
    }

    /// Lets every task come to its end, when nothing it does counts any more.
    func end() {
        forgetDead()
        let (buried, waiters) = state.withLock { state in
            defer { (state.buried, state.linkWaiters) = ([], []) }
            state.link = 0
            state.isOver = true
            return (state.buried, state.linkWaiters.map(\.continuation))
        }
        resume(buried + waiters)
        time.end()
    }
}

extension World.State {
    mutating func fault(at step: World.Step) -> Fault? {
        let number = counts[stretch, default: 0]
        counts[stretch] = number + 1
        let place = Place.exchange(stretch, number)
        trace.append((place, step))
        guard injections.first?.place == place else { return nil }
        return strike().fault
    }

    mutating func strike() -> Injection {
        let injection = injections.removeFirst()
        struck.append(injection)
        armFirst()
        return injection
    }

    /// The next one counts from here.
    mutating func armFirst() {
        counts = [:]
        boots = 0
        ears.flashOperationsUntilPowerLoss = World.flashBudget
        if case .flash(let number) = injections.first?.place { ears.flashOperationsUntilPowerLoss = number }
    }

    mutating func linkIsDown() {
        link = 0
        replies = [:]
        notifications = []
    }

    private mutating func notified(_ value: [UInt8]) {
        switch fault(at: .notification) {
        case .replyLost: break
        case .replyDuplicated: notifications += [value, value]
        default: notifications.append(value)
        }
    }

    mutating func losePower(at now: Duration) -> [CheckedContinuation<Void, Never>] {
        ears.powerOff(at: now)
        powerReturns = now + .milliseconds(500)
        linkIsDown()
        return settle(at: now)
    }

    /// What came of it: the link, boots, the battery.
    mutating func settle(at now: Duration) -> [CheckedContinuation<Void, Never>] {
        let left = ears.flashOperationsUntilPowerLoss
        for effect in ears.advance(to: now) {
            switch effect {
            case .linkDropped: linkIsDown()
            case .serialLine(let line): booted(line, at: now)
            case .notification(_, let value): notified(value)
            case .advertisementChanged, .pairing: break
            }
        }
        if case .flash = injections.first?.place, left != nil, ears.flashOperationsUntilPowerLoss == nil {
            _ = strike()
        }
        notice(ears.isStarting, at: now)
        let over = linkWaiters.filter { $0.link != link }
        linkWaiters.removeAll { $0.link != link }
        return over.map(\.continuation)
    }

    private mutating func notice(_ isStarting: Bool, at now: Duration) {
        defer { wasStarting = isStarting }
        guard isStarting, !wasStarting else { return }
        boots += 1
        trace.append((.boot(boots, .bootLoader), .single))
        cut(.bootLoader, at: now + ears.configuration.timing.boot / 2)
    }

    private mutating func booted(_ line: String, at now: Duration) {
        guard line.hasPrefix("boot: ota_"), let slot = line.dropFirst(10).first?.wholeNumberValue else { return }
        runningSlot = slot
        let trial = ears.configuration.timing.selfCheck
        for step in [BootStep.start, .trial, .afterTrial] { trace.append((.boot(boots, step), .single)) }
        cut(.start, at: now + .milliseconds(1))
        cut(.trial, at: now + trial / 2)
        cut(.afterTrial, at: now + trial + .milliseconds(1))
    }

    private mutating func cut(_ step: BootStep, at moment: Duration) {
        if injections.first?.place == .boot(boots, step) { cutAt = moment }
    }
}
