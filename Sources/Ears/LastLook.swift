/// What is done whatever became of the task: to end what was begun, and to see how things stand.
package enum LastLook {
    @TaskLocal package static var isHurried = false

    /// Runs `body` in a task of its own.
    ///
    /// - Parameter isHurried: after a cancellation somebody waits for the end. Ears that do not answer are given up soon
    ///   then: each step has ``EarsDeadlines/lastLook``, and a session ends with its first lost exchange.
    package static func run<Value: Sendable>(
        isHurried: Bool = Task.isCancelled, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        await $isHurried.withValue(isHurried) { await Task { await body() }.value }
    }
}
