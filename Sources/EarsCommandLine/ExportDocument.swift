public import CommandLineTools
import ControlProtocol
import DurableFiles
public import Ears
import FoundationEssentials
import Glibc

/// The settings of a pair of ears as a file: written by `export`, read by `apply`.
public struct ExportDocument: Sendable {
    /// By their names.
    let settings: [String: ParsedJSON]
    let palettes: [NamedPalette]

    public static let schema = "espurr.export/1"
    /// Bytes of a file; more is none.
    public static let maximumSize = 256 << 10

    /// - Parameter withName: the name of ears can hold a part of their address, so it is left out unless it is asked for.
    public static func members(
        of status: EarsStatus, family: String, firmwareVersion: String, withName: Bool
    ) -> [(String, JSON)] {
        let settings = status.settings.filter { $0.isExported && (withName || $0.name != "name") }
        return [
            ("family", .string(family)), ("firmware_version", .string(firmwareVersion)),
            ("settings", .object(settings.map { ($0.name, $0.value?.exported ?? .null) })),
            ("palettes", .array(status.palettes?.saved.map(\.json) ?? [])),
        ]
    }

    private struct File: Decodable {
        struct Saved: Decodable {
            let name: String
            let palette: [String: ParsedJSON]
        }
        let schema: String
        let settings: [String: ParsedJSON]?
        let palettes: [Saved]?
    }

    public init(contentsOf path: String) throws(CommandFailure) {
        func failure(_ cause: String) -> CommandFailure {
            CommandFailure(
                .usage, code: "file", cause: "\(path.printable) cannot be used: \(cause)",
                remedy: "espurr-ctl export writes such a file")
        }
        let bytes: [UInt8]
        do { bytes = try ReadableFile.contents(of: path, limit: Self.maximumSize) } catch {
            throw failure("it cannot be read (\(String(cString: strerror(error.errno))))")
        }
        guard bytes.count <= Self.maximumSize else { throw failure("it is larger than \(Self.maximumSize) bytes") }
        guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
            throw failure("it is no JSON of exported settings")
        }
        guard file.schema == Self.schema else { throw failure("its schema is not “\(Self.schema)”") }
        settings = file.settings ?? [:]
        var palettes: [NamedPalette] = []
        for saved in file.palettes ?? [] {
            guard let palette = Palette(exported: saved.palette) else {
                throw failure("the palette “\(saved.name.printable)” is none")
            }
            guard !palettes.contains(where: { $0.name == saved.name }) else {
                throw failure("the palette “\(saved.name.printable)” is there twice")
            }
            palettes.append(NamedPalette(name: saved.name, palette: palette))
        }
        self.palettes = palettes
    }
}

extension Setting {
    /// What a file of settings holds: what can be read and set, is kept, and is there.
    fileprivate var isExported: Bool {
        !isReadOnly && !isWriteOnly && !isSecret && !isTemporary && missingCapability == nil
    }
}

extension SettingValue {
    fileprivate var exported: JSON {
        switch self {
        case .bytes: .object([("bytes", .string(description))])
        case .parameters(let parameters): .object(parameters.values.map { ($0.name, $0.exported) })
        default: json
        }
    }
}

extension EffectParameterValue {
    fileprivate var exported: JSON {
        guard case .unknown = value else { return value.json }
        return .object([("bytes", .string(SettingValue.bytes(unknownFields).description))])
    }
}
