public import Bluetooth
public import CommandLineTools
import Ears
import Synchronization

extension EarsFinder {
    /// Scans until `enough` says so or the time is up.
    ///
    /// - Parameter enough: told each event and all that are there then, one call at a time.
    /// - Returns: what was heard or known at any time, in the order of appearance.
    public func scan(
        on adapter: AdapterName, for time: Duration,
        until enough: @escaping @Sendable (ScanEvent, [Sighting]) -> Bool
    ) async throws(CommandFailure) -> [Sighting] {
        let scan = OngoingScan(clock: clock, enough: enough)
        let central = central
        let clock = clock
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await sighting in central.discover(EarsSession.service, on: adapter) {
                        if scan.take(sighting) { return }
                    }
                }
                group.addTask { try await clock.sleep(for: time) }
                group.addTask {
                    repeat { try await clock.sleep(for: scan.timeToAgeing) } while !scan.age()
                }
                try await group.next()
                group.cancelAll()
            }
        } catch let error as BluetoothError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure.interrupted
        }
        if Task.isCancelled { throw CommandFailure.interrupted }
        return scan.everSeen
    }
}

/// A list that two tasks keep, and who is told of it.
private final class OngoingScan: Sendable {
    private let list = Mutex(SightingList())
    private let stopwatch: Stopwatch
    private let enough: @Sendable (ScanEvent, [Sighting]) -> Bool

    init(clock: any Clock<Duration>, enough: @escaping @Sendable (ScanEvent, [Sighting]) -> Bool) {
        stopwatch = Stopwatch(clock)
        self.enough = enough
    }

    var everSeen: [Sighting] { list.withLock(\.everSeen) }

    var timeToAgeing: Duration {
        let now = stopwatch.elapsed()
        return list.withLock { $0.nextAgeing(after: now) } - now
    }

    func take(_ sighting: Sighting) -> Bool {
        let now = stopwatch.elapsed()
        return list.withLock { list in
            list.take(sighting, at: now).map { enough($0, list.present) } ?? false
        }
    }

    func age() -> Bool {
        let now = stopwatch.elapsed()
        return list.withLock { list in
            list.age(at: now).contains { enough($0, list.present) }
        }
    }
}
