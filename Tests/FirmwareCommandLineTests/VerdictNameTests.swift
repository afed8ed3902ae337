import FirmwareUpdate
import Testing

@testable import FirmwareCommandLine

@Suite struct VerdictNameTests {
    @Test(arguments: VerdictName.allCases) func `people read words, not a machine's`(name: VerdictName) {
        #expect(!name.inWords.contains("_"))
    }
}
