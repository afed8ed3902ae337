extension BlueZObjects {
    /// Returns what `find` finds in the tree, now or after a change. Where BlueZ goes first and the empty tree is no
    /// answer to `find`, that is the error.
    func wait<Value: Sendable>(
        for find: @escaping @Sendable (ObjectTree) throws(BluetoothError) -> Value?
    ) async throws(BluetoothError) -> Value {
        try await suspend { objects in
            do throws(BluetoothError) {
                if let value = try find(objects.tree) { return .success(value) }
            } catch {
                return .failure(objects.loss ?? error)
            }
            return objects.loss.map { .failure($0) }
        }.get()
    }

    /// Why BlueZ cannot be reached any more.
    var loss: BluetoothError? {
        if case .lost(let error) = state { error } else { nil }
    }

    func suspend<Value: Sendable>(
        _ check: @escaping @Sendable (isolated BlueZObjects) -> Result<Value, BluetoothError>?
    ) async -> Result<Value, BluetoothError> {
        if let result = check(self) { return result }
        if hasGivenUp { return .failure(.cancelled) }
        let identifier = nextIdentifier()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                waiters[identifier] = Waiter(
                    check: { objects in
                        guard let result = check(objects) else { return false }
                        continuation.resume(returning: result)
                        return true
                    },
                    cancel: { continuation.resume(returning: .failure(.cancelled)) })
            }
        } onCancel: {
            Task { await self.cancelWaiter(identifier) }
        }
    }

    func cancelWaiter(_ identifier: UInt64) { waiters.removeValue(forKey: identifier)?.cancel() }
}
