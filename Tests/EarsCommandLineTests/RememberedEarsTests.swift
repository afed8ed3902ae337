import Bluetooth
import EarsCommandLine
import Testing
import TestSupport

@Suite struct RememberedEarsTests {
    @Test func `what is remembered is read again, in a folder that was not there`() throws {
        let folder = try TemporaryFolder()
        let memory = RememberedEars(stateFolder: folder.path + "/state/espurr")
        #expect(memory.address == nil)
        try memory.remember(.second)
        try memory.remember(.first)
        #expect(RememberedEars(stateFolder: folder.path + "/state/espurr").address == .first)
    }

    @Test(arguments: ["", "garbage\n", "C4:11:22:33:44\n", "C4:11:22:33:44:55 C4:11:22:33:44:66\n"])
    func `a file that is something else remembers nothing`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "device")
        #expect(RememberedEars(stateFolder: folder.path).address == nil)
    }
}
