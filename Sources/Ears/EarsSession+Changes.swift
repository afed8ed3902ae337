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
        let settings = try await settings(named: Set(changes.map(\.name) + changes.compactMap(effectSetting)))
        var items: [(setting: Setting, input: SettingInput)] = []
        for change in changes {
            items.append((try setting(change.name, among: settings), change.input))
            try checkEffect(effectSetting(change), among: settings)
        }
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

    /// Carries out a command as a change of its own, as ``set(_:)`` does.
    ///
    /// - Throws: only where nothing was sent.
    func perform(_ command: EarsCommand) async throws(EarsError) -> SettingOutcome {
        try await send(try await change(command))
    }

    func change(_ command: EarsCommand) async throws(EarsError) -> SettingChange {
        let known = try await knownLayout()
        guard let changeProperty = known.indices[PropertyName.change] else {
            throw .wire(.missingProperty(PropertyName.change))
        }
        guard let property = known.indices[command.property] else {
            throw .setting(
                SettingError(
                    setting: command.property, reason: mode == .recovery ? .wrongMode(.recovery) : .noSuchSetting))
        }
        let change = SettingChange(
            command, property: property, id: makeChangeID(), revision: try await state().revision,
            changeProperty: changeProperty)
        let (bytes, limit) = (change.request.encoded().count, document.requestLimit(of: .control))
        guard bytes <= limit else {
            throw .setting(
                SettingError(setting: command.property, reason: .changeTooLarge(bytes: bytes, limit: limit)))
        }
        return change
    }

    /// An effect that needs a capability is not chosen without it.
    private func checkEffect(_ name: String?, among settings: [Setting]) throws(EarsError) {
        guard let effect = settings.first(where: { $0.name == name }), let capability = effect.missingCapability else {
            return
        }
        throw .setting(effect.error(.capabilityMissing(capability)))
    }

    private func checkSize(_ change: SettingChange, _ first: Setting) throws(EarsError) {
        let bytes = change.request.encoded().count
        let limit = document.requestLimit(of: .control)
        guard bytes <= limit else { throw .setting(first.error(.changeTooLarge(bytes: bytes, limit: limit))) }
    }

    func send(_ change: SettingChange) async throws(EarsError) -> SettingOutcome {
        let reply: Result<LocalControlStatus, EarsError> = await reply(to: change)
        // A cancelled exchange was not begun, and nothing was sent; one that had begun is finished, or abandoned.
        if reply == .failure(.bluetooth(.cancelled)) { throw .bluetooth(.cancelled) }
        do throws(EarsError) {
            switch reply {
            case .success(.success): return try await follow(change.pending)
            case .success: return .refused(try await refusal(of: change.pending), change.pending)
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
    ///
    /// - Throws: only where it was never seen applied.
    private func follow(_ change: PendingChange) async throws(EarsError) -> SettingOutcome {
        let stopwatch = Stopwatch(clock)
        var wasApplied = false
        do throws(EarsError) {
            while true {
                let progress = ChangeProgress(of: change, in: try await state())
                let isLate = stopwatch.elapsed() >= SettingDeadlines.saved
                wasApplied = wasApplied || progress.isApplied
                if let outcome = try await outcome(of: change, progress, isLate: isLate) { return outcome }
                do { try await clock.sleep(for: SettingDeadlines.pollInterval) } catch { throw .bluetooth(.cancelled) }
            }
        } catch {
            if error == .bluetooth(.cancelled) { return await lastLook(at: change, wasApplied) }
            guard wasApplied else { throw error }
            return .appliedUnsettled(change, error, [])
        }
    }

    /// - Returns: nil while it is under way.
    private func outcome(
        of change: PendingChange, _ progress: ChangeProgress, isLate: Bool
    ) async throws(EarsError) -> SettingOutcome? {
        switch progress {
        case .underWay(let isApplied):
            guard isLate else { return nil }
            guard isApplied else { return .unknown(change, .stillPending) }
            return .appliedNotSaved(.deadline, try await readBack(change))
        case .refused(let refusal): return .refused(refusal, change)
        case .notApplied: return .notApplied
        case .superseded: return .unknown(change, .superseded(try await readBack(change)))
        case .saveFailed: return .appliedNotSaved(.saveFailed(await storageHealth()), try await readBack(change))
        case .done:
            let readings = try await readBack(change)
            guard readings.allSatisfy(\.isInForce) else { return .differs(readings) }
            return change.isTemporary ? .appliedTemporary(readings) : .saved(readings)
        }
    }

    /// What a cancellation leaves is one more look.
    private func lastLook(at change: PendingChange, _ wasApplied: Bool) async -> SettingOutcome {
        await LastLook.run {
            var isApplied = wasApplied
            do throws(EarsError) {
                let progress = ChangeProgress(of: change, in: try await self.state())
                isApplied = isApplied || progress.isApplied
                if let outcome = try await self.outcome(of: change, progress, isLate: false) { return outcome }
                if isApplied {
                    return .appliedUnsettled(change, .bluetooth(.cancelled), try await self.readBack(change))
                }
            } catch {
                // It stays at what was seen before.
            }
            return isApplied
                ? .appliedUnsettled(change, .bluetooth(.cancelled), [])
                : .unknown(change, .lost(.bluetooth(.cancelled)))
        }
    }

    /// What it can be that nothing is saved; what cannot be read is read in vain, and nothing is claimed of it.
    private func storageHealth() async -> StorageHealth? { try? await storage().health }

    /// Holds a command that is done to what the ears show of it, which a cancellation does not spare.
    func readBack(
        _ done: SettingOutcome, of change: PendingChange,
        shows: @escaping @Sendable (EarsSession) async throws(EarsError) -> Bool
    ) async -> SettingOutcome {
        do throws(EarsError) {
            return try await shows(self) ? done : .differs([])
        } catch {
            guard error == .bluetooth(.cancelled) else { return .appliedUnsettled(change, error, []) }
        }
        return await LastLook.run {
            do throws(EarsError) { return try await shows(self) ? done : .differs([]) } catch {
                return .appliedUnsettled(change, .bluetooth(.cancelled), [])
            }
        }
    }

    private func readBack(_ change: PendingChange) async throws(EarsError) -> [SettingReading] {
        guard !change.items.isEmpty else { return [] }
        let settings = try await settings(named: Set(change.items.map(\.setting)))
        var readings: [SettingReading] = []
        for item in change.items {
            let setting = try setting(item.setting, among: settings)
            readings.append(
                SettingReading(
                    setting: item.setting, wanted: item.wanted, read: setting.value,
                    unit: setting.descriptor?.unit ?? ""))
        }
        return readings
    }
}

/// The setting of the effect that a change chooses; nil where it chooses none.
private func effectSetting(_ change: (name: String, input: SettingInput)) -> String? {
    guard change.name == PropertyName.effect else { return nil }
    switch change.input {
    case .text(let name), .value(.choice(let name)), .value(.text(let name)): return PropertyName.effectPrefix + name
    case .value, .secret: return nil
    }
}
