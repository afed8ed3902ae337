import CommandLineTools
import DurableFiles
import Glibc

/// What this machine runs, without what it is called.
struct SystemDescription: Equatable {
    /// `PRETTY_NAME` of os-release(5).
    var distribution: String?
    /// uname(2): never the node's name.
    var kernel: String
    var machine: String
    var locale: String?

    init(environment: [String: String]) {
        let file = try? ReadableFile.contents(of: "/etc/os-release", limit: 16 * 1024)
        distribution = file.flatMap { Self.prettyName(in: String(decoding: $0, as: UTF8.self)) }
        var names = utsname()
        let isKnown = uname(&names) == 0
        kernel = isKnown ? "\(Self.text(names.sysname)) \(Self.text(names.release))" : "unknown"
        machine = isKnown ? Self.text(names.machine) : "unknown"
        locale = environment["LC_ALL"] ?? environment["LANG"]
    }

    var json: JSON {
        .object([
            ("distribution", .optional(distribution)), ("kernel", .string(kernel)), ("machine", .string(machine)),
            ("locale", .optional(locale)),
        ])
    }

    /// A shell's assignment, in quotes or not.
    static func prettyName(in file: String) -> String? {
        let key = "PRETTY_NAME="
        guard let line = file.split(separator: "\n").last(where: { $0.hasPrefix(key) }) else { return nil }
        let value = line.dropFirst(key.count)
        return String(
            value.count > 1 && value.first == value.last && "\"'".contains(value.first ?? " ")
                ? value.dropFirst().dropLast() : value)
    }

    /// A field of `utsname`, which ends with a zero.
    private static func text<Field>(_ field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
