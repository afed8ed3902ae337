public import CommandLineTools
import ControlProtocol
import DurableFiles
public import Ears
import Foundation

/// What ears said of their settings, kept for completion: one file for each firmware, below the cache.
///
/// It holds names and the values that a setting can have, never the value that one has. What is completed comes from the
/// firmware that was spoken to last.
public struct SettingsMemory: Sendable {
    /// Bytes of a file.
    static let fileLimit = 64 * 1024
    /// Firmwares that are kept.
    static let firmwareLimit = 8

    private let folder: String

    /// - Parameter cacheFolder: `$XDG_CACHE_HOME/espurr`.
    public init(cacheFolder: String) { folder = cacheFolder + "/settings" }

    /// Keeps it; what cannot be written is not kept, and the next reading tries again.
    public func remember(_ described: DescribedFirmware) {
        guard let name = Self.fileName(described), let bytes = Page(described).encoded,
            bytes.count <= Self.fileLimit
        else { return }
        let path = folder + "/" + name
        guard (try? ReadableFile.contents(of: path, limit: Self.fileLimit)) != bytes else {
            utimes(path, nil)
            return
        }
        guard (try? makeFolder(folder)) != nil, (try? DurableFile.replace(path, with: bytes)) != nil else {
            return
        }
        for old in pages().dropFirst(Self.firmwareLimit) { unlink(folder + "/" + old) }
    }

    /// The settings of the firmware that was spoken to last.
    func recall() -> [RememberedSetting] {
        guard let name = pages().first,
            let bytes = try? ReadableFile.contents(of: folder + "/" + name, limit: Self.fileLimit),
            bytes.count <= Self.fileLimit, let page = try? JSONDecoder().decode(Page.self, from: Data(bytes)),
            page.schema == Page.currentSchema
        else { return [] }
        return page.settings
    }

    /// What completes a program's words, for ``Program``.
    public static func candidates(
        _ subject: Completion.Subject, _ operands: [String], _ environment: [String: String]
    ) -> [CompletionCandidate] {
        guard let directories = try? UserDirectories(environment: environment) else { return [] }
        let settings = SettingsMemory(cacheFolder: directories.cache).recall()
        switch subject {
        case .settings: return settings.filter { !operands.contains($0.name) }.map(\.candidate)
        case .settingsWithValues:
            guard let name = operands.last, !operands.count.isMultiple(of: 2) else {
                let named = stride(from: 0, to: operands.count, by: 2).map { operands[$0] }
                return settings.filter { !$0.isReadOnly && !named.contains($0.name) }.map(\.candidate)
            }
            return settings.first { $0.name == name }?.values.map { CompletionCandidate($0) } ?? []
        }
    }

    /// A family and a version name a file only where they are as simple as they have to be.
    private static func fileName(_ described: DescribedFirmware) -> String? {
        let parts = [described.device.family, described.device.firmwareVersion]
        let isSimple = parts.allSatisfy { part in
            (1...31).contains(part.utf8.count) && part.first != "."
                && part.utf8.allSatisfy { byte in
                    let character = Character(Unicode.Scalar(byte))
                    return character.isASCII && (character.isLetter || character.isNumber || "-.".contains(character))
                }
        }
        return isSimple ? parts.joined(separator: "_") + Self.suffix : nil
    }

    private static let suffix = ".json"

    /// The last one first.
    private func pages() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
            .compactMap { name -> (String, Int, Int)? in
                var status = stat()
                guard stat(folder + "/" + name, &status) == 0 else { return nil }
                return (name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            }
            .sorted { ($0.1, $0.2) > ($1.1, $1.2) }.map(\.0)
    }
}

/// A setting as the memory has it.
struct RememberedSetting: Codable, Hashable {
    /// Values of one setting at most.
    private static let valueLimit = 64

    var name: String
    var title: String
    var isReadOnly: Bool
    /// Those that it can have, where they can be listed.
    var values: [String]

    init(_ setting: Setting) {
        name = setting.name
        title = setting.descriptor?.title ?? ""
        // A secret is not given as an argument, so not completed as one that can be set.
        isReadOnly = setting.isReadOnly || setting.isSecret
        values =
            switch setting.descriptor?.kind {
            case .boolean: ["on", "off"]
            case .enumeration(let choices): Array(choices.prefix(Self.valueLimit))
            default: []
            }
    }

    fileprivate var candidate: CompletionCandidate { CompletionCandidate(name, title) }
}

private struct Page: Codable {
    static let currentSchema = "espurr.settings-memory/1"
    var schema = Self.currentSchema
    var settings: [RememberedSetting]

    /// The same bytes for the same settings: they are compared, so that nothing is written again for nothing.
    var encoded: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map(Array.init)
    }

    init(_ described: DescribedFirmware) {
        // What these ears lack the capability for is not offered.
        settings = described.settings.filter { $0.missingCapability == nil }.map(RememberedSetting.init)
    }
}
