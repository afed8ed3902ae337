import Catalogue
import CommandLineTools
import Download
import EarsCommandLine
import Foundation
import TestSupport
import Testing

@testable import FirmwareCommandLine

/// Whether firmware could be verified here: the root, and the clock.
@Suite struct CatalogueDiagnosisTests {
    private let folder: TemporaryFolder
    private let directories: UserDirectories
    /// The demonstration's root; it expires at the end of 2099.
    private let root = BuiltProgram.packageFolder + "/catalogue-keys/demonstration.root.json"

    init() throws {
        folder = try TemporaryFolder()
        directories = try UserDirectories(environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
    }

    private func trust(_ root: String, address: String? = "https://firmware.example/") throws {
        try Configuration(catalogueAddress: address, catalogueRoot: root).save(directories)
    }

    private func findings(
        now: String = "2030-01-01T00:00:00Z", built: String? = "2029-12-01T00:00:00Z",
        libraryFault: UnreachableReason? = nil
    ) throws -> [String] {
        let now = try #require(UTCTime(now))
        let diagnosis = CatalogueDiagnosis(
            directories: directories, now: now, built: try built.map { try #require(UTCTime($0)) },
            libraryFault: libraryFault)
        return diagnosis.findings.map {
            ($0.weight == .obstacle ? "\($0.failure.status.rawValue) " : "") + $0.failure.code
        }
    }

    private func refreshed(at time: String) throws {
        let given = try TrustedRoot(file: root)
        let store = CatalogueAccess.storeFolder(of: given, in: directories)
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        try Data(time.utf8).write(to: URL(fileURLWithPath: store + "/last-refresh"))
    }

    @Test func `a trusted root and a clock that can be right are no finding`() throws {
        try trust(root)
        #expect(try findings() == [])
        try refreshed(at: "2029-12-31T00:00:00Z")
        #expect(try findings() == [])
    }

    @Test func `no root, an unreadable one and a damaged one are in the way`() throws {
        #expect(try findings() == ["20 no_root"])
        try trust(folder.path + "/missing.json")
        #expect(try findings() == ["20 no_root"])
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.path + "/damaged.json"))
        try trust(folder.path + "/damaged.json")
        #expect(try findings() == ["20 no_root"])
    }

    @Test func `a configuration that cannot be read is in the way`() throws {
        try trust(root)
        try Data("{".utf8).write(to: URL(fileURLWithPath: directories.configuration + "/config.json"))
        #expect(try findings() == ["2 configuration"])
    }

    @Test func `a root without an address is good to know`() throws {
        try trust(root, address: nil)
        #expect(try findings() == ["usage"])
    }

    @Test func `who has a root is not sent for it again, nor to an option that doctor has not`() throws {
        try trust(root, address: nil)
        let diagnosis = CatalogueDiagnosis(directories: directories, now: .now(), built: nil, libraryFault: nil)
        #expect(diagnosis.findings.map(\.failure.remedy) == ["espurr-ota trust --address URL|DIR"])
        let options = CatalogueOptions(
            try Usage("list", "", options: CatalogueOptions.options).parse([], program: "espurr-ota"))
        #expect {
            _ = try CatalogueAccess(options, directories: directories, environment: [:])
        } throws: { error in
            (error as? CommandFailure)?.remedy == "espurr-ota trust --address URL|DIR, or --catalogue URL|DIR"
        }
    }

    @Test func `a clock before the last verified refresh is behind, by more than a day`() throws {
        try trust(root)
        try refreshed(at: "2030-01-01T23:59:59Z")
        #expect(try findings() == [])
        try refreshed(at: "2030-01-02T00:00:01Z")
        #expect(try findings() == ["20 clock_behind"])
        try refreshed(at: "no time")
        #expect(try findings() == [])
    }

    @Test func `a clock before the building of the program is behind, also without a root`() throws {
        #expect(try findings(now: "1970-01-01T00:00:00Z") == ["20 clock_behind", "20 no_root"])
        try trust(root)
        #expect(try findings(now: "1970-01-01T00:00:00Z") == ["20 clock_behind"])
        #expect(try findings(built: nil) == [])
    }

    @Test func `a libcurl that cannot be used is in the way of a catalogue on the web, and of none in a folder`() throws
    {
        let fault = UnreachableReason.noLibrary(reason: "libcurl.so.4: no such file")
        try trust(root)
        #expect(try findings(libraryFault: fault) == ["15 no_libcurl"])
        try trust(root, address: "/srv/catalogue")
        #expect(try findings(libraryFault: fault) == [])
        try trust(root, address: "file:///srv/catalogue")
        #expect(try findings(libraryFault: fault) == [])
        try trust(root, address: nil)
        #expect(try findings(libraryFault: fault) == ["usage", "no_libcurl"])
        try trust(folder.path + "/missing.json")
        #expect(try findings(libraryFault: fault) == ["20 no_root", "15 no_libcurl"])
    }

    @Test func `a root that has expired by this clock is named with both times`() throws {
        try trust(root)
        #expect(try findings(now: "9000-01-01T00:00:00Z") == ["20 root_expired"])
    }
}
