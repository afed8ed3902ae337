internal import ControlProtocol

/// Where a change stands, by one reading of the state.
enum ChangeProgress: Equatable {
    case underWay(isApplied: Bool)
    case done
    case saveFailed
    case refused(SettingRefusal)
    /// The state is still the one that the change was made on, and no change of its id is in it.
    case notApplied
    case superseded

    init(of change: PendingChange, in state: EarsState) {
        if let last = state.lastChange, last.id == change.id {
            self = Self.stage(last.stage, isTemporary: change.isTemporary)
        } else if let refusal = state.lastRefusal, refusal.changeID == change.id {
            self = .refused(refusal)
        } else {
            self = state.revision == change.basedOnRevision ? .notApplied : .superseded
        }
    }

    /// Whether the ears say that it is in force.
    var isApplied: Bool {
        switch self {
        case .underWay(let isApplied): isApplied
        case .done, .saveFailed: true
        case .refused, .notApplied, .superseded: false
        }
    }

    private static func stage(_ stage: ChangeStage, isTemporary: Bool) -> ChangeProgress {
        switch stage {
        case .none, .pending, .unknown: .underWay(isApplied: false)
        case .applied: isTemporary ? .done : .underWay(isApplied: true)
        case .saving: .underWay(isApplied: true)
        case .saved: .done
        case .saveFailed: .saveFailed
        }
    }
}
