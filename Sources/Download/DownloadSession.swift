import CCurl
import CurlShim
import Synchronization

/// Fetches bodies over HTTPS, one after another or several at once, and keeps connections open in between.
///
/// A request carries `Host` and `User-Agent: espurr-tools` and nothing else: no identifier, no credential, no cookie,
/// no `Accept-Encoding` (so the bytes counted are the bytes delivered).
public final class DownloadSession: Sendable {
    private let idle: Mutex<[TransferThread]>
    private let authorities: CertificateAuthorities

    /// Begins to load libcurl, on a thread of its own.
    public init(authorities: CertificateAuthorities = .system) {
        self.authorities = authorities
        idle = Mutex(TransferThread().map { [$0] } ?? [])
    }

    /// Why this machine makes no request at all: libcurl, which is loaded to find out. Nil where it can.
    public static func libraryFault() -> UnreachableReason? {
        curl_shim_load_fault().map { .noLibrary(reason: String(cString: $0)) }
    }

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
        guard let thread = idle.withLock({ $0.popLast() }) ?? TransferThread() else { throw Self.outOfResources }
        let cancellation = TransferCancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                thread.run { [authorities] handles in
                    let transfer = handles.map {
                        Transfer(
                            url: url, limits: limits, authorities: authorities, handles: $0,
                            cancellation: cancellation, receive: receive)
                    }
                    continuation.resume(returning: transfer?.run() ?? .failure(Self.outOfResources))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        // After a failure the connection is in doubt: its handles are let go, with their thread.
        if case .success = result { idle.withLock { $0.append(thread) } }
        if case .failure(.httpStatus) = result { idle.withLock { $0.append(thread) } }
        try result.get()
    }

    private static var outOfResources: DownloadError { .unreachable(.library(code: Int(CURLE_OUT_OF_MEMORY.rawValue))) }
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
