/// The stretches of an update that have a deadline of their own.
public enum InstallationPhase: String, Codable, CaseIterable, Sendable {
    case erasing
    case sending
    case verifying
    case restarting
    case reconnecting
    case watching
}

/// How long each phase may take.
public struct PhaseDeadlines: Hashable, Sendable {
    /// A whole slot: 3 to 5 s a MiB as a rule, up to a minute seen.
    public var erasing: Duration
    /// Without one more byte acknowledged.
    public var sendingStalled: Duration
    /// Without a credit in the stream form; then a status is asked for.
    public var creditSilence: Duration
    public var verifying: Duration
    /// From the restart's reply to the end of the link.
    public var linkEnd: Duration
    /// From the end of the link to an open session, after a restart that was asked for.
    public var reconnecting: Duration
    /// The one reconnect after an unannounced loss of the link.
    public var recovering: Duration
    /// From the first read of the new image to VALID, confirmed.
    public var watching: Duration
    public var pollInterval: Duration
    /// Between two tries to connect after a restart.
    public var retryInterval: Duration

    public init(
        erasing: Duration = .seconds(120), sendingStalled: Duration = .seconds(60),
        creditSilence: Duration = .seconds(2),
        verifying: Duration = .seconds(60), linkEnd: Duration = .seconds(10), reconnecting: Duration = .seconds(90),
        recovering: Duration = .seconds(30), watching: Duration = .seconds(120),
        pollInterval: Duration = .milliseconds(500), retryInterval: Duration = .seconds(1)
    ) {
        self.erasing = erasing
        self.sendingStalled = sendingStalled
        self.creditSilence = creditSilence
        self.verifying = verifying
        self.linkEnd = linkEnd
        self.reconnecting = reconnecting
        self.recovering = recovering
        self.watching = watching
        self.pollInterval = pollInterval
        self.retryInterval = retryInterval
    }
}
