import Crypto

/// The hashes listed for a file, by the names that the metadata gives the algorithms.
public struct FileHashes: Hashable, Sendable {
    /// Lower-case hexadecimal, by name; at least one.
    public let listed: [UTF8Text: UTF8Text]

    init(_ fields: Fields) throws(Distrust) {
        var listed: [UTF8Text: UTF8Text] = [:]
        for member in fields.object.members {
            guard let text = member.value.textValue, !text.bytes.isEmpty,
                text.bytes.allSatisfy(Hexadecimal.isLowerCaseDigit)
            else { throw fields.bad(member.name) }
            listed[member.name] = text
        }
        guard !listed.isEmpty else { throw .badField(fields.path) }
        self.listed = listed
    }

    /// What there is to compute. A list with an algorithm that is not known here is refused as a whole: skipping it would
    /// let whoever writes the list choose the weakest.
    func expected() throws(Distrust) -> [(name: UTF8Text, algorithm: HashAlgorithm, digest: UTF8Text)] {
        var expected: [(UTF8Text, HashAlgorithm, UTF8Text)] = []
        for (name, digest) in listed.sorted(by: { $0.key < $1.key }) {
            guard let algorithm = Self.algorithms[name] else { throw .unknownHashAlgorithm(name) }
            expected.append((name, algorithm, digest))
        }
        return expected
    }

    /// The hash that names the file where names carry a hash (specification 7.2): SHA-256, else SHA-512.
    func nameHash() throws(Distrust) -> UTF8Text {
        let expected = try expected()
        guard let chosen = expected.first(where: { $0.algorithm == .sha256 }) ?? expected.first else {
            throw .badField("hashes")
        }
        return chosen.digest
    }

    private static let algorithms: [UTF8Text: HashAlgorithm] = ["sha256": .sha256, "sha512": .sha512]
}

/// Length and hashes that bytes are held to as they arrive.
struct FileCheck: ~Copyable, Sendable {
    private let expectedLength: Int?
    private let limit: Int
    private let digests: [(name: UTF8Text, algorithm: HashAlgorithm, digest: UTF8Text)]
    private var sha256 = RunningHash(.sha256)
    private var sha512 = RunningHash(.sha512)
    private(set) var length = 0

    init(length: Int?, limit: Int, hashes: FileHashes?) throws(Distrust) {
        expectedLength = length
        self.limit = min(limit, length ?? limit)
        digests = try hashes?.expected() ?? []
    }

    /// Whether the bytes still fit.
    mutating func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length += bytes.count
        guard length <= limit else { return false }
        if uses(.sha256) { sha256.update(bytes) }
        if uses(.sha512) { sha512.update(bytes) }
        return true
    }

    consuming func finish() throws(Distrust) {
        guard length <= limit else { throw .tooLarge(limit: limit) }
        if let expectedLength, expectedLength != length {
            throw .wrongLength(expected: expectedLength, actual: length)
        }
        let expected = digests
        let (short, long) = (sha256.finish(), sha512.finish())
        for (name, algorithm, digest) in expected {
            let actual = algorithm == .sha256 ? short : long
            guard Hexadecimal.encode(actual) == digest.string else { throw .wrongHash(algorithm: name) }
        }
    }

    private func uses(_ algorithm: HashAlgorithm) -> Bool { digests.contains { $0.algorithm == algorithm } }
}
