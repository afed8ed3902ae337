internal import Bluetooth
internal import ControlProtocol

extension EarsSession {
    /// Sets one or several settings as one change, and reads back how it ended.
    ///
    /// Everything is checked against the ears' own descriptions first. The change names the revision it was made on,
    /// so the ears refuse it as stale where somebody else changed them meanwhile; it is never sent a second time.
    ///
    /// - Throws: only where nothing was sent. What happens from then on is an outcome.
    public func set(_ changes: [(name: String, input: SettingInput)]) async throws(EarsError) -> SettingOutcome {
        let settings = try await settings()
        var items: [(setting: Setting, input: SettingInput)] = []
        for change in changes { items.append((try setting(change.name, among: settings), change.input)) }
        guard let first = items.first else { return .saved([]) }
        guard let changeProperty = layout?.indices[PropertyName.change] else {
            throw .wire(.missingProperty(PropertyName.change))
        }
        let revision = try await state().revision
        let change: SettingChange
        do {
            change = try SettingChange(
                items, id: makeChangeID(), revision: revision, changeProperty: changeProperty)
        } catch { throw .setting(error) }
        try checkSize(change, first.setting)
        return try await send(change)
    }

    private func checkSize(_ change: SettingChange, _ first: Setting) throws(EarsError) {
        let bytes = change.request.encoded().count
        let limit = document.requestLimit(of: .control)
        guard bytes <= limit else { throw .setting(first.error(.changeTooLarge(bytes: bytes, limit: limit))) }
    }

    private func send(_ change: SettingChange) async throws(EarsError) -> SettingOutcome {
        let reply: Result<LocalControlStatus, EarsError> = await reply(to: change)
        // An exchange that began is always finished: a cancelled one was not begun, and nothing was sent.
        if reply == .failure(.bluetooth(.cancelled)) { throw .bluetooth(.cancelled) }
        do throws(EarsError) {
            switch reply {
            case .success(.success): return try await follow(change.pending)
            case .success: return .refused(try await refusal(of: change.pending))
            case .failure(let error) where error.endsSession: return .unknown(change.pending, .lost(error))
            // The link is up, only the reply is of no use: the state says what became of the change.
            case .failure: return try await follow(change.pending)
            }
        } catch {
            return .unknown(change.pending, .lost(error))
        }
    }

    private func reply(to change: SettingChange) async -> Result<LocalControlStatus, EarsError> {
        do throws(EarsError) {
            guard case .setPropertyValues(let status) = try await control(change.request) else {
                throw .wire(.unexpectedReply(.control))
            }
            return .success(status)
        } catch {
            return .failure(error)
        }
    }

    /// How a change of an earlier session with these ears ended, by its id.
    ///
    /// - Throws: where it cannot be read now either; it stays unknown.
    public func settle(_ change: PendingChange) async throws(EarsError) -> SettingOutcome {
        try await follow(change)
    }

    private func refusal(of change: PendingChange) async throws(EarsError) -> SettingRefusal? {
        let refusal = try await state().lastRefusal
        return refusal?.changeID == change.id ? refusal : nil
    }

    /// Looks at the state until the change has ended, or its deadline has.
    private func follow(_ change: PendingChange) async throws(EarsError) -> SettingOutcome {
        let stopwatch = Stopwatch(clock)
        while true {
            let state = try await state()
            let isLate = stopwatch.elapsed() >= SettingDeadlines.saved
            switch ChangeProgress(of: change, in: state) {
            case .underWay(let isApplied):
                guard isLate else { break }
                guard isApplied else { return .unknown(change, .stillPending) }
                return .appliedNotSaved(.deadline, try await readBack(change))
            case .refused(let refusal): return .refused(refusal)
            case .notApplied: return .notApplied
            case .superseded: return .unknown(change, .superseded(try await readBack(change)))
            case .saveFailed: return .appliedNotSaved(.saveFailed, try await readBack(change))
            case .done:
                let readings = try await readBack(change)
                guard readings.allSatisfy(\.isInForce) else { return .differs(readings) }
                return change.isTemporary ? .appliedTemporary(readings) : .saved(readings)
            }
            do { try await clock.sleep(for: SettingDeadlines.pollInterval) } catch { throw .bluetooth(.cancelled) }
        }
    }

    private func readBack(_ change: PendingChange) async throws(EarsError) -> [SettingReading] {
        let settings = try await settings()
        var readings: [SettingReading] = []
        for item in change.items {
            let setting = try setting(item.setting, among: settings)
            readings.append(SettingReading(setting: item.setting, wanted: item.wanted, read: setting.value))
        }
        return readings
    }
}
