import Glibc

/// The end of a process that another one waits for.
struct ProcessEnd {
    let process: pid_t

    init(of process: pid_t) { self.process = process }

    /// Looks for it, on the calling thread; false where the time passes first.
    func comes(within limit: Duration) -> Bool {
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        while kill(process, 0) == 0 {
            guard clock.now - start < limit else { return false }
            _ = poll(nil, 0, 10)
        }
        return true
    }
}
