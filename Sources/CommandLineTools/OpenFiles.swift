import Glibc

/// How many files a process may have open at once.
///
/// What a command needs is made sure of before it begins. Where descriptors run out later nobody can say so: libdispatch
/// ends the process then, and libdbus the connection that the ears' replies come over.
public enum OpenFiles {
    /// For any verb, beside what is open when it begins: twice what `install` was seen to have open at once (14).
    public static let needed = 32
    /// For each further pair of ears at once: twice what was seen (4).
    public static let neededPerPair = 8

    /// - Parameter count: descriptors that are to be free.
    /// - Throws: ``ExitStatus/machine`` where fewer are.
    public static func check(_ count: Int) throws(CommandFailure) {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        while taken.count < count {
            let descriptor = taken.first.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } ?? first()
            guard descriptor < 0 else {
                taken.append(descriptor)
                continue
            }
            // Where a socket may not be made for another reason, it says nothing of the number of files.
            guard errno == EMFILE || errno == ENFILE else { return }
            throw CommandFailure(tooManyOpenFiles: errno)
        }
    }

    /// Of a kind that needs no path.
    private static func first() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
}

extension CommandFailure {
    /// - Parameter number: `EMFILE`, or `ENFILE` for the machine as a whole.
    public init(tooManyOpenFiles number: Int32) {
        self.init(
            .machine, code: "too_many_open_files",
            cause: number == ENFILE
                ? "this machine has as many files open as it allows (fs.file-max)"
                : "too few open files are allowed: ulimit -n says \(sysconf(Int32(_SC_OPEN_MAX)))",
            remedy: systemRemedy(number))
    }
}

/// What helps against an error of the system that lies with no one file; nil for any other.
///
/// - Parameter number: `errno`.
public func systemRemedy(_ number: Int32) -> String? {
    switch number {
    case ENOSPC, EDQUOT: "free some space"
    case EMFILE: "ulimit -n 1024, then the same again"
    case ENFILE: "end programs that have many files open, or raise fs.file-max"
    default: nil
    }
}
