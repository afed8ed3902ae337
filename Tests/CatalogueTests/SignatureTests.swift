import Testing

@testable import Catalogue

/// Thresholds count distinct keys of the role with a valid signature, and nothing else.
@Suite struct SignatureTests {
    private let keys = (10...12).map { SigningKey($0) }

    /// The verdict on targets signed by hand under a root that gives the role these keys and this threshold.
    private func verdict(
        authority: [SigningKey], threshold: Int, _ make: (JSONValue) -> [UInt8]
    ) throws -> Result<Void, Distrust> {
        var repository = TestRepository()
        repository.authority[.targets] = (authority, threshold)
        let root = try TrustedRoot(repository.rootFile).root
        let file = make(repository.targetsPart)
        return Result { () throws(Distrust) in
            let envelope = try Envelope(file, limits: JSONLimits())
            try root.verify(envelope, as: .targets)
        }
    }

    private func tooFew(_ valid: Int, of threshold: Int) -> Result<Void, Distrust> {
        .failure(.tooFewSignatures(of: .targets, valid: valid, threshold: threshold))
    }

    @Test(arguments: 1...3) func `a threshold is reached with as many keys and not with one fewer`(threshold: Int)
        throws
    {
        let enough = try verdict(authority: keys, threshold: threshold) {
            signed($0, by: Array(keys.prefix(threshold)))
        }
        #expect(throws: Never.self) { try enough.get() }
        let few = try verdict(authority: keys, threshold: threshold) {
            signed($0, by: Array(keys.prefix(threshold - 1)))
        }
        #expect(few.failure == tooFew(threshold - 1, of: threshold).failure)
    }

    @Test func `no signature at all`() throws {
        #expect(try verdict(authority: keys, threshold: 1) { signed($0, by: []) }.failure == tooFew(0, of: 1).failure)
    }

    @Test func `a threshold beyond the number of keys is never reached`() throws {
        let verdict = try verdict(authority: keys, threshold: 4) { signed($0, by: keys) }
        #expect(verdict.failure == tooFew(3, of: 4).failure)
    }

    @Test func `one key under two identifiers counts once`() throws {
        let twins = [SigningKey(10), SigningKey(10, keyID: "other name")]
        let verdict = try verdict(authority: twins, threshold: 2) { signed($0, by: twins) }
        #expect(verdict.failure == tooFew(1, of: 2).failure)
    }

    @Test(arguments: [1, 2]) func `an identifier twice in the signatures spoils the file`(threshold: Int) throws {
        let verdict = try verdict(authority: keys, threshold: threshold) {
            signed($0, by: [keys[0], keys[0], keys[1]])
        }
        #expect(verdict.failure == .duplicateSignature(keyID: "key-10"))
    }

    @Test func `a key of another role does not count`() throws {
        let verdict = try verdict(authority: keys, threshold: 1) { signed($0, by: [SigningKey(1), SigningKey(4)]) }
        #expect(verdict.failure == tooFew(0, of: 1).failure)
    }

    @Test(arguments: ["", "zz", "0", String(repeating: "00", count: 64)])
    func `a bad signature beside enough good ones is not counted and spoils nothing`(hex: String) throws {
        func verdict(good: Int) throws -> Result<Void, Distrust> {
            try self.verdict(authority: keys, threshold: 2) { part in
                let message = CanonicalJSON.encode(part)
                let honest = keys.dropFirst().prefix(good).map {
                    ($0.keyID, Hexadecimal.encode($0.signature(of: message)))
                }
                return file(part, signatures: [(keys[0].keyID, hex)] + honest)
            }
        }
        #expect(throws: Never.self) { try verdict(good: 2).get() }
        #expect(try verdict(good: 1).failure == tooFew(1, of: 2).failure)
    }

    @Test func `a signature in upper case hexadecimal is the same signature`() throws {
        let verdict = try verdict(authority: keys, threshold: 1) { part in
            let hex = Hexadecimal.encode(keys[0].signature(of: CanonicalJSON.encode(part)))
            return file(part, signatures: [(keys[0].keyID, hex.uppercased())])
        }
        #expect(throws: Never.self) { try verdict.get() }
    }

    @Test func `another's signature under a trusted identifier does not count`() throws {
        let verdict = try verdict(authority: keys, threshold: 1) { signed($0, by: [SigningKey(99, keyID: "key-10")]) }
        #expect(verdict.failure == tooFew(0, of: 1).failure)
    }

    @Test(arguments: [0, -1] as [Int64]) func `a root with a threshold below one is refused`(threshold: Int64) {
        var repository = TestRepository()
        repository.authority[.targets] = (keys, Int(threshold))
        #expect(
            throws: CatalogueError.untrusted(file: "root.json", .badField("signed.roles.targets.threshold"))
        ) { try TrustedRoot(repository.rootFile) }
    }

    @Test func `a root with an identifier twice in a role is refused`() {
        var repository = TestRepository()
        repository.authority[.targets] = ([keys[0], keys[0]], 1)
        #expect(throws: CatalogueError.untrusted(file: "root.json", .badField("signed.roles.targets.keyids"))) {
            try TrustedRoot(repository.rootFile)
        }
    }

    @Test func `a key of a kind that is not known stands in a root and verifies nothing`() throws {
        let fields = try Fields(
            ["keytype": "lamport", "scheme": "lamport", "keyval": ["public": "00"]], at: "key")
        #expect(try PublicKey(fields).verification == nil)
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
