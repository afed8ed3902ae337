/// What strikes one request of an update, once.
public struct Strike: Hashable, Sendable {
    public var stage: Stage
    public var kind: Kind

    /// The requests of an update, by the phase that a client is in with them.
    public enum Stage: String, CaseIterable, Sendable {
        /// The first status, before anything is sent.
        case opening
        /// `begin`.
        case erasing
        /// The chunk in the middle of the image.
        case sending
        /// `finish`.
        case verifying
        /// `restart`.
        case restarting
        /// The first status of new firmware.
        case reconnecting
        /// The second one.
        case watching
    }

    public enum Kind: String, CaseIterable, Sendable {
        /// It never arrives, and nothing is answered until the link is made anew.
        case requestLost = "request-lost"
        /// It takes effect, and the link goes down before the reply is read; of a chunk without response the credit
        /// alone is lost.
        case replyLost = "reply-lost"
        /// It takes effect, and what is read is the reply before; of a chunk without response the credit comes twice.
        case replyTwice = "reply-twice"
        /// The link goes down before it arrives.
        case linkDropped = "link-dropped"
        /// The battery is pulled out before it arrives, and put back after a moment.
        case powerLostBefore = "power-lost-before"
        /// The same, once it took effect.
        case powerLostAfter = "power-lost-after"
        /// It takes effect, and nothing is answered until the link is made anew.
        case stall
    }

    public init(_ stage: Stage, _ kind: Kind) {
        self.stage = stage
        self.kind = kind
    }

    /// `STAGE:KIND`.
    init?(parsing text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let stage = Stage(rawValue: parts[0]), let kind = Kind(rawValue: parts[1]) else {
            return nil
        }
        self.init(stage, kind)
    }
}
