import CCurl
import CurlShim

/// Owns an easy handle and the multi handle whose connections it uses. Belongs to one thread.
final class CurlHandles: @unchecked Sendable {
    // Unchecked: only `wake` is called from another thread, and curl_multi_wakeup is made for that.
    let easy: UnsafeMutableRawPointer
    let multi: UnsafeMutableRawPointer

    /// nil where the library is not there or has not the memory.
    init?() {
        guard Self.libraryFault == nil, let easy = curl_shim_easy_init() else { return nil }
        guard let multi = curl_shim_multi_init() else {
            curl_shim_easy_cleanup(easy)
            return nil
        }
        self.easy = easy
        self.multi = multi
    }

    deinit {
        curl_shim_easy_cleanup(easy)
        curl_shim_multi_cleanup(multi)
    }

    func wake() { curl_shim_multi_wakeup(multi) }

    /// Loads libcurl and makes it ready, if nobody did.
    static var libraryFault: UnreachableReason? {
        if let fault = curl_shim_load_fault() { return .noLibrary(reason: String(cString: fault)) }
        let code = curl_shim_start_fault()
        return code == CURLE_OK ? nil : .library(code: Int(code.rawValue))
    }
}
