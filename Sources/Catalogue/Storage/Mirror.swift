public import Download
public import DurableFiles

/// Where the catalogue's files come from. What it gives is verified; it is trusted for nothing.
public protocol Mirror: Sendable {
    /// Whether it is asked offline: nothing leaves this machine by that, and it is there.
    var isAskedOffline: Bool { get }

    /// A metadata file by its name, which holds a role's name as it is: any character.
    ///
    /// - Parameter limit: bytes; a longer file is `tooLarge`, found out without reading on.
    func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8]

    /// A target by the segments of the path that it is served under.
    ///
    /// - Parameter receive: is given the bytes in order; `false` ends the transfer with `stopped`.
    func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError)

    /// Does work with several requests where these are made, if there is such a place: without a change of threads for
    /// each of them.
    func besideRequests<Value>(
        _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value
}

extension Mirror {
    public func besideRequests<Value>(
        _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value { try await work() }
}

/// Why a mirror gave no file.
public enum MirrorError: Error, Equatable, Sendable {
    /// There is no such file: status 404, or `ENOENT`.
    case notFound
    /// Longer than asked for, in bytes.
    case tooLarge(limit: Int)
    /// A page of HTML, longer than asked for.
    case webPage
    case transfer(DownloadError)
    case folder(DurableFileError)
    /// The receiver wanted no more.
    case stopped
    case cancelled
}
