import Catalogue
import CommandLineTools
import FirmwareUpdate
import Testing

@testable import FirmwareCommandLine

/// Which option a refusal names to whom.
@Suite struct RefusalWordsTests {
    private let unordered = OfferRefusal.unordered(offered: "1.5.0", running: "v1.4-dirty")

    @Test func `install names its own flag`() {
        #expect(CommandFailure(unordered).remedy == "--allow-older would allow it")
    }

    @Test func `a verb without the flag names it as install's, and one that has it as its own`() {
        let usage = Usage("check", "", options: CatalogueOptions.options)
        #expect(
            CommandFailure(unordered, answering: usage).remedy == "espurr-ota install --allow-older would allow it")
        let version = OfferRefusal.onlyCandidates(newest: .init("2.0.0-rc.1")!)
        #expect(CommandFailure(version, answering: usage).remedy == "--candidates would allow it")
    }
}
