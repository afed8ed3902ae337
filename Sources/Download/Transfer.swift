import CCurl
import CurlShim
import Synchronization

/// Ends a transfer from another thread, whether it has begun or not.
final class TransferCancellation: Sendable {
    private let flag = Atomic<Bool>(false)
    private let handles = Mutex<CurlHandles?>(nil)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() {
        flag.store(true, ordering: .releasing)
        handles.withLock { $0 }?.wake()
    }

    /// - Parameter running: those that a transfer waits on from now on, which asks first whether it is cancelled.
    func wakes(_ running: CurlHandles?) { handles.withLock { $0 = running } }
}

/// One transfer, from start to end on one thread.
final class Transfer {
    private let url: PermittedURL
    private let limits: TransferLimits
    private let authorities: CertificateAuthorities
    private let handles: CurlHandles
    private let cancellation: TransferCancellation
    private let receive: (UnsafeRawBufferPointer) -> Bool

    private var requests = 0
    private var received = 0
    private var headerBytes = 0
    private var lastByte = ContinuousClock.now
    /// Why a callback of ours ended the transfer.
    private var ownFailure: DownloadError?

    init(
        url: PermittedURL, limits: TransferLimits, authorities: CertificateAuthorities, handles: CurlHandles,
        cancellation: TransferCancellation, receive: @escaping (UnsafeRawBufferPointer) -> Bool
    ) {
        self.url = url
        self.limits = limits
        self.authorities = authorities
        self.handles = handles
        self.cancellation = cancellation
        self.receive = receive
    }

    func run() -> Result<Void, DownloadError> {
        let code = configure()
        guard code == CURLE_OK else { return .failure(.unreachable(.library(code: Int(code.rawValue)))) }
        curl_shim_multi_add_handle(handles.multi, handles.easy)
        cancellation.wakes(handles)
        defer {
            cancellation.wakes(nil)
            curl_shim_multi_remove_handle(handles.multi, handles.easy)
            curl_shim_easy_reset(handles.easy)
        }
        let start = ContinuousClock.now
        lastByte = start
        var running: Int32 = 1
        while true {
            if cancellation.isCancelled { return .failure(.cancelled) }
            curl_shim_multi_perform(handles.multi, &running)
            if running == 0 { return outcome() }
            switch timeLeft(since: start) {
            case .failure(let late): return .failure(late)
            case .success(let left): curl_shim_multi_poll(handles.multi, left.pollMilliseconds)
            }
        }
    }

    private func timeLeft(since start: ContinuousClock.Instant) -> Result<Duration, DownloadError> {
        let now = ContinuousClock.now
        let total = limits.totalTime - start.duration(to: now)
        guard total > .zero else { return .failure(.timedOut(after: limits.totalTime)) }
        let stall = limits.stallTime - lastByte.duration(to: now)
        guard stall > .zero else { return .failure(.stalled(for: limits.stallTime)) }
        return .success(min(total, stall))
    }

