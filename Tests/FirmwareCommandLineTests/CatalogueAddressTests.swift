import FirmwareCommandLine
import Foundation
import Testing

@Suite struct CatalogueAddressTests {
    @Test func `a folder is meant from where the command was run`() {
        let here = FileManager.default.currentDirectoryPath
        #expect(CatalogueAccess.absolute("./catalogue") == here + "/catalogue")
        #expect(CatalogueAccess.absolute("catalogue") == here + "/catalogue")
    }

    @Test(arguments: ["/srv/catalogue", "file:///srv/catalogue", "https://firmware.example/"])
    func `any other address stays as it is`(address: String) {
        #expect(CatalogueAccess.absolute(address) == address)
    }
}
