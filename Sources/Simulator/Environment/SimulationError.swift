public import DBus

/// Why a simulated environment could not be set up.
public enum SimulationError: Error, Hashable, Sendable {
    /// A file or folder of the run or of the state could not be made, read or written.
    case file(path: String, errno: Int32)
    /// `dbus-daemon` is not installed.
    case busDaemonMissing
    /// `dbus-daemon` did not start within the deadline, or ended; what it wrote to its standard error.
    case busDaemonFailed(log: String)
    case bus(DBusError)
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
