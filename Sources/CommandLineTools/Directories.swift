public import DurableFiles
import Glibc

/// The folders of the XDG Base Directory Specification, with `espurr` below each.
public struct UserDirectories: Hashable, Sendable {
    public let state: String
    public let cache: String
    public let configuration: String
    /// Locks. Where `XDG_RUNTIME_DIR` is unset: a folder of the user's own in `/tmp`.
    public let runtime: String

    /// - Throws: where neither an XDG variable nor `HOME` says where; relative paths are ignored, as the
    ///   specification asks.
    public init(environment: [String: String]) throws(CommandFailure) {
        func folder(_ variable: String, below home: String) throws(CommandFailure) -> String {
            if let path = environment[variable], path.hasPrefix("/") { return path + "/espurr" }
            guard let path = environment["HOME"], path.hasPrefix("/") else {
                throw CommandFailure(
                    .outputNotWritable, code: "no_home", cause: "HOME is not set", remedy: "set HOME or \(variable)")
            }
            return path + "/" + home + "/espurr"
        }
        state = try folder("XDG_STATE_HOME", below: ".local/state")
        cache = try folder("XDG_CACHE_HOME", below: ".cache")
        configuration = try folder("XDG_CONFIG_HOME", below: ".config")
        if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
            runtime = path + "/espurr"
        } else {
            runtime = "/tmp/espurr-\(getuid())"
        }
    }

    /// Makes the runtime folder if it is missing, and refuses one that another user owns or may write to.
    public func prepareRuntime() throws(CommandFailure) {
        try make(runtime, permissions: 0o700)
        var status = stat()
        guard lstat(runtime, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o022 == 0
        else {
            throw CommandFailure(
                .outputNotWritable, code: "runtime_folder", cause: "\(runtime) is not a folder of this user's own",
                remedy: "remove it, or set XDG_RUNTIME_DIR")
        }
    }

    public func make(_ folder: String, permissions: UInt32 = 0o755) throws(CommandFailure) {
        do throws(DurableFileError) {
            try makeFolder(folder, permissions: permissions)
        } catch {
            throw CommandFailure(writing: error)
        }
    }
}

extension CommandFailure {
    /// Output that could not be written (16).
    public init(writing error: DurableFileError) {
        self.init(
            .outputNotWritable, code: "output_not_writable",
            cause: "\(error.path.printable) cannot be written: \(String(cString: strerror(error.errno)))",
            remedy: systemRemedy(error.errno))
    }
}
