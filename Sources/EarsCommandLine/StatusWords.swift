public import CommandLineTools
import ControlProtocol
public import Ears

/// One line of a status.
public struct StatusRow: Hashable, Sendable {
    public var name: String
    public var text: String

    public var line: String { name.printable.padded(to: 16) + text }
}

extension EarsStatus {
    /// What these ears do now: settings without the parameters of effects that do not run.
    public var rows: [StatusRow] {
        var rows = settings.filter(isShown).map { setting in
            StatusRow(name: setting.name, text: text(of: setting))
        }
        if let motion {
            rows.append(StatusRow(name: "calibrated", text: motion.isCalibrated ? "yes" : "no: espurr-ctl calibrate"))
        }
        rows.append(StatusRow(name: "battery", text: state.battery.map { "\($0.percent) %" } ?? "not reported"))
        return rows + [StatusRow(name: "last change", text: state.lastChangeInWords)]
    }

    private func isShown(_ setting: Setting) -> Bool {
        guard setting.missingCapability == nil, !setting.isWriteOnly else { return false }
        if case .effect = setting.descriptor?.kind { return false }
        return true
    }

    private func text(of setting: Setting) -> String {
        switch setting.value {
        case .choice(let name) where setting.name == "effect":
            let parameters = settings.first { $0.name == "effect." + name }?.value?.description.printable ?? ""
            return parameters.isEmpty ? name.printable : "\(name.printable), \(parameters)"
        case .palette(let palette):
            return palettes?.name(of: palette).map { "\($0.printable), \(palette.summary)" } ?? palette.summary
        default: return setting.valueInWords
        }
    }

    public var members: [(String, JSON)] {
        let change = state.lastChange.map { change in
            JSON.object([("stage", .string(change.stage.code)), ("revision", .integer(Int64(change.revision)))])
        }
        return [
            ("revision", .integer(Int64(state.revision))), ("last_change", change ?? .null),
            ("battery_percent", .optional(state.battery?.percent)),
            ("settings", .object(settings.filter(isShown).map { ($0.name, $0.value?.json ?? .null) })),
            ("effect_parameters", effectParameters),
            ("palette_name", .optional(palettes.flatMap { $0.name(of: $0.current) })),
            ("calibrated", motion.map { .boolean($0.isCalibrated) } ?? .null),
        ]
    }

    private var effectParameters: JSON {
        guard case .choice(let name) = settings.first(where: { $0.name == "effect" })?.value else { return .null }
        return settings.first { $0.name == "effect." + name }?.value?.json ?? .null
    }
}

extension EarsState {
    fileprivate var lastChangeInWords: String {
        guard let lastChange else { return "none since the ears started" }
        return "\(lastChange.stage.inWords), revision \(revision)"
    }
}

extension ChangeStage {
    var code: String {
        switch self {
        case .none: "none"
        case .pending: "pending"
        case .applied: "applied"
        case .saving: "saving"
        case .saved: "saved"
        case .saveFailed: "save_failed"
        case .unknown(let number): "unknown_\(number)"
        }
    }

    fileprivate var inWords: String {
        switch self {
        case .none: "none"
        case .pending: "pending"
        case .applied: "applied"
        case .saving: "being saved"
        case .saved: "saved"
        case .saveFailed: "applied, and not saved: lost with the next restart"
        case .unknown(let number): "stage \(number), which this version does not know"
        }
    }
}
