import Glibc
import ProcessShim

/// Bytes that nobody else is to see: kept out of swap where the system allows it, and overwritten when they are let go.
///
/// What is copied out of it, to be sent, lives in ordinary memory until the process ends: ``ProcessMemory/protect()``
/// keeps that out of reach.
public final class Secret: Sendable {
    // Written by one owner while it is filled, and only read from then on; freed with the object.
    private struct Storage: @unchecked Sendable { let bytes: UnsafeMutableRawBufferPointer }

    private let storage: Storage
    public let count: Int

    /// That many zeros, to be read into.
    init(filledTo count: Int) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        // Without the right to lock memory it may be swapped out; that alone is no reason to refuse.
        if let start = bytes.baseAddress { mlock(start, bytes.count) }
        storage = Storage(bytes: bytes)
        self.count = count
    }

    /// Another one, of the first bytes.
    func prefix(_ length: Int) -> Secret {
        let copy = Secret(filledTo: length)
        withBytes { bytes in
            copy.withMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<length])) }
        }
        return copy
    }

    deinit {
        if let start = storage.bytes.baseAddress {
            explicit_bzero(start, storage.bytes.count)
            munlock(start, storage.bytes.count)
        }
        storage.bytes.deallocate()
    }

    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: storage.bytes[..<count]))
    }

    /// For whoever fills it, before anybody else has it.
    func withMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[..<count]))
    }

    /// Compares every byte, wherever the first difference is.
    func equals(_ other: Secret) -> Bool {
        guard count == other.count else { return false }
        return withBytes { mine in other.withBytes { zip(mine, $0).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 } }
    }
}

/// What keeps a secret out of files while this process holds it.
public enum ProcessMemory {
    /// For the rest of the process's life: no core dump, and no other process of this user may look into its memory.
    public static func protect() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        process_shim_forbid_dumps()
    }
}
