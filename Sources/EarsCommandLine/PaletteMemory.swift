public import ControlProtocol
import DurableFiles
public import Ears
import Glibc

/// What the verbs of the palettes are, as the parser reads and a shell completes them.
public enum PaletteVerbName: String, CaseIterable, Sendable {
    case list, show, set, save, rename, delete, restore

    /// What stands behind it, for people.
    public var takes: String {
        switch self {
        case .list: "nothing"
        case .show: "[NAME]"
        case .set: "WORD…"
        case .save, .delete, .restore: "NAME"
        case .rename: "NAME and NEW"
        }
    }

    fileprivate func completions(_ before: Int, _ names: PaletteMemory.Names) -> [String] {
        switch self {
        case .set: PaletteText.words
        case .show, .restore: before == 0 ? names.saved + names.builtIn : []
        case .save, .rename, .delete: before == 0 ? names.saved : []
        case .list: []
        }
    }
}

/// The names of the palettes of the ears that were asked for them last, a file below the cache: the shells complete from it.
///
/// It holds no palette, and is never asked whether there is one.
public struct PaletteMemory: Sendable {
    struct Names: Equatable {
        var saved: [String] = []
        var builtIn: [String] = []
    }

    /// Bytes; more is none of it.
    static let limit = 64 * 1024

    private let folder: String
    private var path: String { folder + "/palettes" }

    /// - Parameter cacheFolder: `$XDG_CACHE_HOME/espurr`.
    public init(cacheFolder: String) { folder = cacheFolder }

    /// What cannot be written is not kept.
    public func keep(_ palettes: Palettes) {
        keep(Names(saved: palettes.saved.map(\.name), builtIn: palettes.builtIn.map(\.name)))
    }

    /// After a command that the ears have carried out.
    public func keep(_ command: PaletteCommand) {
        var names = names()
        switch command {
        case .save(let name, _, _):
            names.saved.removeAll { $0 == name }
            names.saved.append(name)
        case .rename(let name, let newName): names.saved = names.saved.map { $0 == name ? newName : $0 }
        case .delete(let name): names.saved.removeAll { $0 == name }
        case .restore: return
        }
        keep(names)
    }

    func candidates(_ operands: [String]) -> [String] {
        guard let verb = operands.first.flatMap(PaletteVerbName.init) else { return [] }
        return verb.completions(operands.count - 1, names())
    }

    private func keep(_ names: Names) {
        let lines = names.saved.map { "saved " + $0 } + names.builtIn.filter { $0 != "" }.map { "built-in " + $0 }
        let bytes = Array(lines.filter { !$0.utf8.contains(0x0A) }.map { $0 + "\n" }.joined().utf8)
        guard bytes.count <= Self.limit, names != self.names(), (try? makeFolder(folder)) != nil else { return }
        try? DurableFile.replace(path, with: bytes, surviving: .process)
    }

    func names() -> Names {
        guard let bytes = try? ReadableFile.contents(of: path, limit: Self.limit), bytes.count <= Self.limit else {
            return Names()
        }
        return bytes.split(separator: 0x0A).reduce(into: Names()) { names, line in
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return }
            if parts[0] == "saved" { names.saved.append(parts[1]) }
            if parts[0] == "built-in" { names.builtIn.append(parts[1]) }
        }
    }
}
