import DBus

/// Why a simulated environment could not be set up.
public enum SimulationError: Error, Hashable, Sendable {
    /// A file or folder of the run or of the state could not be made, read or written.
    case file(path: String, errno: Int32)
    /// No folder for the run could be made in this one (`TMPDIR`, or `/tmp`).
    case noTemporaryFolder(in: String, errno: Int32)
    /// `dbus-daemon` is not in PATH.
    case busDaemonMissing
    /// `dbus-daemon` did not start within the deadline, or ended; what it wrote to its standard error.
    case busDaemonFailed(log: String)
    /// The daemon came up, and is of no use.
    case bus(BusFault)
    /// The command could not be started.
    case commandNotStarted(name: String, errno: Int32)
    /// No free port on the loopback interface.
    case serverFailed(errno: Int32)
    /// A file of `--state` that this version cannot read.
    case stateUnreadable(path: String)
    /// The state folder keeps ears of that family, and another was asked for.
    case otherFamily(BoardFamily)
    /// Another simulator uses the state folder.
    case stateInUse(path: String)
    /// The demonstration repository is not among this executable's resources.
    case demonstrationMissing(file: String)
}

/// What is the matter with a message bus that was started.
public enum BusFault: Hashable, Sendable {
    /// libdbus is not there, or is no libdbus.
    case libraryUnusable(reason: String)
    case tooManyOpenFiles(errno: Int32)
    /// It cannot be connected to, or ended the connection.
    case unreachable(reason: String)
    case silent(after: Duration)
    /// It did not do what it was asked.
    case refused(reason: String)

    init(_ error: DBusError) {
        switch error {
        case .libraryUnusable(let reason): self = .libraryUnusable(reason: reason)
        case .tooManyOpenFiles(let number): self = .tooManyOpenFiles(errno: number)
        case .connectionFailed(_, let reason), .connectionRefused(_, let reason): self = .unreachable(reason: reason)
        case .disconnected, .cancelled: self = .unreachable(reason: "the connection ended")
        case .deadline(let time): self = .silent(after: time)
        case .remote(let name, let message): self = .refused(reason: "\(message) (\(name))")
        case .nameTaken(let name): self = .refused(reason: "\(name) is owned by another program")
        case .pathTaken(let path): self = .refused(reason: "\(path) is exported already")
        case .invalidMessage(let reason): self = .refused(reason: reason)
        case .unexpectedReply(let signature): self = .refused(reason: "a reply that is not of type “\(signature)”")
        case .outOfMemory: self = .refused(reason: "no memory is left")
        }
    }
}
