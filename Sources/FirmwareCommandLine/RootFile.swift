public import Catalogue
public import CommandLineTools
import DurableFiles
import Glibc

extension TrustedRoot {
    /// Bytes of a root file at most.
    private static let maximumSize = CatalogueLimits().rootBytes

    /// A file that somebody gives to be trusted.
    ///
    /// - Throws: ``ExitStatus/untrusted``, in the words of that file.
    public init(file path: String) throws(CommandFailure) {
        do throws(RootFileFault) { self = try Self.read(path) } catch {
            throw CommandFailure(
                .untrusted, code: "no_root", cause: "\(path.printable) \(error.inWords)",
                remedy: "give the root file of the catalogue's maker (root.json, or 1.root.json and so on)")
        }
    }

    /// The root that this machine is configured to trust.
    ///
    /// - Throws: ``ExitStatus/untrusted`` where there is none, or its file is missing or damaged.
    public init(configuredBy configuration: Configuration) throws(CommandFailure) {
        guard let path = configuration.catalogueRoot else { throw .noRoot }
        do throws(RootFileFault) { self = try Self.read(path) } catch {
            throw CommandFailure(
                .untrusted, code: "no_root", cause: "the trusted root \(path.printable) \(error.inWords)",
                remedy: "espurr-ota trust FILE, with the root file of the catalogue's maker")
        }
    }

    private static func read(_ path: String) throws(RootFileFault) -> TrustedRoot {
        let bytes: [UInt8]
        do { bytes = try ReadableFile.contents(of: path, limit: maximumSize) } catch { throw .unreadable(error.errno) }
        do { return try TrustedRoot(bytes) } catch {
            guard case .untrusted(_, _, let reason) = error else { throw .noRoot(.badField("file")) }
            throw .noRoot(reason)
        }
    }
}

private enum RootFileFault: Error {
    case unreadable(Int32)
    case noRoot(Distrust)

    /// Goes on after the file's name.
    var inWords: String {
        switch self {
        case .unreadable(EINVAL): "cannot be read (it is no file)"
        case .unreadable(let errno): "cannot be read (\(String(cString: strerror(errno))))"
        case .noRoot(let reason): "is no root to trust: \(reason.inWords)"
        }
    }
}

extension CommandFailure {
    public static let noRoot = CommandFailure(
        .untrusted, code: "no_root", cause: "no root is trusted on this machine: nothing can be verified",
        remedy: "espurr-ota trust FILE, with the root file of the catalogue's maker")
}
