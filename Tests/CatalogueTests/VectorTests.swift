import Crypto
import Testing

@testable import Catalogue

/// Held to vectors made with python-tuf, securesystemslib and cryptography.
@Suite(.enabled(if: Vectors.tuf != nil, "no vectors: set ESPURR_VECTORS to the folder that holds tuf/vectors.json"))
struct VectorTests {
    @Test(arguments: Vectors.list("canonical"))
    func `canonical JSON`(vector: Vector) {
        let canonical = (try? JSONReader.read(vector.bytes("json_hex"))).map(CanonicalJSON.encode)
        #expect(vector.allows(acceptance: canonical != nil))
        if let canonical { #expect(canonical == vector.bytes("canonical_hex")) }
    }

    @Test(arguments: Vectors.list("signatures"))
    func `signatures`(vector: Vector) throws {
        let key = try PublicKey(try Fields(try #require(vector.object["key"]), at: "key"))
        let signature = Hexadecimal.decode(Array(vector.text("sig").utf8))
        let isValid = try signature.flatMap {
            try key.verification?.isValid(signature: $0, for: vector.bytes("message_hex"))
        }
        #expect(vector.allows(acceptance: isValid == true))
    }

    @Test(arguments: Vectors.list("metadata"))
    func `metadata`(vector: Vector) throws {
        #expect(vector.allows(acceptance: try isAccepted(vector)))
    }

    private func isAccepted(_ vector: Vector) throws -> Bool {
        let now = try #require(UTCTime(vector.text("reference_time")))
        let delegator = try #require(vector.object["delegator"])
        do {
            let root = try Root(signed: try Fields(delegator, at: "signed"))
            let envelope = try Envelope(vector.bytes("file_hex"), limits: JSONLimits())
            try root.verify(envelope, as: .targets)
            return try envelope.metadata(Targets.self).expires > now
        } catch {
            return false
        }
    }

    @Test func `there are vectors of every sort`() {
        #expect(Vectors.list("canonical").count >= 31)
        #expect(Vectors.list("signatures").count >= 40)
        #expect(Vectors.list("metadata").count >= 47)
    }
}
