import DurableFiles
import Glibc
import Threads

/// How many threads a process can still have.
///
/// What a command needs is made sure of before it begins. Where threads run out later nobody can say so: libdispatch then
/// waits for one, on whichever thread wanted it, and a command whose pool has none neither ends nor heeds a signal.
public enum FreeThreads {
    /// For any verb, beside the first thread and the one that waits for signals: twice what `install` and `check` were seen
    /// to have at once (8).
    public static let needed = 16

    public static let remedy = "end other programs, or raise the limit of processes (ulimit -u)"

    /// Starts threads to find out only where a limit may be near.
    ///
    /// - Parameter count: threads that are to be free.
    /// - Throws: ``ExitStatus/machine`` where fewer are.
    public static func check(_ count: Int) throws(CommandFailure) {
        guard !ProcessLimits.current().leave(count) else { return }
        let available = ThreadSupply.available(upTo: count)
        guard available < count else { return }
        throw CommandFailure(
            .machine, code: "too_few_threads",
            cause: "this machine has no more than \(available) of the \(count) threads left that a command may need",
            remedy: remedy)
    }
}

/// What can be read in some microseconds of what limits the number of a process's threads.
struct ProcessLimits: Equatable {
    /// `RLIMIT_NPROC`, which counts the threads of all of a user's processes.
    let perUser: UInt64
    /// Threads of the whole machine; nil where it is not told.
    let running: UInt64?
    /// Whether the control group that this process sees as the topmost, its container's, limits them.
    let isContainerLimited: Bool

    /// Whether so many can be had for certain: a user has no more threads than the machine.
    func leave(_ count: Int) -> Bool {
        guard let running, !isContainerLimited else { return false }
        let (sum, isTooLarge) = running.addingReportingOverflow(UInt64(count))
        return !isTooLarge && sum <= perUser
    }

    static func current() -> ProcessLimits {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit)
        return ProcessLimits(
            perUser: UInt64(limit.rlim_cur), running: contents("/proc/loadavg").flatMap(threads(inLoadAverage:)),
            // Version 2 of control groups, and 1. The topmost one of a machine has no such file.
            isContainerLimited: ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"]
                .contains { path in contents(path).map { !$0.starts(with: "max".utf8) } ?? false })
    }

    /// - Parameter line: proc(5), `/proc/loadavg`: `0.42 0.37 0.31 2/1187 48213`, where 1187 exist.
    static func threads(inLoadAverage line: [UInt8]) -> UInt64? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count == 5 else { return nil }
        let counts = fields[3].split(separator: UInt8(ascii: "/"))
        guard counts.count == 2 else { return nil }
        return UInt64(String(decoding: counts[1], as: UTF8.self))
    }

    private static func contents(_ path: String) -> [UInt8]? { try? ReadableFile.contents(of: path, limit: 128) }
}
