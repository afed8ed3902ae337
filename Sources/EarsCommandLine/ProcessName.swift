import CommandLineTools
import DurableFiles

/// What a process is called, where it is one of these tools' commands.
enum ProcessName {
    /// Bytes of a command line that are looked at.
    private static let limit = 4096

    /// `espurr-ota install`; nil for any other program: a number may have passed on to it.
    static func ofCommand(_ process: Int32) -> String? {
        guard let bytes = try? ReadableFile.contents(of: "/proc/\(process)/cmdline", limit: limit) else { return nil }
        let words = bytes.split(separator: 0).prefix(2).map { String(decoding: $0, as: UTF8.self) }
        guard let program = words.first?.split(separator: "/").last, program.hasPrefix("espurr-") else { return nil }
        return ([String(program)] + words.dropFirst()).joined(separator: " ").printable
    }
}
