import Glibc

/// The words that a process was started with, and its environment. What is no UTF-8 is refused: a path with a byte put in
/// place of another is another path.
struct ProcessWords {
    let arguments: [String]
    let environment: [String: String]
    /// Why the command cannot be begun.
    let refusal: CommandFailure?

    /// - Parameters:
    ///   - arguments: without the command's own name, each up to its zero byte.
    ///   - entries: `NAME=value`, likewise.
    init(arguments: [[UInt8]], entries: [[UInt8]]) {
        self.arguments = arguments.map { String(decoding: $0, as: UTF8.self) }
        var environment: [String: String] = [:]
        var undecodable: [String] = []
        for entry in entries {
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<sign], as: UTF8.self)
            environment[name] = String(decoding: entry[entry.index(after: sign)...], as: UTF8.self)
            if Self.isUsed(name), String(validating: entry, as: UTF8.self) == nil { undecodable.append(name) }
        }
        self.environment = environment
        let position = arguments.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        if let position {
            refusal = Self.refusal(of: "argument \(position + 1)", "where it is a path: rename what it leads to")
        } else {
            refusal = undecodable.min().map { Self.refusal(of: "the value of \($0)", "set it to a path in UTF-8") }
        }
    }

    /// Of this process. To be asked before the environment is changed.
    static var own: ProcessWords {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map(bytes) }
        var entries: [[UInt8]] = []
        var next = environ
        while let entry = next.pointee {
            entries.append(bytes(entry))
            next += 1
        }
        return ProcessWords(arguments: arguments, entries: entries)
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
    }

    private static func refusal(of what: String, _ remedy: String) -> CommandFailure {
        .usage("\(what) is not UTF-8", remedy: remedy)
    }

    /// Those that hold a path.
    private static func isUsed(_ name: String) -> Bool {
        ["HOME", "TMPDIR", "CURL_CA_BUNDLE"].contains(name)
            || ["XDG_", "SSL_CERT_", "ESPURR_"].contains { name.hasPrefix($0) }
    }
}
