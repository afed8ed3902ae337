import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `palette`: the palette in force, and the saved ones.
struct PaletteVerb: Verb {
    static let usage = Usage(
        "palette", "show, set, save and restore palettes",
        operands: Operands(
            "\(PaletteVerbName.allCases.map(\.rawValue).joined(separator: "|")) [WORD…]", 1...40,
            completes: .verbs(PaletteVerbName.allCases.map(\.rawValue), then: .remembered(.paletteWords))),
        options: EarsOptions.options + [.yes],
        details: [
            "palette list: saved and built-in palettes, the one in force marked.",
            "palette show [NAME]: one palette as “palette set” takes it; without a name the one in force.",
            "palette set WORD…: changes the one in force. A word is a stop, POSITION:RRGGBB with a position from 0 to "
                + "255, or RRGGBB alone (then all are spread evenly); smooth or bands; cycling=on or cycling=off (hue "
                + "cycling); glow=PERCENT (background glow). Stops replace all stops; what is not named stays.",
            "palette save NAME: keeps the palette in force under a name; asks before it replaces one.",
            "palette rename NAME NEW, palette delete NAME (asks): of saved palettes.",
            "palette restore NAME: a saved or built-in palette comes into force; asks, for the one in force is lost "
                + "where it was not saved.",
            "Colours are kept as they are given: neither brightness nor a correction is worked into them.",
        ])

    enum Action: Sendable {
        case list
        case show(String?)
        case set([String])
        case save(String)
        case rename(String, String)
        case delete(String)
        case restore(String)
    }

    let options: EarsOptions
    let action: Action
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        isConfirmed = arguments.has(.yes)
        action = try Action(arguments.operands)
    }

    var isForItsOutput: Bool {
        switch action {
        case .list, .show: true
        case .set, .save, .rename, .delete, .restore: false
        }
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        if case .set(let words) = action {
            return try await invocation.change([("palette", .text(words.joined(separator: " ")))], options)
        }
        let finder = try EarsFinder(invocation)
        return try await finder.withSettings(options) { owned throws(CommandFailure) in
            let palettes = try await askingEars { () throws(EarsError) in try await owned.session.palettes() }
            let memory = PaletteMemory(cacheFolder: finder.directories.cache)
            memory.keep(palettes)
            switch action {
            case .set: return .done
            case .list: invocation.show(palettes.members, palettes.lines)
            case .show(let name): try show(name, palettes, invocation)
            case .save, .rename, .delete, .restore:
                guard let command = try await command(palettes, invocation) else { return .done }
                let outcome = try await finder.settled(owned, options) { session throws(EarsError) in
                    try await session.perform(command)
                }
                if case .saved = outcome { memory.keep(command) }
                return invocation.report(
                    outcome, of: command.typed, more: command.members, done: [command.done])
            }
            return .done
        }
    }

    private func show(_ name: String?, _ palettes: Palettes, _ invocation: Invocation) throws(CommandFailure) {
        guard let name else { return invocation.show([("palette", palettes.current.json)], typed: palettes.current) }
        guard let palette = palettes.named(name)?.palette else { throw .noPalette(name, among: palettes.all) }
        invocation.show([("name", .string(name)), ("palette", palette.json)], typed: palette)
    }

    /// What is sent, once names were checked and the person was asked.
    private func command(_ palettes: Palettes, _ invocation: Invocation) async throws(CommandFailure) -> PaletteCommand?
    {
        switch action {
        case .list, .show, .set: return nil
        case .save(let name):
            try check(name, palettes)
            let replaces = palettes.isSaved(name)
            if replaces { try await ask("Replace the saved palette “\(name.printable)”?", invocation) }
            return .save(name: name, replace: replaces, palette: nil)
        case .rename(let name, let newName):
            try checkSaved(name, palettes)
            try check(newName, palettes)
            guard name == newName || !palettes.isSaved(newName) else {
                throw CommandFailure(
                    .usage, code: "name_refused",
                    cause: "“\(newName.printable)”: a saved palette has that name; nothing was sent",
                    remedy: "choose another name")
            }
            return .rename(name: name, newName: newName)
        case .delete(let name):
            try checkSaved(name, palettes)
            try await ask("Delete the saved palette “\(name.printable)”?", invocation)
            return .delete(name: name)
        case .restore(let name):
            guard palettes.named(name) != nil else { throw .noPalette(name, among: palettes.all) }
            try await ask("Replace the palette in force by “\(name.printable)”?", invocation)
            return .restore(name: name)
        }
    }

    private func check(_ name: String, _ palettes: Palettes) throws(CommandFailure) {
        if let fault = palettes.fault(ofName: name) { throw CommandFailure(fault, of: name) }
    }

    private func checkSaved(_ name: String, _ palettes: Palettes) throws(CommandFailure) {
        guard !palettes.isSaved(name) else { return }
        guard palettes.isBuiltIn(name) else { throw .noPalette(name, among: palettes.saved) }
        throw CommandFailure(
            .usage, code: "built_in", cause: "“\(name.printable)” is a built-in palette and stays as it is")
    }

    private func ask(_ question: String, _ invocation: Invocation) async throws(CommandFailure) {
        try await invocation.ask(question, isAnswered: isConfirmed, by: "--yes")
    }
}

