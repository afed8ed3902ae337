import TestSupport
import Testing

@testable import Catalogue

@Suite struct PathPatternTests {
    @Test(arguments: [
        ("*", "a"), ("*", ""), ("a", "a"), ("?", "a"), ("?", "ä"), ("?", "🐈"), ("*.md", "README.md"), ("*.md", ".md"),
        ("foo-?.tgz", "foo-1.tgz"), ("releases/*/*", "releases/x/y"), ("releases/x/*", "releases/x/"),
        ("*a*b*c*", "xxaxxbxxc"), ("**", "a"), ("a*", "a"), ("[a]", "[a]"), ("a\\*", "a\\b"), ("*/", "a/"),
        ("a*ab", "aab"), ("*abab", "ababab"),
    ]) func `matches`(pattern: String, path: String) {
        #expect(PathPattern(UTF8Text(pattern))?.matches(UTF8Text(path)) == true)
    }

    @Test(arguments: [
        ("*", "a/b"), ("?", "/"), ("?", ""), ("?", "ab"), ("a", "A"), ("*.md", "README.MD"), ("*.md", "a/README.md"),
        ("foo-?.tgz", "foo-alpha.tgz"), ("releases/*/*", "releases/x"), ("releases/*", "releases/x/y"), ("[a]", "a"),
        ("*/*", "a"), ("a/", "a"), ("/a", "a"), ("", "a"), ("a*b", "ab/b"), ("*a*b*c*", "abxx"), ("e\u{301}", "é"),
    ]) func `does not match`(pattern: String, path: String) {
        #expect(PathPattern(UTF8Text(pattern))?.matches(UTF8Text(path)) == false)
    }

    @Test func `a pattern or path past its limit matches nothing`() {
        let long = UTF8Text(String(repeating: "a", count: CatalogueLimits.pathBytes + 1))
        #expect(PathPattern(long) == nil)
        #expect(PathPattern("*")?.matches(long) == false)
        #expect(PathPattern("*")?.matches(UTF8Text(String(repeating: "a", count: CatalogueLimits.pathBytes))) == true)
    }

    /// A pattern at its limit that goes back at every character.
    @Test func `the worst pattern takes no more than the product of the lengths`() {
        let half = CatalogueLimits.pathBytes / 2
        let pattern = PathPattern(UTF8Text("*" + String(repeating: "a*", count: half - 1) + "b"))
        let path = UTF8Text(String(repeating: "a", count: CatalogueLimits.pathBytes))
        #expect(pattern?.matches(path) == false)
    }

    /// Held against the plainest way to say the same thing.
    @Test(arguments: 0..<4 as Range<UInt64>) func `agrees with a definition by recursion`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var matches = 0
        for _ in 0..<2000 {
            let pattern = Self.text(of: "ab/*?", upTo: 7, &random)
            let path = Self.text(of: "ab/", upTo: 7, &random)
            let expected = Invariants.matchesByDefinition(pattern.unicodeScalars[...], path.unicodeScalars[...])
            matches += expected ? 1 : 0
            #expect(PathPattern(UTF8Text(pattern))?.matches(UTF8Text(path)) == expected, "\(pattern) \(path)")
        }
        #expect(matches > 20)
    }

    private static func text(of letters: String, upTo count: Int, _ random: inout SeededRandom) -> String {
        String((0..<Int.random(in: 0...count, using: &random)).map { _ in letters.randomElement(using: &random)! })
    }
}
