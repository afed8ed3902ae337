import DurableFiles
import FoundationEssentials
import Glibc

/// `config.json`: the user's own over the machine's (`/etc/espurr`), member by member.
public struct Configuration: Hashable, Sendable {
    /// URL of a catalogue, or a folder's path.
    public var catalogueAddress: String?
    /// Path of the trusted root's file.
    public var catalogueRoot: String?

    /// Bytes; more is no configuration.
    public static let maximumSize = 64 * 1024
    public static let schema = "espurr.config/1"

    private struct File: Codable {
        struct Catalogue: Codable {
            var address: String?
            var root: String?
        }
        var schema: String
        var catalogue: Catalogue?
    }

    public init(catalogueAddress: String? = nil, catalogueRoot: String? = nil) {
        self.catalogueAddress = catalogueAddress
        self.catalogueRoot = catalogueRoot
    }

    /// - Parameter machineFolder: where the machine's own stands.
    public init(_ directories: UserDirectories, machineFolder: String = "/etc/espurr") throws(CommandFailure) {
        self.init()
        for folder in [machineFolder, directories.configuration] {
            guard let file = try Self.read(folder + "/config.json") else { continue }
            if let address = file.catalogue?.address { catalogueAddress = address }
            if let root = file.catalogue?.root { catalogueRoot = root.hasPrefix("/") ? root : folder + "/" + root }
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> File? {
        // Only a file that is not there is no configuration; one that cannot be read is not passed over.
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { return nil }
        func failure(_ cause: String) -> CommandFailure {
            CommandFailure(
                .usage, code: "configuration", cause: "\(path) cannot be used: \(cause)", remedy: "mend or remove it")
        }
        let bytes: [UInt8]
        do { bytes = try ReadableFile.contents(of: path, limit: maximumSize) } catch {
            throw failure("it cannot be read (\(String(cString: strerror(error.errno))))")
        }
        guard bytes.count <= maximumSize else { throw failure("it is larger than \(maximumSize) bytes") }
        guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
            throw failure("it is not valid JSON")
        }
        guard file.schema == schema else { throw failure("its schema is not “\(schema)”") }
        return file
    }

    /// Writes address and root into the user's own file; members that this build does not know stay.
    public func save(_ directories: UserDirectories) throws(CommandFailure) {
        let path = directories.configuration + "/config.json"
        _ = try Self.read(path)
        let old = FileManager.default.contents(atPath: path)
            .flatMap { try? JSONDecoder().decode([String: ParsedJSON].self, from: $0) }
        var members = old ?? [:]
        members["schema"] = .string(Self.schema)
        var catalogue = members["catalogue"]?.members ?? [:]
        catalogue["address"] = catalogueAddress.map { .string($0) }
        catalogue["root"] = catalogueRoot.map { .string($0) }
        members["catalogue"] = .object(catalogue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(members) else {
            throw CommandFailure(.internalError, code: "configuration", cause: "the configuration cannot be written")
        }
        try directories.make(directories.configuration)
        do throws(DurableFileError) {
            try DurableFile.replace(path, with: Array(data) + [0x0A])
        } catch {
            throw CommandFailure(writing: error)
        }
    }
}
