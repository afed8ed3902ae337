import Catalogue
import Testing

@Suite struct SemanticVersionTests {
    @Test(arguments: [
        "0.0.0", "1.6.0-rc.1", "1.0.0-alpha", "1.0.0-0A.is.legal", "1.0.0--", "10.20.30-x-y-z.4",
        "18446744073709551615.0.0", "1.0.0-aaaaaaaaaaaaaaaaaaaaaaaaa",
    ])
    func `a version is read and written`(text: String) throws {
        #expect(try #require(SemanticVersion(text)).description == text)
    }

    @Test(arguments: [
        "", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.02.3", "1.2.03", "1.2.3-", "1.2.3-01", "1.2.3-a..b",
        "1.2.3-a.", "1.2.3+build", "1.2.3-rc.1+build", "-1.2.3", "1.-2.3", " 1.2.3", "1.2.3 ", "1.2.3-ä", "1.2.3-a_b",
        "1..3", "18446744073709551616.0.0", "1.0.0-aaaaaaaaaaaaaaaaaaaaaaaaaa", "１.2.3", "+1.2.3",
    ])
    func `anything else is refused`(text: String) {
        #expect(SemanticVersion(text) == nil)
    }

    /// SemVer 2.0.0 section 11.
    @Test func `versions are ordered as SemVer orders them`() throws {
        let ordered = try [
            "0.9.9", "1.0.0-1", "1.0.0-2", "1.0.0-11", "1.0.0-A", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
            "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
        ].map { try #require(SemanticVersion($0)) }
        for (index, left) in ordered.enumerated() {
            for (other, right) in ordered.enumerated() {
                #expect((left < right) == (index < other), "\(left) < \(right)")
                #expect((left == right) == (index == other), "\(left) == \(right)")
            }
        }
    }
}
