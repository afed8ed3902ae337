import ControlProtocol
import Testing

@testable import Simulator

@Suite struct StrikeTests {
    @Test func `is asked for by stage and kind`() throws {
        #expect(try Fault(parsing: "strike=sending:stall") == .strike(Strike(.sending, .stall)))
        for text in ["strike=sending", "strike=stall:sending", "strike=sending:stall:", "strike=:", "strike=sending:"] {
            #expect(throws: FaultSyntaxError.self) { try Fault(parsing: text) }
        }
    }

    @Test func `a lost request leaves the ears as they were, and silent until the link is made anew`() throws {
        var link = TestLink([.strike(Strike(.erasing, .requestLost))])
        let before = try link.update(.status)
        #expect(throws: GATTFailure.noAnswer) { try link.begin(Self.file) }
        #expect(throws: GATTFailure.noAnswer) { try link.update(.status) }
        link.ears.disconnect(at: link.now)
        link.connect()
        #expect(try link.update(.status) == before)
    }

    @Test func `of a reply that is lost the request took effect`() throws {
        var link = TestLink([.strike(Strike(.verifying, .replyLost))])
        let session = try link.send(Self.file)
        #expect(throws: GATTFailure.linkLost) { try link.update(.finish(session: session)) }
        #expect(link.ears.link == nil)
        link.connect()
        #expect(link.ears.spentFaults == [.strike(Strike(.verifying, .replyLost))])
    }

    @Test func `a reply that comes twice stands in the next one's place`() throws {
        var link = TestLink([.strike(Strike(.erasing, .replyTwice))])
        let before = try link.update(.status)
        #expect(try link.begin(Self.file) == before)
        #expect(try link.update(.status) != before)
    }

    @Test(arguments: [Strike.Kind.powerLostBefore, .powerLostAfter])
    func `ears that lost power are back after a moment`(kind: Strike.Kind) throws {
        var link = TestLink([.strike(Strike(.opening, kind))])
        #expect(throws: GATTFailure.linkLost) { try link.update(.status) }
        #expect(link.ears.advertisement == nil)
        link.wait(.seconds(5))
        #expect(link.ears.advertisement != nil)
    }

    private static let file = TestImage.ears(TestImage.newVersion)
}