extension PaletteVerb.Action {
    init(_ words: [String]) throws(CommandFailure) {
        let rest = Array(words.dropFirst())
        guard let verb = PaletteVerbName(rawValue: words[0]) else {
            throw .usage("“palette” has no “\(words[0].printable)”", remedy: "see “espurr-ctl palette --help”")
        }
        switch (verb, rest.count) {
        case (.list, 0): self = .list
        case (.show, 0...1): self = .show(rest.first)
        case (.set, 1...): self = .set(rest)
        case (.save, 1): self = .save(rest[0])
        case (.rename, 2): self = .rename(rest[0], rest[1])
        case (.delete, 1): self = .delete(rest[0])
        case (.restore, 1): self = .restore(rest[0])
        case (_, let count):
            let typed = "“palette \(verb.rawValue)”"
            throw .usage(
                count == 0 ? "\(typed) needs \(verb.takes)" : "\(typed) takes \(verb.takes) and no more",
                remedy: "see “espurr-ctl palette --help”")
        }
    }
}

extension PaletteCommand {
    fileprivate var members: [(String, JSON)] {
        switch self {
        case .save(let name, let replace, _):
            [("command", .string("save")), ("name", .string(name)), ("replaced", .boolean(replace))]
        case .rename(let name, let newName):
            [("command", .string("rename")), ("name", .string(name)), ("new_name", .string(newName))]
        case .delete(let name): [("command", .string("delete")), ("name", .string(name))]
        case .restore(let name): [("command", .string("restore")), ("name", .string(name))]
        }
    }

    /// `palette save “Abend”`
    fileprivate var typed: String {
        switch self {
        case .save(let name, _, _): "palette save “\(name.printable)”"
        case .rename(let name, let newName): "palette rename “\(name.printable)” “\(newName.printable)”"
        case .delete(let name): "palette delete “\(name.printable)”"
        case .restore(let name): "palette restore “\(name.printable)”"
        }
    }

    fileprivate var done: String {
        switch self {
        case .save(let name, let replace, _): "\(replace ? "replaced" : "saved") “\(name.printable)”"
        case .rename(let name, let newName): "renamed “\(name.printable)” to “\(newName.printable)”"
        case .delete(let name): "deleted “\(name.printable)”"
        case .restore(let name): "“\(name.printable)” is in force"
        }
    }
}

extension Invocation {
    /// One document, or lines.
    func show(_ members: [(String, JSON)], _ lines: [String]) {
        if wantsJSON {
            console.print(JSON.document(schema, members))
        } else {
            for line in lines { console.show(line) }
        }
    }

    /// One document, or the palette as it is typed: a line that can be copied.
    fileprivate func show(_ members: [(String, JSON)], typed palette: Palette) {
        console.print(wantsJSON ? JSON.document(schema, members).text : palette.inWords)
    }
}
