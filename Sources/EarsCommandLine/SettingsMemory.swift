public import CommandLineTools
import ControlProtocol
import DurableFiles
public import Ears
import FoundationEssentials
import Glibc

/// What ears said of their properties, a file for each table, below the cache: the next session need not ask again, and
/// the shells complete from the one that was used last.
///
/// It holds names, and the values that a setting can have, never the value that one has.
public struct SettingsMemory: Sendable {
    /// Tables that are kept.
    static let tableLimit = 8

    private let folder: String

    /// - Parameter cacheFolder: `$XDG_CACHE_HOME/espurr`.
    public init(cacheFolder: String) { folder = cacheFolder + "/properties" }

    /// The settings of the firmware that was spoken to last, those that its ears lack the capability for left out.
    func settings() -> [Setting] {
        guard let bytes = tables().first.flatMap({ contents(of: $0) }),
            let table = try? PropertyTable(decoding: bytes, limits: PropertyTable.limits)
        else { return [] }
        return (table.settings ?? []).filter { $0.missingCapability == nil }
    }

    /// What completes a program's words, for ``Program``.
    public static func candidates(
        _ subject: Completion.Subject, _ operands: [String], _ environment: [String: String]
    ) -> [CompletionCandidate] {
        guard let directories = try? UserDirectories(environment: environment) else { return [] }
        if subject == .paletteWords {
            return PaletteMemory(cacheFolder: directories.cache).candidates(operands).map { CompletionCandidate($0) }
        }
        return subject.candidates(operands, among: SettingsMemory(cacheFolder: directories.cache).settings())
    }

    private func contents(of table: String) -> [UInt8]? {
        let limit = PropertyTable.limits.bytes
        guard let bytes = try? ReadableFile.contents(of: folder + "/" + table, limit: limit), bytes.count <= limit
        else { return nil }
        return bytes
    }

    /// The last one first.
    private func tables() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { PropertyTableHash($0) != nil }
            .compactMap { name -> (String, Int, Int)? in
                var status = stat()
                guard stat(folder + "/" + name, &status) == 0 else { return nil }
                return (name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            }
            .sorted { ($0.1, $0.2) > ($1.1, $1.2) }.map(\.0)
    }
}

extension SettingsMemory: PropertyTableMemory {
    public func recall(_ hash: PropertyTableHash) -> [UInt8]? {
        guard let bytes = contents(of: hash.description) else { return nil }
        touch(hash)
        return bytes
    }

    /// The kernel's own stamp is as coarse as its ticks: two tables of one tick would be in no order.
    private func touch(_ hash: PropertyTableHash) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        _ = withUnsafePointer(to: (now, now)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                utimensat(AT_FDCWD, folder + "/" + hash.description, times, 0)
            }
        }
    }

    /// What cannot be written is not kept, and the next reading tries again. What a power cut leaves of it is not taken
    /// for a table: its name says what it has to hold.
    public func keep(_ table: [UInt8], as hash: PropertyTableHash) {
        guard recall(hash) != table else { return }
        let path = folder + "/" + hash.description
        guard (try? makeFolder(folder)) != nil,
            (try? DurableFile.replace(path, with: table, surviving: .process)) != nil
        else { return }
        touch(hash)
        for old in tables().dropFirst(Self.tableLimit) { unlink(folder + "/" + old) }
    }

    public func forget(_ hash: PropertyTableHash) { unlink(folder + "/" + hash.description) }
}

extension Completion.Subject {
    /// What fits after the operands.
    fileprivate func candidates(_ operands: [String], among settings: [Setting]) -> [CompletionCandidate] {
        switch self {
        case .settings: return settings.filter { !operands.contains($0.name) }.map(\.candidate)
        case .settingsWithValues:
            guard let name = operands.last, !operands.count.isMultiple(of: 2) else {
                let named = stride(from: 0, to: operands.count, by: 2).map { operands[$0] }
                return settings.filter { $0.isArgument && !named.contains($0.name) }.map(\.candidate)
            }
            return settings.first { $0.name == name }?.values.map { CompletionCandidate($0) } ?? []
        case .effect:
            guard let name = operands.first else {
                return settings.first { $0.name == Setting.effectName }?.values.map { CompletionCandidate($0) } ?? []
            }
            let named = Set(operands.dropFirst().map { String($0.prefix { $0 != "=" }) })
            let effect = settings.first { $0.name == Setting.name(ofEffect: name) }
            return effect?.parameterWords(without: named).map { CompletionCandidate($0.word, $0.title) } ?? []
        case .paletteWords: return []
        }
    }
}

extension Setting {
    fileprivate var candidate: CompletionCandidate { CompletionCandidate(name, descriptor?.title ?? "") }

    /// Whether its value can be given as an argument: a secret never is.
    fileprivate var isArgument: Bool { !isReadOnly && !isSecret }

    /// Those that it can have, where they can be listed.
    fileprivate var values: [String] {
        switch descriptor?.kind {
        case .boolean: Self.switchWords
        case .enumeration(let choices): choices
        case .effect: parameterWords().map(\.word)
        case .palette: PaletteText.words
        default: []
        }
    }
}
