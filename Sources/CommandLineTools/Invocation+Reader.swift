extension Invocation {
    /// Runs what does nothing but show, and may have nothing to show for long: it ends as soon as nobody reads it.
    ///
    /// What changes something is not run by it: a reader that goes away is no reason to leave that half-way.
    ///
    /// - Returns: ``ExitStatus/readerGone`` then.
    public func whileRead(
        _ body: @escaping @Sendable () async throws(CommandFailure) -> ExitStatus
    ) async throws(CommandFailure) -> ExitStatus {
        let task = Task { () async -> Result<ExitStatus, CommandFailure> in
            do throws(CommandFailure) { return .success(try await body()) } catch { return .failure(error) }
        }
        console.onReaderGone { [interruption] in
            task.cancel()
            interruption.stop()
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        guard console.isReaderGone, interruption.cause == nil else { return try result.get() }
        return .readerGone
    }
}
