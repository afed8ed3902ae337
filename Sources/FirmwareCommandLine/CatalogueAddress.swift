import Catalogue
public import CommandLineTools
import FoundationEssentials
import Glibc

/// A catalogue's address as it is configured, for commands that are run later and elsewhere.
extension CatalogueAccess {
    /// The address as it is to be kept: a folder is meant from here, wherever a later command is run.
    ///
    /// A folder that is not there now is taken where its whole path is given, for it may lie on a medium that is not in
    /// (``absence(of:)`` tells); by a path from here nobody names one, but mistypes it, or an address without `https://`.
    ///
    /// - Throws: ``ExitStatus/usage`` for an address that may not be used.
    public static func configurable(_ address: String) throws(CommandFailure) -> String {
        _ = try mirror(at: address, nil)
        guard let mirror = FolderMirror(address: address) else { return address }
        let isWhole = mirror.folder.hasPrefix("/")
        switch kind(of: mirror.folder) {
        case S_IFDIR: break
        case nil where isWhole: break
        case nil:
            throw CommandFailure(
                address: address, "there is no such folder here", remedy: "a folder's whole path, or an https address")
        default:
            throw CommandFailure(
                address: address, "it is no folder", remedy: CommandFailure.catalogueFolder)
        }
        return isWhole ? address : URL(fileURLWithPath: address).standardizedFileURL.path
    }

    /// What a person is told of a folder that no catalogue is in at present; nil for any other address.
    public static func absence(of address: String) -> String? {
        guard let mirror = FolderMirror(address: address), !mirror.hasMetadata else { return nil }
        return kind(of: mirror.folder) == nil
            ? "\(mirror.folder.printable) is not there now: the catalogue can be read once it is"
            : "\(mirror.folder.printable) holds no catalogue now (no metadata/): it can be read once it does"
    }

    /// `S_IFDIR` and so on; nil where nothing has the name, or nothing that can be looked at.
    fileprivate static func kind(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension CommandFailure {
    static let catalogueFolder = "give the folder that holds metadata/ and targets/"

    /// What is there, and is no catalogue: one of its own folders, another, or a file. Nil for what may be one, and for
    /// a folder that is not there, which may lie on a medium that is not in.
    init?(inPlaceOfCatalogue mirror: any Mirror) {
        guard let mirror = mirror as? FolderMirror, !mirror.hasMetadata,
            let kind = CatalogueAccess.kind(of: mirror.folder)
        else { return nil }
        let what = kind == S_IFDIR ? "holds no catalogue (no metadata/)" : "is no folder"
        self.init(
            .catalogueUnreachable, code: "catalogue_unreachable", cause: "\(mirror.folder.printable) \(what)",
            remedy: Self.catalogueFolder)
    }
}
