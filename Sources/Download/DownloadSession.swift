import CCurl
import CurlShim
import Synchronization

/// Fetches bodies over HTTPS, one after another or several at once, and keeps connections open in between.
///
/// A request carries `Host` and `User-Agent: espurr-tools` and nothing else: no identifier, no credential, no cookie,
/// no `Accept-Encoding` (so the bytes counted are the bytes delivered).
public final class DownloadSession: Sendable {
    private let idle = Mutex<[CurlHandles]>([])
    private let authorities: CertificateAuthorities

    public init(authorities: CertificateAuthorities = .system) { self.authorities = authorities }

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
        guard let handles = idle.withLock({ $0.popLast() }) ?? CurlHandles() else {
            throw Self.outOfResources
        }
        let transfer = Transfer(
            url: url, limits: limits, authorities: authorities, handles: handles, receive: receive)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRunning = TransferThread.start { continuation.resume(returning: transfer.run()) }
                if !isRunning { continuation.resume(returning: .failure(Self.outOfResources)) }
            }
        } onCancel: {
            transfer.cancel()
        }
        // After a failure the connection is in doubt: those handles are let go.
        if case .success = result { idle.withLock { $0.append(handles) } }
        if case .failure(.httpStatus) = result { idle.withLock { $0.append(handles) } }
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
