import CCurl
import CurlShim
import Synchronization

/// Fetches bodies over HTTPS, one after another or several at once, and keeps connections open in between.
///
/// A request carries `Host` and `User-Agent: espurr-tools` and nothing else: no identifier, no credential, no cookie,
/// no `Accept-Encoding` (so the bytes counted are the bytes delivered).
public final class DownloadSession: Sendable {
    /// The thread that is used before any other, by one transfer or one task at a time.
    private let first: TransferThread?
    private let isFirstTaken = Atomic(false)
    private let others = Mutex<[TransferThread]>([])
    private let authorities: CertificateAuthorities

    /// - Parameter loadsLibrary: whether its thread begins to load libcurl at once. Else the first request does, or who
    ///   asks for ``libraryFault()`` before it.
    public init(authorities: CertificateAuthorities = .system, loadsLibrary: Bool = true) {
        self.authorities = authorities
        first = TransferThread(loadsLibrary: loadsLibrary)
    }

    /// Where transfers wait and end that are made one after another: what a task does between them costs no change of
    /// threads there. For one task at a time.
    public var executor: (any TaskExecutor)? { first?.worker }

    /// Does work on ``executor`` from its first wait on, or, where another task does, anywhere.
    public func besideTransfers<Value, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let first, takeFirst() else { return try await work() }
        defer { isFirstTaken.store(false, ordering: .releasing) }
        return try await withTaskExecutorPreference(first.worker) { () throws(Failure) in try await work() }
    }

    private func takeFirst() -> Bool { !isFirstTaken.exchange(true, ordering: .acquiring) }

    /// Why this machine makes no request at all: libcurl, which is loaded to find out. Nil where it can.
    public static func libraryFault() -> UnreachableReason? { CurlHandles.libraryFault }

    /// - Parameter progress: is told the number of bytes received so far, on the transfer's thread.
    /// - Throws: `DownloadError`; cancelling the task ends the transfer within milliseconds.
    public func get(
        _ url: PermittedURL, limits: TransferLimits, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(DownloadError) -> [UInt8] {
        let body = CollectedBody()
        try await get(url, limits: limits) { bytes in
            let received = body.append(bytes)
            progress?(received)
            return true
        }
        return body.take()
    }

    /// Streams the body.
    ///
    /// - Parameter receive: is given the bytes of a reply with status 200 in order, on the transfer's thread;
    ///   returning `false` ends the transfer with `stoppedByReceiver`.
    public func get(
        _ url: PermittedURL, limits: TransferLimits, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(DownloadError) {
        let place = place()
        defer { leave(place) }
        guard let thread = place.thread else { throw .unreachable(.noThread) }
        let cancellation = TransferCancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                thread.run { [authorities] handles in
                    let transfer = handles.map {
                        Transfer(
                            url: url, limits: limits, authorities: authorities, handles: $0,
                            cancellation: cancellation, receive: receive)
                    }
                    return transfer?.run() ?? .failure(Self.outOfResources)
                } completion: {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        try result.get()
    }

    /// Where a transfer is made.
    private enum Place {
        /// On the first thread, which the task has anyway.
        case here(TransferThread)
        /// On the first thread.
        case first(TransferThread)
        /// `nil` where the system has no thread left.
        case other(TransferThread?)

        var thread: TransferThread? {
            switch self {
            case .here(let thread), .first(let thread): thread
            case .other(let thread): thread
            }
        }
    }

    private func place() -> Place {
        guard let first else { return .other(TransferThread()) }
        let preferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
        if preferred == first.worker.asUnownedTaskExecutor() { return .here(first) }
        if takeFirst() { return .first(first) }
        return .other(others.withLock { $0.popLast() } ?? TransferThread())
    }

    private func leave(_ place: Place) {
        switch place {
        case .here, .other(nil): break
        case .first: isFirstTaken.store(false, ordering: .releasing)
        case .other(let thread?): others.withLock { $0.append(thread) }
        }
    }

    private static var outOfResources: DownloadError {
        .unreachable(CurlHandles.libraryFault ?? .library(code: Int(CURLE_OUT_OF_MEMORY.rawValue)))
    }
}

/// The body of one transfer, grown by its callback.
private final class CollectedBody: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ more: UnsafeRawBufferPointer) -> Int {
        bytes.withLock {
            $0.append(contentsOf: more)
            return $0.count
        }
    }

    func take() -> [UInt8] { bytes.withLock { $0 } }
}
