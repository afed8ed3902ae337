import Bluetooth
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct LinkMarkTests {
    @Test func `a link that this command makes is its own to end`() throws {
        #expect(LinkMark(of: .ears(), in: try TemporaryFolder().path).isOurs)
    }

    @Test func `a link that was up before is left alone`() throws {
        let folder = try TemporaryFolder()
        let mark = LinkMark(of: .ears(connected: true), in: folder.path)
        #expect(!mark.isOurs)
        mark.leave()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isOurs)
    }

    @Test func `a link whose maker was killed is ended by the next command, and only by that one`() throws {
        let folder = try TemporaryFolder()
        // The killed command left its mark and never took it away.
        LinkMark(of: .ears(), in: folder.path).leave()
        let next = LinkMark(of: .ears(connected: true), in: folder.path)
        #expect(next.isOurs)
        next.remove()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isOurs)
    }
}
