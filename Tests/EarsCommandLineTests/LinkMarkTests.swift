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

    @Test func `a link whose maker left while it let the ears go is about to end, until the next command has its own`()
        throws
    {
        let folder = try TemporaryFolder()
        let maker = LinkMark(of: .ears(), in: folder.path)
        maker.leave()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isLeft)
        maker.beginLeaving()
        let next = LinkMark(of: .ears(connected: true), in: folder.path)
        #expect(next.isLeft && next.isOurs)
        // It is down by now: there is nothing to wait for.
        #expect(!LinkMark(of: .ears(), in: folder.path).isLeft)
        next.leave()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isLeft)
        next.beginLeaving()
        next.remove()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isOurs)
    }

    @Test func `a link that was up before is not left by a command that only used it`() throws {
        let folder = try TemporaryFolder()
        let mark = LinkMark(of: .ears(connected: true), in: folder.path)
        mark.leave()
        mark.beginLeaving()
        #expect(!LinkMark(of: .ears(connected: true), in: folder.path).isLeft)
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
