internal import Bluetooth
public import ControlProtocol

/// How a repair of the ears' storage ended, as it was read (`Protocol/wire.md`, section 6).
public enum RepairOutcome: Equatable, Sendable {
    /// The storage is good, and it was this repair that made it so.
    case repaired(StorageState)
    /// Not good: nothing can be saved still.
    case failed(StorageState)
    /// It never began: how the change ended that was to begin it.
    case notBegun(SettingOutcome)
    /// The storage is good, and the ears do not say that it was this repair: another one came after, or they restarted.
    case goodOtherwise(StorageState)
    /// Not known; ``EarsSession/settleRepair(_:report:)`` settles it.
    case unknown(PendingChange, EarsError)
    /// The task was cancelled. A repair that was begun cannot be stopped, and goes on by itself; nil: not read.
    case left(StorageState?)
    /// Still under way when it had to be over.
    case overdue(StorageState)
}

public enum RepairDeadlines {
    public static let pollInterval: Duration = .milliseconds(500)
    /// From the change that is applied to *good*: a partition of flash is erased and written anew.
    public static let repaired: Duration = .seconds(60)
}

extension EarsSession {
    /// Property `storage.state`, read afresh.
    ///
    /// - Throws: ``SettingError`` where these ears do not report it.
    public func storage() async throws(EarsError) -> StorageState {
        guard try await knownLayout().indices[PropertyName.storageState] != nil else {
            throw .setting(SettingError(setting: "storage", reason: .capabilityMissing(PropertyName.storageState)))
        }
        let property = try await property(PropertyName.storageState)
        do { return try StorageState(decoding: property.value) } catch {
            throw .wire(.malformedProperty(property.name))
        }
    }

    /// Has the ears repair where they keep settings, and follows it to its end. What ``StorageState/lostByRepair`` names
    /// is lost with it.
    ///
    /// - Parameter report: told of each look at a repair that is under way, with the time since it was first looked at.
    /// - Throws: only where nothing was sent.
    public func repairStorage(
        report: @Sendable (StorageState, Duration) -> Void
    ) async throws(EarsError) -> RepairOutcome {
        _ = try await storage()
        let change = try await change(.storage(.repair))
        return await followed(try await send(change), change.pending, report)
    }

    /// How a repair of an earlier session goes on and ends.
    ///
    /// - Throws: where it cannot be read now either; it stays unknown.
    public func settleRepair(
        _ change: PendingChange, report: @Sendable (StorageState, Duration) -> Void
    ) async throws(EarsError) -> RepairOutcome {
        let outcome = try await settle(change)
        // Another change came after: the storage itself says by which repair it is good.
        if case .unknown(_, .superseded) = outcome { return await followRepair(change, report) }
        return await followed(outcome, change, report)
    }

    private func followed(
        _ outcome: SettingOutcome, _ change: PendingChange, _ report: @Sendable (StorageState, Duration) -> Void
    ) async -> RepairOutcome {
        if case .appliedTemporary = outcome { return await followRepair(change, report) }
        guard let interruption = outcome.interruption else { return .notBegun(outcome) }
        return interruption == .bluetooth(.cancelled) ? .left(await lastLook()) : .unknown(change, interruption)
    }

    private func followRepair(
        _ change: PendingChange, _ report: @Sendable (StorageState, Duration) -> Void
    ) async -> RepairOutcome {
        let stopwatch = Stopwatch(clock)
        while true {
            let state: StorageState
            do throws(EarsError) { state = try await storage() } catch {
                return error.isCancellation ? .left(await lastLook()) : .unknown(change, error)
            }
            if let outcome = RepairOutcome(state, of: change) { return outcome }
            let elapsed = stopwatch.elapsed()
            report(state, elapsed)
            if elapsed >= RepairDeadlines.repaired { return .overdue(state) }
            do { try await clock.sleep(for: RepairDeadlines.pollInterval) } catch { return .left(await lastLook()) }
        }
    }

    private func lastLook() async -> StorageState? { await LastLook.run { try? await self.storage() } }
}

extension RepairOutcome {
    /// Nil while it is under way.
    init?(_ state: StorageState, of change: PendingChange) {
        switch state.health {
        case .good: self = state.repairedBy == change.id ? .repaired(state) : .goodOtherwise(state)
        case .damaged, .repairFailed: self = .failed(state)
        case .repairing, .notReported, .unknown: return nil
        }
    }
}
