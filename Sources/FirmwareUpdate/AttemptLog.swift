internal import DurableFiles
internal import FoundationEssentials
internal import Glibc

/// Why the record of attempts cannot be used.
public enum AttemptLogError: Error, Hashable, Sendable {
    /// `errno` of the step that failed.
    case notWritten(path: String, errno: Int32)
    case notRead(path: String, errno: Int32)
}

/// The attempts of this machine: one file each, whole or not at all.
///
/// At most ``maximumAttempts`` are kept: the oldest settled ones make room.
public struct AttemptLog: Sendable {
    /// What is on disk, in the order of the attempts' sequence.
    public struct Contents: Hashable, Sendable {
        public var attempts: [Attempt]
        /// Names of files that are no attempt's record.
        public var damaged: [String]

        public init(attempts: [Attempt], damaged: [String]) {
            self.attempts = attempts
            self.damaged = damaged
        }
    }

    public static let maximumAttempts = 500
    /// Bytes of one record.
    public static let maximumBytes = 16 * 1024
    /// Files of the folder that are looked at.
    public static let maximumFiles = 4096

    private let folder: String
    private let kept: Int

    /// - Parameters:
    ///   - stateFolder: `$XDG_STATE_HOME/espurr`; made (0700) when the first attempt is written.
    ///   - kept: how many attempts make room for no more.
    public init(stateFolder: String, keeping kept: Int = maximumAttempts) {
        folder = "\(stateFolder)/attempts"
        self.kept = kept
    }

    /// Writes one attempt: beside the destination, synced, renamed.
    public func write(_ attempt: Attempt) throws(AttemptLogError) {
        let path = path(of: attempt.id)
        // Finite numbers and text: there is nothing in an attempt that cannot be encoded.
        guard let record = try? Self.encoder.encode(attempt) else { throw .notWritten(path: path, errno: EINVAL) }
        do throws(DurableFileError) {
            try makeFolder(folder, permissions: 0o700)
            try DurableFile.replace(path, with: Array(record), permissions: 0o600)
        } catch {
            throw .notWritten(path: error.path, errno: error.errno)
        }
        prune()
    }

    /// Every attempt that can be read, in the order of their sequence. A missing folder holds none.
    public func contents() throws(AttemptLogError) -> Contents {
        var contents = Contents(attempts: [], damaged: [])
        for name in try names() {
            if let attempt = attempt(in: name) {
                contents.attempts.append(attempt)
            } else {
                contents.damaged.append(name)
            }
        }
        contents.attempts.sort { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
        return contents
    }

    /// The sequence of the next attempt, after every one that can be read.
    func nextSequence() throws(AttemptLogError) -> Int {
        try contents().attempts.last.map { $0.sequence == .max ? .max : $0.sequence + 1 } ?? 1
    }

    /// Every attempt on a pair of ears that only a fresh read can settle, in the order of their sequence.
    func allUnsettled(on device: String) throws(AttemptLogError) -> [Attempt] {
        try contents().attempts.filter { $0.device == device && $0.isUnsettled }
    }

    /// The last attempt on a pair of ears, where only a fresh read can say how it ended.
    public func unsettled(on device: String) throws(AttemptLogError) -> Attempt? {
        let last = try contents().attempts.last { $0.device == device }
        return last?.isUnsettled == true ? last : nil
    }

    /// The last attempt to install an image on a pair of ears that saw its trial boot to the end.
    ///
    /// - Parameter digest: of the image.
    public func lastTrial(of digest: [UInt8], on device: String) throws(AttemptLogError) -> Attempt? {
        try contents().attempts.last { attempt in
            attempt.device == device && attempt.target.imageDigest == digest
                && (attempt.verdict == .confirmed || attempt.verdict == .rolledBack)
        }
    }

    private func names() throws(AttemptLogError) -> [String] {
        guard access(folder, F_OK) == 0 else { return [] }
        guard let listing = opendir(folder) else { throw .notRead(path: folder, errno: errno) }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return Array(names.filter { $0.hasSuffix(Self.suffix) }.sorted().suffix(Self.maximumFiles))
    }

    private func attempt(in name: String) -> Attempt? {
        guard let bytes = BoundedFile.read("\(folder)/\(name)", atMost: Self.maximumBytes),
            let attempt = try? Self.decoder.decode(Attempt.self, from: Data(bytes)), attempt.id + Self.suffix == name
        else { return nil }
        return attempt
    }

    /// Only settled attempts go; one that cannot be removed stays, and does no harm.
    private func prune() {
        guard let count = try? names().count, count > kept, let attempts = try? contents().attempts else { return }
        for attempt in attempts.prefix(count - kept) where !attempt.isUnsettled {
            try? FileManager.default.removeItem(atPath: path(of: attempt.id))
        }
    }

    private func path(of id: String) -> String { "\(folder)/\(id)\(Self.suffix)" }

    private static let suffix = ".json"

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
