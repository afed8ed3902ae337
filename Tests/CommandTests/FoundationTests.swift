import Foundation
import TestSupport
import Testing

/// The commands that people use have FoundationEssentials alone: all of Foundation brings ICU, and 3 ms at every start.
@Suite struct FoundationTests {
    /// These stand in for ears, and may have all of it.
    private static let others = ["Simulator", "espurr-sim", "espurr-ears-pipe"]

    private static let whole = [
        "Foundation", "FoundationNetworking", "FoundationXML", "FoundationInternationalization",
    ]

    /// The lines of a source that import more than the essentials.
    private static func faults(in source: String) -> [String] {
        source.split(separator: "\n").map(String.init).filter { line in
            let words = line.prefix { $0 != "/" }.split { !$0.isLetter && !$0.isNumber && !"_.".contains($0) }
            guard let place = words.firstIndex(of: "import") else { return false }
            return words[place...].dropFirst().contains { word in
                whole.contains(String(word.prefix { $0 != "." }))
            }
        }
    }

    private static func sources(of modules: (String) -> Bool) throws -> [(path: String, text: String)] {
        let folder = BuiltProgram.packageFolder + "/Sources"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
            path.hasSuffix(".swift") && modules(String(path.prefix { $0 != "/" }))
        }
        return try paths.map { ($0, try String(contentsOfFile: folder + "/" + $0, encoding: .utf8)) }
    }

    @Test func `no module of theirs imports more`() throws {
        let sources = try Self.sources { !Self.others.contains($0) }
        #expect(sources.count > 300)
        for (path, text) in sources { #expect(Self.faults(in: text) == [], "\(path)") }
    }

    @Test(arguments: [
        "import Foundation", "internal import Foundation", "public import struct Foundation.Data",
        "@preconcurrency import FoundationNetworking", "    import Foundation // why",
        "import FoundationXML;import Glibc",
    ])
    func `an import of more would be seen`(line: String) throws {
        #expect(Self.faults(in: "import Glibc\n\(line)\nlet one = 1") == [line])
    }

    @Test func `the essentials, and what only mentions the other, are none`() throws {
        let source = """
            public import FoundationEssentials
            // import Foundation
            let Foundation = "no import"
            """
        #expect(Self.faults(in: source) == [])
        // Those that may import all of it are seen to.
        #expect(try Self.sources { Self.others.contains($0) }.contains { !Self.faults(in: $0.text).isEmpty })
    }

    @Test(arguments: [("espurr-ota", false), ("espurr-ctl", false), ("espurr-sim", true)])
    func `what is built loads as much`(command: String, hasWhole: Bool) throws {
        let program = try Data(contentsOf: URL(filePath: BuiltProgram.folder + "/" + command))
        let libraries = ["libFoundation.so", "lib_FoundationICU.so", "libFoundationInternationalization.so"]
        let named = libraries.filter { program.range(of: Data("\0\($0)\0".utf8)) != nil }
        #expect((named == []) != hasWhole, "\(named)")
    }
}
