public import ControlProtocol

/// What a pair of ears is doing, by one reading.
public struct EarsStatus: Equatable, Sendable {
    public var state: EarsState
    public var settings: [Setting]
    /// Nil where these ears have none.
    public var palettes: Palettes?
    /// Nil where these ears lack the sensors.
    public var motion: MotionState?
}

extension EarsSession {
    /// How often a reading is begun anew because the ears changed during it.
    private static let attempts = 3

    /// Everything at one revision; of ears that change all the time, the last of three readings.
    public func status() async throws(EarsError) -> EarsStatus {
        var status = try await statusOnce()
        for _ in 1..<Self.attempts {
            guard try await state().revision != status.state.revision else { return status }
            status = try await statusOnce()
        }
        return status
    }

    private func statusOnce() async throws(EarsError) -> EarsStatus {
        let state = try await state()
        let settings = try await settings()
        return EarsStatus(
            state: state, settings: settings,
            palettes: try await missing { () throws(EarsError) in try await palettes() },
            motion: try await missing { () throws(EarsError) in try await motion() })
    }

    /// Nil where these ears do not have it; every other error stays one.
    private func missing<Value: Sendable>(
        _ read: () async throws(EarsError) -> Value
    ) async throws(EarsError) -> Value? {
        do throws(EarsError) { return try await read() } catch {
            guard case .setting(let fault) = error else { throw error }
            switch fault.reason {
            case .noSuchSetting, .capabilityMissing, .unknownKind: return nil
            default: throw error
            }
        }
    }

    /// The changes as few as fit the ears' requests, in their order; one that does not fit alone stands alone.
    public func batches(
        _ changes: [(name: String, input: SettingInput)]
    ) async throws(EarsError) -> [[(name: String, input: SettingInput)]] {
        let settings = try await settings(named: Set(changes.map(\.name)))
        let limit = document.requestLimit(of: .control)
        var batches: [[(name: String, input: SettingInput)]] = []
        var last: [(setting: Setting, input: SettingInput)] = []
        for change in changes {
            let item = (try setting(change.name, among: settings), change.input)
            if !last.isEmpty, try size(last + [item]) <= limit {
                last.append(item)
                batches[batches.count - 1].append(change)
            } else {
                last = [item]
                batches.append([change])
            }
        }
        return batches
    }

    /// With the largest numbers, so that the real change is never larger.
    private func size(_ items: [(setting: Setting, input: SettingInput)]) throws(EarsError) -> Int {
        do {
            return try SettingChange(items, id: .max, revision: .max, changeProperty: EarsLimits.properties).request
                .encoded().count
        } catch { throw .setting(error) }
    }
}
