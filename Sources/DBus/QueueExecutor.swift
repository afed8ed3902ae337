package import Dispatch

/// An actor's executor that is one serial dispatch queue, so that dispatch sources on the queue run isolated to the
/// actor. Dispatch on Linux has no `DispatchSerialQueue`, which is this on other platforms.
package final class QueueExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
