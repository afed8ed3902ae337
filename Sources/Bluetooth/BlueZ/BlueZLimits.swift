/// How long BlueZ may take for what does not wait for a radio or a person, and how much is kept of what it brings.
public struct BlueZLimits: Hashable, Sendable {
    /// For a diagnosis, which is to be there in under a second.
    public static let diagnosis = BlueZLimits(answer: .milliseconds(500), cleanup: .milliseconds(100))

    /// Opening the bus, and each answer of the daemon. Later than this it counts as silent.
    public var answer: Duration
    /// `Disconnect` until the link is down; 2 to 2.7 s were seen.
    public var disconnect: Duration
    /// Cleaning up after a cancelled or failed operation: each call that it takes.
    public var cleanup: Duration
    /// How much longer an exchange may take whose task was cancelled, and a daemon that hangs be waited for then. A reply
    /// takes two connection intervals, and flash work stalls it.
    public var cancelledExchange: Duration
    /// How long the signals that explain an error may come after it.
    public var settle: Duration
    /// Notifications that wait unread in one stream; the next one ends it.
    public var unreadNotifications: Int

    public init(
        answer: Duration = .seconds(5), disconnect: Duration = .seconds(10), cleanup: Duration = .seconds(4),
        cancelledExchange: Duration = .seconds(2), settle: Duration = .milliseconds(500),
        unreadNotifications: Int = 1024
    ) {
        self.answer = answer
        self.disconnect = disconnect
        self.cleanup = cleanup
        self.cancelledExchange = cancelledExchange
        self.settle = settle
        self.unreadNotifications = unreadNotifications
    }
}
