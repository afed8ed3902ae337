import CommandLineTools
import Glibc
import Simulator

extension CommandFailure {
    init(_ error: SimulationError) {
        switch error {
        case .file(let path, let number):
            self.init(
                .outputNotWritable, code: "file", cause: "\(path.printable) cannot be used: \(words(for: number))",
                remedy: pathRemedy(number))
        case .noTemporaryFolder(let base, let number):
            self.init(
                .outputNotWritable, code: "no_temporary_folder",
                cause: "no folder for the run can be made in \(base.printable): \(words(for: number))",
                remedy: systemRemedy(number) ?? "TMPDIR=DIR names another folder, which this user may write to")
        case .busDaemonMissing:
            self.init(
                .machine, code: "no_dbus_daemon", cause: "there is no dbus-daemon in PATH",
                remedy: "install it (Debian: apt install dbus-daemon), or let PATH name its folder")
        case .busDaemonFailed(let log):
            let line = log.split(separator: "\n").last.map { ": " + String($0).printable } ?? ""
            self.init(
                .machine, code: "dbus_daemon_failed", cause: "the private dbus-daemon did not start" + line,
                remedy: "install the package dbus-daemon anew")
        case .bus(let fault): self.init(fault)
        case .commandNotStarted(let name, let number):
            self.init(
                .usage, code: "command_not_started",
                cause: "“\(name.printable)” cannot be started: \(words(for: number))",
                remedy: systemRemedy(number) ?? "a program in PATH, or the path of one")
        case .serverFailed(let number):
            self.init(
                .machine, code: "no_port", cause: "no port on 127.0.0.1 for the catalogue: \(words(for: number))",
                remedy: systemRemedy(number) ?? "ip link set lo up, where the loopback interface is down")
        case .demonstrationMissing(let file):
            self.init(
                .internalError, code: "no_demonstration", cause: "the embedded \(file) cannot be read",
                remedy: "build or install the commands anew")
        case .stateUnreadable, .otherFamily, .stateInUse: self.init(state: error)
        }
    }

    private init(_ fault: BusFault) {
        let cause: String
        switch fault {
        case .libraryUnusable(let reason):
            self.init(
                .machine, code: "no_libdbus", cause: "libdbus cannot be used: \(reason.printable)",
                remedy: "install it (Debian: apt install libdbus-1-3)")
            return
        case .tooManyOpenFiles(let number):
            self.init(tooManyOpenFiles: number)
            return
        case .unreachable(let reason): cause = "cannot be reached: \(reason.printable)"
        case .silent(let time): cause = "does not answer (\(time.inWords))"
        case .refused(let reason): cause = "is of no use: \(reason.printable)"
        }
        self.init(
            .machine, code: "bus", cause: "the private message bus " + cause,
            remedy:
                "try again; where it stays so, install the package dbus-daemon anew")
    }

    /// What is wrong with the folder of `--state`.
    private init(state error: SimulationError) {
        switch error {
        case .otherFamily(let family):
            self.init(
                .usage, code: "other_family", cause: "the state folder keeps ears of family \(family.rawValue)",
                remedy: "--family \(family.rawValue)")
        case .stateInUse(let path):
            self.init(
                .usage, code: "state_in_use", cause: "another espurr-sim uses \(path.printable)",
                remedy: "wait for it, or give another folder to --state")
        case .stateUnreadable(let path):
            self.init(
                .usage, code: "state_unreadable", cause: "\(path.printable) is not what this simulator keeps",
                remedy: "give another folder to --state, or remove this one")
        default: self.init(.internalError, code: "state", cause: "the state folder cannot be used")
        }
    }
}

private func words(for number: Int32) -> String { String(cString: strerror(number)) }

private func pathRemedy(_ number: Int32) -> String {
    switch number {
    case ENOENT, ENOTDIR: "give a path in a folder that is there"
    case EACCES, EPERM, EROFS: "give a path that this user may write to"
    case EEXIST, EISDIR: "give another path, or remove what is there"
    default: systemRemedy(number) ?? "give another path"
    }
}
