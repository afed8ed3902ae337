public import CommandLineTools
import ControlProtocol
public import Ears

/// What applying a file would change, and what in it cannot be applied: pure, before anything is sent.
public struct ApplyPlan: Sendable {
    struct Difference: Hashable, Sendable {
        var setting: Setting
        var wanted: SettingValue
    }

    struct PaletteDifference: Hashable, Sendable {
        var name: String
        var wanted: Palette
        /// Nil where no palette has the name yet.
        var current: Palette?
    }

    /// In the ears' order.
    private(set) var settings: [Difference] = []
    private(set) var palettes: [PaletteDifference] = []
    public private(set) var problems: [CommandFailure] = []
    /// Left out because these ears do not have it.
    public private(set) var leftOut: [String] = []

    public var isEmpty: Bool { settings.isEmpty && palettes.isEmpty }
    public var replacesPalettes: Bool { palettes.contains { $0.current != nil } }

    /// - Parameter leavesOut: whether what these ears lack is left out, or is a problem.
    public init(_ document: ExportDocument, _ status: EarsStatus, leavesOut: Bool) {
        for setting in status.settings {
            guard let exported = document.settings[setting.name] else { continue }
            if let missing = setting.missingCapability, leavesOut {
                leftOut.append("\(setting.name) (needs \(missing))")
            } else {
                take(exported, for: setting, status.settings, leavesOut)
            }
        }
        let known = Set(status.settings.map(\.name))
        for name in document.settings.keys.sorted() where !known.contains(name) {
            miss(name, SettingError(setting: name, reason: .noSuchSetting), leavesOut)
        }
        guard !document.palettes.isEmpty else { return }
        if let palettes = status.palettes {
            take(document.palettes, palettes)
        } else {
            miss("palettes", SettingError(setting: "palette", reason: .noSuchSetting), leavesOut)
        }
    }

    private mutating func miss(_ name: String, _ error: SettingError, _ leavesOut: Bool) {
        if leavesOut { leftOut.append(name) } else { problems.append(CommandFailure(error)) }
    }

    private mutating func take(
        _ exported: ParsedJSON, for setting: Setting, _ settings: [Setting], _ leavesOut: Bool
    ) {
        do throws(SettingError) {
            guard !setting.isSecret else { throw SettingError(setting: setting.name, reason: .secret) }
            guard let wanted = setting.value(of: exported) else {
                throw SettingError(setting: setting.name, reason: .wrongType)
            }
            guard var difference = setting.difference(to: wanted) else { return }
            if leavesOut { difference = leaveOutMissing(of: difference, setting) }
            try setting.check(difference)
            if let effect = settings.chosen(by: difference, of: setting), let missing = effect.missingCapability {
                guard !leavesOut else { return leftOut.append("\(effect.name) (needs \(missing))") }
                throw SettingError(setting: effect.name, reason: .capabilityMissing(missing))
            }
            if case .parameters(let parameters) = difference, parameters.values.isEmpty { return }
            self.settings.append(Difference(setting: setting, wanted: difference))
        } catch {
            problems.append(CommandFailure(error))
        }
    }

    /// Of an effect, without the parameters that these ears lack the capability for.
    private mutating func leaveOutMissing(of value: SettingValue, _ setting: Setting) -> SettingValue {
        guard case .parameters(var parameters) = value, case .effect(let described) = setting.descriptor?.kind else {
            return value
        }
        parameters.values.removeAll { parameter in
            let capability = described.first { $0.name == parameter.name }?.capability ?? ""
            guard let missing = setting.lacks(capability) else { return false }
            leftOut.append("\(setting.name) \(parameter.name) (needs \(missing))")
            return true
        }
        return .parameters(parameters)
    }

    private mutating func take(_ wanted: [NamedPalette], _ palettes: Palettes) {
        for saved in wanted {
            guard let palette = saved.palette else { continue }
            let current = palettes.isSaved(saved.name) ? palettes.named(saved.name)?.palette : nil
            guard current != palette else { continue }
            if let fault = palettes.fault(ofName: saved.name) {
                problems.append(CommandFailure(fault, of: saved.name))
            } else if let fault = palettes.fault(of: palette) {
                problems.append(
                    .usage("the palette “\(saved.name.printable)”: \(fault.inWords); nothing was sent"))
            } else {
                self.palettes.append(PaletteDifference(name: saved.name, wanted: palette, current: current))
            }
        }
        let new = self.palettes.filter { $0.current == nil }.count
        let free = palettes.places - palettes.saved.count
        guard new > free else { return }
        problems.append(
            CommandFailure(
                .earsRefused, code: "no_space",
                cause: "\(new) palettes are new and \(free) places are free; nothing was sent",
                remedy: "delete a saved palette: espurr-ctl palette"))
    }

    // MARK: Words

    /// One line for each difference: `brightness: 60 % → 40 %`.
    public var lines: [String] { settings.map(\.line) + palettes.map(\.line) }

    /// What has become of them once all ended well. A temporary setting is never saved.
    public var doneInWords: String {
        let temporary = settings.filter(\.setting.isTemporary).map(\.setting.name.printable)
        if temporary.isEmpty { return "applied and saved" }
        if temporary.count == settings.count, palettes.isEmpty { return "applied until the next restart" }
        return "applied and saved; until the next restart alone: \(temporary.joined(separator: ", "))"
    }

    public var members: [(String, JSON)] {
        [
            (
                "differences",
                .array(
                    settings.map { difference in
                        .object([
                            ("name", .string(difference.setting.name)),
                            ("from", difference.setting.value?.json ?? .null), ("to", difference.wanted.json),
                        ])
                    })
            ),
            (
                "palettes",
                .array(
                    palettes.map { difference in
                        .object([
                            ("name", .string(difference.name)), ("from", difference.current?.json ?? .null),
                            ("to", difference.wanted.json),
                        ])
                    })
            ), ("left_out", .array(leftOut.map(JSON.string))),
        ]
    }
}

extension [Setting] {
    /// The setting of the effect that a value chooses; nil where it chooses none.
    fileprivate func chosen(by value: SettingValue, of setting: Setting) -> Setting? {
        guard setting.name == "effect", case .choice(let name) = value else { return nil }
        return first { $0.name == "effect." + name }
    }
}

extension ApplyPlan.Difference {
    var line: String {
        let unit = setting.unit.isEmpty ? "" : " " + setting.unit.printable
        var before = setting.value?.description ?? "?"
        // Of an effect only the parameters that differ.
        if case .parameters(let wanted) = wanted, case .parameters(let current) = setting.value {
            let names = wanted.values.map(\.name)
            before =
                SettingValue.parameters(EffectParameters(values: current.values.filter { names.contains($0.name) }))
                .description
        }
        // Fields that this version does not know are in no words.
        let note = before == wanted.description ? "  (in what this version does not know)" : ""
        return "\(setting.name): \(before)".printable + unit + " → " + wanted.description.printable + unit + note
    }
}

extension ApplyPlan.PaletteDifference {
    var line: String {
        let before = current.map { "“\($0.inWords)” → " } ?? "new, "
        let note = current?.inWords == wanted.inWords ? "  (in what this version does not know)" : ""
        return "palette “\(name.printable)”: \(before)“\(wanted.inWords)”\(note)"
    }
}