    private func configure() -> CURLcode {
        let easy = handles.easy
        let this = Unmanaged.passUnretained(self).toOpaque()
        let steps: [() -> CURLcode] = [
            { curl_shim_set_string(easy, CURLOPT_URL, self.url.text) },
            {
                self.url.isLoopback
                    ? curl_shim_set_protocols(easy, "http,https", Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
                    : curl_shim_set_protocols(easy, "https", Int(CURLPROTO_HTTPS))
            },
            { curl_shim_leave_lookups(easy) },
            { self.url.isLoopback ? curl_shim_set_string(easy, CURLOPT_PROXY, "") : CURLE_OK },
            { curl_shim_set_string(easy, CURLOPT_USERAGENT, "espurr-tools") },
            { curl_shim_set_list(easy, CURLOPT_HTTPHEADER, Self.headerWithoutAccept) },
            { curl_shim_set_long(easy, CURLOPT_NOSIGNAL, 1) },
            { curl_shim_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) },
            { curl_shim_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)) },
            { self.authorities.file.map { curl_shim_set_string(easy, CURLOPT_CAINFO, $0) } ?? CURLE_OK },
            { self.authorities.folder.map { curl_shim_set_string(easy, CURLOPT_CAPATH, $0) } ?? CURLE_OK },
            { curl_shim_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, self.limits.connectTime.wholeMilliseconds) },
            { curl_shim_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, self.limits.maximumBytes))) },
            { curl_shim_set_long(easy, CURLOPT_BUFFERSIZE, self.limits.receiveBufferBytes) },
            { curl_shim_set_before_request(easy, Self.requestCallback, this) },
            { curl_shim_set_header(easy, Self.headerCallback, this) },
            { curl_shim_set_write(easy, Self.bodyCallback, this) },
        ]
        for step in steps {
            let code = step()
            guard code == CURLE_OK else { return code }
        }
        return CURLE_OK
    }

    private func outcome() -> Result<Void, DownloadError> {
        var left: Int32 = 0
        guard let message = curl_shim_multi_info_read(handles.multi, &left) else {
            return .failure(.unreachable(.library(code: Int(CURLE_GOT_NOTHING.rawValue))))
        }
        let code = message.pointee.data.result
        if let ownFailure { return .failure(ownFailure) }
        if code == CURLE_FILESIZE_EXCEEDED {
            return .failure(status == Self.okay ? tooLarge : .httpStatus(status))
        }
        guard code == CURLE_OK else { return .failure(.unreachable(unreachableReason(code))) }
        return status == Self.okay ? .success(()) : .failure(.httpStatus(status))
    }

    private var status: Int {
        var status = 0
        curl_shim_get_long(handles.easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    private var tooLarge: DownloadError {
        var type: UnsafePointer<CChar>?
        curl_shim_get_string(handles.easy, CURLINFO_CONTENT_TYPE, &type)
        let isPage = type.map { String(cString: $0).lowercased().hasPrefix("text/html") } ?? false
        return isPage ? .webPage(limit: limits.maximumBytes) : .tooLarge(limit: limits.maximumBytes)
    }

    private func unreachableReason(_ code: CURLcode) -> UnreachableReason {
        func number(_ info: CURLINFO) -> Int {
            var value = 0
            curl_shim_get_long(handles.easy, info, &value)
            return value
        }
        let proxyStatus = number(CURLINFO_HTTP_CONNECTCODE)
        if status == 0, proxyStatus != 0, proxyStatus / 100 != 2 { return .proxyRefused(status: proxyStatus) }
        if code == CURLE_PEER_FAILED_VERIFICATION {
            return .certificate(CertificateFault(verification: number(CURLINFO_SSL_VERIFYRESULT)))
        }
        return UnreachableReason(code)
    }

    private static let okay = 200
}

/// What libcurl calls back, on the transfer's thread.
extension Transfer {
    private typealias Callback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

    private typealias RequestCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
        ) -> Int32

    private static let requestCallback: RequestCallback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.requestBegins() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private static let headerCallback: Callback = { data, size, count, context in
        guard let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.headerArrived(byteCount: size * count) ? size * count : 0
    }

    private static let bodyCallback: Callback = { data, size, count, context in
        guard let context else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.bodyArrived(bytes) ? bytes.count : 0
    }

    private func requestBegins() -> Bool {
        requests += 1
        return requests <= TransferLimits.maximumRequests ? true : fail(.unreachable(.connectionLost))
    }

    private func headerArrived(byteCount: Int) -> Bool {
        lastByte = .now
        headerBytes += byteCount
        guard headerBytes <= TransferLimits.maximumHeaderBytes else { return fail(.unreachable(.notHTTP)) }
        return true
    }

    private func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastByte = .now
        guard status == Self.okay else {
            received += bytes.count
            return received <= TransferLimits.maximumDiscardedBytes ? true : fail(.httpStatus(status))
        }
        guard bytes.count <= limits.maximumBytes - received else { return fail(tooLarge) }
        received += bytes.count
        return receive(bytes) ? true : fail(.stoppedByReceiver)
    }

    private func fail(_ error: DownloadError) -> Bool {
        ownFailure = ownFailure ?? error
        return false
    }
}

extension Transfer {
    /// A header list that takes `Accept: */*` out of libcurl's requests. Made once and kept.
    private nonisolated(unsafe) static let headerWithoutAccept = curl_shim_slist_append(nil, "Accept:")
}

extension UnreachableReason {
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .nameNotResolved
            case CURLE_COULDNT_RESOLVE_PROXY: .proxyNotResolved
            case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_PROXY: .notConnected
            case CURLE_SSL_CACERT_BADFILE: .certificateAuthorities
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR: .tls
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
                CURLE_HTTP2_STREAM:
                .connectionLost
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .notHTTP
            default: .library(code: Int(code.rawValue))
            }
    }
}

extension CertificateFault {
    /// - Parameter verification: OpenSSL's verdict on the chain. Where it says nothing, libcurl
    ///   found another name than the one asked for.
    init(verification: Int) {
        self =
            switch verification {
            case 0, 1, 62: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 2, 18, 19, 20, 21, 24, 27: .unknownIssuer
            default: .other(code: verification)
            }
    }
}

extension Duration {
    /// Rounded down, at least 1: libcurl takes 0 for "its own default".
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000_000 else { return 1_000_000_000_000 }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// For `curl_multi_poll`: rounded up, at most a minute at a time.
    fileprivate var pollMilliseconds: Int32 { Int32(min(60_000, wholeMilliseconds + 1)) }
}
