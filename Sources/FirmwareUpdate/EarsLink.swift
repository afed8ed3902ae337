internal import Bluetooth
internal import Ears

/// The way to one pair of ears, over the ends of links that an update brings with it.
actor EarsLink {
    private(set) var session: EarsSession
    /// Whoever opened it lets it go.
    private let first: EarsSession
    private let central: any Central
    private let pace: Pace
    private let report: @Sendable (InstallationEvent) -> Void

    init(
        session: EarsSession, central: any Central, pace: Pace, report: @escaping @Sendable (InstallationEvent) -> Void
    ) {
        self.session = session
        first = session
        self.central = central
        self.pace = pace
        self.report = report
    }

    /// A fresh reading, over one unannounced loss of the link at most.
    func reading() async throws(EarsError) -> UpdateReading {
        do {
            return try await readingOnThisLink()
        } catch {
            guard error.endsSession, !Task.isCancelled else { throw error }
            // After a cancellation it is this side that has no more use for the link.
            if !error.isCancellation, !LastLook.isHurried { report(.linkLost(error)) }
            // After a deadline the link may still be up, and is of no use any more.
            try? await session.disconnect()
            try await connect(deadline: pace.deadlines.recovering)
            return try await session.updateReading()
        }
    }

    /// Where BlueZ gave up waiting for an answer it says so as an ATT error, and ends the link next: a status is harmless
    /// to ask for again, and then tells a lost link from ears that refuse it.
    private func readingOnThisLink() async throws(EarsError) -> UpdateReading {
        do {
            return try await session.updateReading()
        } catch {
            guard
                error == .bluetooth(.attribute(code: Self.unlikelyError, during: .write))
                    || error == .bluetooth(.attribute(code: Self.unlikelyError, during: .read))
            else { throw error }
            return try await session.updateReading()
        }
    }

    /// `ATT_ERROR_UNLIKELY` (Core specification, Vol 3 Part F 3.4.1.1).
    private static let unlikelyError: UInt8 = 0x0E

    /// Ends a link that was made here, whatever became of the task: BlueZ would keep it, and the ears with it.
    func letGo() async {
        let session = session
        guard session !== first else { return }
        await Task { try? await session.disconnect() }.value
    }

    /// Connects again after a restart that was asked for: the ears take a while to come up.
    func reconnect() async throws(EarsError) {
        report(.phase(.reconnecting))
        let stopwatch = pace.stopwatch()
        while true {
            let left = pace.deadlines.reconnecting - stopwatch.elapsed()
            do {
                return try await connect(deadline: min(max(left, .zero), Self.oneTry))
            } catch {
                guard error.mayMendItself,
                    stopwatch.elapsed() + pace.deadlines.retryInterval < pace.deadlines.reconnecting
                else { throw error }
            }
            do { try await pace.pause(pace.deadlines.retryInterval) } catch { throw .bluetooth(.cancelled) }
        }
    }

    /// Whether the link ends in time; where that is not seen, a read tells.
    func linkEnds(within deadline: Duration) async -> Bool {
        let (session, pace) = (session, pace)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await session.linkEnded()
                return true
            }
            group.addTask {
                try? await pace.clock.sleep(for: deadline)
                return false
            }
            let ended = await group.next() ?? false
            group.cancelAll()
            return ended && !Task.isCancelled
        }
    }

    private func connect(deadline: Duration) async throws(EarsError) {
        let peripheral = session.peripheral
        let connected: any Peripheral
        do {
            connected = try await central.connect(
                to: peripheral.address, on: peripheral.adapter, deadline: deadline)
        } catch { throw .bluetooth(error) }
        session = try await EarsSession.open(on: connected, clock: pace.clock, memory: session.memory)
    }

    private static let oneTry: Duration = .seconds(20)
}

extension EarsError {
    /// Whether ears that are just starting may answer so.
    fileprivate var mayMendItself: Bool {
        guard case .bluetooth(let error) = self else { return false }
        switch error {
        case .connectFailed, .linkLost, .deadline, .missingService, .unknownDevice, .busy, .attribute: return true
        default: return false
        }
    }
}
