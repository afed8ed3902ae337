import EarsInVirtualTime
import Foundation
import Glibc

/// Installs over modelled links and says how much of what each can carry was reached; status 1 where it was too little.
///
/// - `--size N`: bytes of the image; `--every N`: one case in N; `--case TEXT`: those whose row holds the text; `--seed N`:
///   of what is lost on the air.
/// - `--ceilings`: installs nothing, and prints the ceilings for `ceiling.py` to compare.
@main
struct LinkSpeed {
    static func main() {
        TaskQueue.takeOver()
        guard let selection = SpeedSelection(CommandLine.arguments.dropFirst()) else {
            print("usage: espurr-link-speed [--size BYTES] [--every N] [--case TEXT] [--seed N] | --ceilings")
            exit(2)
        }
        guard !selection.printsCeilings else {
            CeilingList.print()
            exit(0)
        }
        let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        var report = SpeedReport()
        for (speedCase, image) in selection.cases {
            let folder = "\(base)/link-speed-\(getpid())"
            report.note(speedCase, SpeedRun(speedCase, image: image, seed: selection.seed, folder: folder))
        }
        report.printSummary()
        exit(report.isClean ? 0 : 1)
    }
}
