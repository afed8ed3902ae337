import Foundation

/// The demonstration catalogue as static files: the signed metadata that is embedded here, and images that are made
/// when they are asked for.
public struct DemonstrationRepository: Sendable {
    /// The first root, which `catalogue-keys/demonstration.root.json` is a copy of.
    public static let root = PackageResources.root_1_json

    private static let metadata: [String: [UInt8]] = [
        "metadata/1.root.json": PackageResources.root_1_json, "metadata/2.root.json": PackageResources.root_2_json,
        "metadata/timestamp.json": PackageResources.timestamp_json,
        "metadata/1.snapshot.json": PackageResources.snapshot_1_json,
        "metadata/1.targets.json": PackageResources.targets_1_json,
    ]

    /// What is needed of the signed list of targets.
    private struct Targets: Decodable {
        struct Signed: Decodable { let targets: [String: Target] }
        struct Target: Decodable {
            struct Custom: Decodable {
                let family: BoardFamily
                let version: String
            }
            let hashes: [String: String]
            let custom: Custom
        }
        let signed: Signed
    }

    private let images: [String: Targets.Target.Custom]

    /// Takes the images' names from the metadata: consistent snapshots have the hash before the file's name (TUF 1.0,
    /// section 6.2).
    public init() throws(SimulationError) {
        let data = Data(PackageResources.targets_1_json)
        guard let targets = try? JSONDecoder().decode(Targets.self, from: data).signed.targets else {
            throw .demonstrationMissing(file: "targets.1.json")
        }
        let entries = targets.compactMap { path, target -> (String, Targets.Target.Custom)? in
            guard let slash = path.lastIndex(of: "/"), let hash = target.hashes["sha256"] else { return nil }
            return ("targets/\(path[...slash])\(hash).\(path[path.index(after: slash)...])", target.custom)
        }
        images = Dictionary(entries) { first, _ in first }
    }

    /// Of every file, below the repository's address and without a slash in front.
    public var paths: [String] { Self.metadata.keys.sorted() + images.keys.sorted() }

    /// The bytes of a file; nil where there is none of that path.
    public func contents(of path: String) -> [UInt8]? {
        images[path].map { DemonstrationFirmware.image(family: $0.family, version: $0.version) } ?? Self.metadata[path]
    }

    /// Writes every file below a folder, each whole or not at all, and the first root as `root.json`.
    ///
    /// - Throws: `file`.
    public func write(to folder: String) throws(SimulationError) {
        for path in paths {
            let parts = path.split(separator: "/")
            try Folder.make(folder + "/" + parts.dropLast().joined(separator: "/"), permissions: 0o755)
            try Folder.write(contents(of: path) ?? [], to: folder + "/" + path)
        }
        try Folder.write(Self.root, to: folder + "/root.json")
    }
}
