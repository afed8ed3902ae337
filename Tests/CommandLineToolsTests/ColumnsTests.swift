import CommandLineTools
import Testing

@Suite struct ColumnsTests {
    private static let rows = [["s3", "1.5.0", "a long note"], ["esp32", "1.10.0-rc.1", "short"], ["c6"]]

    @Test func `cells stand below one another, as wide as the widest`() {
        #expect(
            Self.rows.aligned() == [
                "s3     1.5.0        a long note", "esp32  1.10.0-rc.1  short", "c6",
            ])
        #expect([[String]]().aligned() == [])
    }

    @Test func `only the last cell is cut, and only where something of it remains`() {
        #expect(Self.rows.aligned(within: 30)[0] == "s3     1.5.0        a long no…")
        #expect(Self.rows.aligned(within: 31)[0].hasSuffix("a long note"))
        #expect(Self.rows.aligned(within: 21)[0].hasSuffix("a long note"))
    }
}
