import Catalogue
import CommandLineTools
import DurableFiles
import EarsCommandLine
import Firmware
import FirmwareUpdate
import FoundationEssentials

extension InstallationRequest.Wanted {
    var inWords: String {
        switch self {
        case .newest: "the newest release"
        case .version(let version): "\(version)"
        case .file(let path): path.printable
        }
    }

    func onRecord(_ source: FirmwareSource) -> BenchRun.Wanted {
        switch (self, source) {
        case (.newest, _): return .newest
        case (.version(let version), _): return .version(number: "\(version)")
        case (.file(let path), .file(let image)):
            return .file(path: URL(fileURLWithPath: path).standardizedFileURL.path, sha256: image.sha256)
        case (.file(let path), .catalogue):
            return .file(path: URL(fileURLWithPath: path).standardizedFileURL.path, sha256: [])
        }
    }

    /// - Throws: ``ExitStatus/usage`` for a record that holds no version.
    init(_ wanted: BenchRun.Wanted) throws(CommandFailure) {
        switch wanted {
        case .newest: self = .newest
        case .version(let text):
            guard let version = SemanticVersion(text) else {
                throw .usage("the record of the last run holds no version: “\(text.printable)”")
            }
            self = .version(version)
        case .file(let path, _): self = .file(path)
        }
    }
}

extension CommandFailure {
    /// A retry installs what the last run was to install, or nothing.
    static func fileHasChanged(_ wanted: InstallationRequest.Wanted) -> CommandFailure {
        CommandFailure(
            .usage, code: "file_has_changed", cause: "\(wanted.inWords) is another file than in the last run",
            remedy: "put that one back, or install this one: --all, or --device for each")
    }

    init(_ error: BenchLogError) {
        switch error {
        case .underWay(let process):
            self.init(
                .machine, code: "bench_under_way",
                cause: "another run on several pairs of ears is under way"
                    + (process.map { " (process \($0))" } ?? ""),
                remedy: "wait until it ends, or give all adapters to one run")
        case .damaged(let path):
            self.init(
                .usage, code: "bench_record_damaged", cause: "\(path.printable) is no record of a run",
                remedy: "espurr-ota install --all takes every pair anew")
        case .notWritten(let path, let number):
            self.init(writing: .failed(.write, path: path, errno: number))
        }
    }
}
