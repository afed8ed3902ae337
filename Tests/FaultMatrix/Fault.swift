/// What can happen to one step of an installation.
enum Fault: String, CaseIterable, Hashable, Sendable {
    /// The request does not arrive: no answer for 30 s, then the link is ended (Core specification, Vol 3 Part F 3.3.3).
    case requestLost = "request lost"
    /// It was carried out; the link ends before its reply.
    case replyLost = "reply lost"
    /// The reply to the request before comes again in the place of this one's.
    case replyDuplicated = "reply duplicated"
    /// The link ends before the request arrives.
    case linkDropped = "link dropped"
    /// The ears' battery goes before the request arrives, and comes back.
    case powerLostBefore = "power lost before"
    /// It was carried out, and the ears' battery goes before the reply.
    case powerLostAfter = "power lost after"
    /// The command is killed before the request is made; BlueZ keeps the link.
    case diesBefore = "this side dies before"
    /// The command is killed between request and reply; BlueZ keeps the link.
    case diesBetween = "this side dies between"
    /// The command is killed once it has the reply, before it does anything with it; BlueZ keeps the link.
    case diesAfter = "this side dies after"
    /// No answer within the deadline, with the link up; it was not carried out.
    case stallsIgnored = "stall, not carried out"
    /// No answer within the deadline, with the link up; it was carried out.
    case stallsCarriedOut = "stall, carried out"
    /// The first Ctrl-C comes while the exchange is in flight.
    case cancelled = "cancelled"

    var endsThisSide: Bool { self == .diesBefore || self == .diesBetween || self == .diesAfter }
}

/// Where a fault strikes: each place exists in the faultless trace.
enum Place: Hashable, Sendable {
    /// The n-th exchange of a phase, with what else goes over the air counted as one: connecting, a descriptor.
    case exchange(Stretch, Int)
    /// The n-th operation of flash, erasing a sector or programming, is done by half and the battery is gone.
    case flash(Int)
    /// The battery goes at this part of the n-th boot.
    case boot(Int, BootStep)
}

/// The parts of an installation that a step belongs to.
enum Stretch: String, CaseIterable, Hashable, Sendable {
    case opening, erasing, sending, verifying, restarting, reconnecting, watching
}

/// The battery goes in the middle of it.
enum BootStep: String, CaseIterable, Hashable, Sendable {
    case bootLoader = "boot loader"
    case start = "start"
    case trial = "trial"
    case afterTrial = "after the trial"
}

struct Injection: Hashable, Sendable, CustomStringConvertible {
    let place: Place
    /// At a flash operation or a boot step it is the battery that goes, always.
    let fault: Fault

    var description: String {
        switch place {
        case .exchange(let stretch, let number): "\(fault.rawValue) at \(stretch.rawValue) \(number)"
        case .flash(let number): "power lost in flash operation \(number)"
        case .boot(let number, let step): "power lost in boot \(number), \(step.rawValue)"
        }
    }
}
