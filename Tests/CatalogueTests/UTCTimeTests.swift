import Testing

@testable import Catalogue

@Suite struct UTCTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696), ("2099-12-31T23:59:59Z", 4_102_444_799),
        ("2038-01-19T03:14:08Z", 2_147_483_648), ("1969-12-31T23:59:59Z", -1),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func `a time is read and written`(text: String, seconds: Int64) throws {
        let time = try #require(UTCTime(text))
        #expect(time.secondsSince1970 == seconds)
        #expect(time.description == text)
    }

    @Test(arguments: [
        "", "2030-01-01", "2030-01-01T00:00:00", "2030-01-01T00:00:00+00:00", "2030-01-01T00:00:00.0Z",
        "2030-1-1T0:0:0Z", "2030-02-30T00:00:00Z", "2030-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
        "2030-13-01T00:00:00Z", "2030-00-01T00:00:00Z", "2030-01-00T00:00:00Z", "2030-04-31T00:00:00Z",
        "2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z", "2016-12-31T23:59:60Z", "2030-01-01t00:00:00z",
        "2030-01-01 00:00:00Z", "+030-01-01T00:00:00Z", "2030-01-01T00:00:00Z ", "２030-01-01T00:00Z",
    ])
    func `any other form, and a time that does not exist, is refused`(text: String) {
        #expect(UTCTime(text) == nil)
    }

    @Test func `every day of four centuries is the one after the day before`() throws {
        let start = try #require(UTCTime("1999-12-31T00:00:00Z")).secondsSince1970
        for day in Int64(1)...146_097 {
            let time = UTCTime(secondsSince1970: start + day * 86_400)
            guard UTCTime(time.description) == time else {
                Issue.record("\(time)")
                return
            }
        }
        #expect(UTCTime(secondsSince1970: start + 146_097 * 86_400).description == "2399-12-31T00:00:00Z")
    }
}
