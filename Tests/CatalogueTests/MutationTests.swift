import TestSupport
import Testing

@testable import Catalogue

/// Metadata changed in transit.
@Suite struct MutationTests {
    /// A root that an honest client holds, and the files that it fetches next.
    private struct Served {
        let root: Root
        let files: [(role: Role, bytes: [UInt8])]

        init() throws {
            var repository = TestRepository()
            repository.authority[.root] = ([SigningKey(1)], 1)
            root = try TrustedRoot(repository.rootFile).root
            repository.publish()
            repository.rotate(signedAlsoBy: [])
            files = [
                (.root, repository.mirror.file("2.root.json")), (.timestamp, repository.mirror.file("timestamp.json")),
                (.snapshot, repository.mirror.file("1.snapshot.json")),
                (.targets, repository.mirror.file("1.targets.json")),
            ]
        }

        func verified(_ bytes: [UInt8], as role: Role) -> Envelope? {
            guard let envelope = try? Envelope(bytes, limits: JSONLimits()),
                (try? root.verify(envelope, as: role)) != nil
            else { return nil }
            return envelope
        }
    }

    /// Each byte of each file changed in one bit: refused, or else what is signed is the same, and so are the signatures.
    @Test(arguments: Role.allCases)
    func `a changed byte is refused or changes nothing that is signed`(role: Role) throws {
        let served = try Served()
        let bytes = try #require(served.files.first { $0.role == role }).bytes
        let honest = try #require(served.verified(bytes, as: role))
        var harmless = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= index.isMultiple(of: 2) ? 0x20 : 0x01
            guard let envelope = served.verified(changed, as: role) else { continue }
            harmless += 1
            #expect(envelope.signedBytes == honest.signedBytes, "byte \(index)")
            #expect(envelope.signatures == honest.signatures, "byte \(index)")
        }
        // The case of a hexadecimal digit, at least, means nothing.
        #expect((1..<bytes.count / 4).contains(harmless))
    }

    @Test(arguments: 0..<4)
    func `no mutation crashes a reader of metadata or is taken for signed`(seed: UInt64) throws {
        let served = try Served()
        var random = SeededRandom(seed: seed)
        for (role, bytes) in served.files {
            let honest = try #require(served.verified(bytes, as: role))
            for _ in 0..<100 {
                let mutated = random.mutate(bytes)
                if let envelope = served.verified(mutated, as: role) {
                    #expect(envelope.signedBytes == honest.signedBytes)
                }
                // The readers behind the signature have to stand the same, though nothing unsigned gets to them.
                guard let envelope = try? Envelope(mutated, limits: JSONLimits()) else { continue }
                _ = try? envelope.metadata(Root.self)
                _ = try? envelope.metadata(Timestamp.self)
                _ = try? envelope.metadata(Snapshot.self)
                if let targets = try? envelope.metadata(Targets.self) {
                    for target in targets.targets { _ = try? Release(target) }
                }
            }
        }
    }
}
