import Foundation
import TestSupport

/// Python, and what of PyPI the judges need: `ESPURR_PYTHON`.
enum Python {
    static let judges = ProcessInfo.processInfo.environment["ESPURR_PYTHON"].map { BuiltProgram(path: $0) }

    /// Any one: its standard library is enough.
    static let plain: BuiltProgram? = {
        if let judges { return judges }
        return FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
            ? BuiltProgram(path: "/usr/bin/python3") : nil
    }()
}
