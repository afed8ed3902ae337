import Dispatch

/// How many threads the system still lets this process have.
package enum ThreadSupply {
    /// Starts them all and lets them end: nothing that can be read of a process's limits tells what the other processes of
    /// its user or its container take. Some 20 µs each.
    ///
    /// - Returns: how many of `count` further threads can be had at once.
    package static func available(upTo count: Int) -> Int {
        let (release, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wait = { @Sendable in
            release.wait()
            _ = released.signal()
        }
        var started = 0
        while started < count, DetachedThread.start(signals: .blocked, wait) { started += 1 }
        for _ in 0..<started { release.signal() }
        for _ in 0..<started { released.wait() }
        return started
    }
}
