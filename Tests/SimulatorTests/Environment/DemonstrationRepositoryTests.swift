import Crypto
import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite struct DemonstrationRepositoryTests {
    @Test func `metadata has TUF's names, and every family has three releases`() throws {
        let paths = try DemonstrationRepository().paths
        #expect(
            paths.prefix(5) == [
                "metadata/1.root.json", "metadata/1.snapshot.json", "metadata/1.targets.json", "metadata/2.root.json",
                "metadata/timestamp.json",
            ])
        #expect(paths.count == 5 + 4 * 3)
        for family in BoardFamily.allCases {
            #expect(paths.count { $0.hasPrefix("targets/\(family.rawValue)/") } == 3)
        }
    }

    @Test func `an image's name has the hash of its bytes`() throws {
        let repository = try DemonstrationRepository()
        let path = try #require(repository.paths.first { $0.hasPrefix("targets/esp32/1.6.0-rc.1/") })
        let image = try #require(repository.contents(of: path))
        let hash = HashAlgorithm.sha256.hash(of: image).map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }
        #expect(path == "targets/esp32/1.6.0-rc.1/\(hash.joined()).espurr-esp32-1.6.0-rc.1.bin")
    }

    @Test(arguments: ["", "metadata", "metadata/root.json", "../etc/passwd", "targets/esp32/1.4.0/espurr-esp32-1.4.0.bin"])
    func `nothing else is served`(path: String) throws {
        #expect(try DemonstrationRepository().contents(of: path) == nil)
    }

    @Test func `the trusted root is the key file of the package`() throws {
        let path = BuiltProgram.packageFolder + "/catalogue-keys/demonstration.root.json"
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(DemonstrationRepository.root))
    }
}
