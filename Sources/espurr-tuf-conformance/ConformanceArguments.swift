/// The command line of the TUF conformance suite (its `CLIENT-CLI.md`): options, then one command.
struct ConformanceArguments {
    enum Command {
        case initialise(root: String)
        case refresh(metadataURL: String)
        case download(metadataURL: String, targetURL: String, folder: String, names: [String])
    }

    let metadataFolder: String
    let command: Command

    /// `nil` for what is not such a command line.
    init?(_ arguments: [String]) {
        var options: [String: [String]] = [:]
        var rest = arguments[...]
        while let option = rest.first, option.hasPrefix("--") {
            guard rest.count >= 2 else { return nil }
            options[option, default: []].append(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
        }
        guard let folder = options["--metadata-dir"]?.last, let word = rest.popFirst(),
            let command = Self.command(word, Array(rest), options)
        else { return nil }
        metadataFolder = folder
        self.command = command
    }

    private static func command(_ word: String, _ operands: [String], _ options: [String: [String]]) -> Command? {
        switch (word, operands.count) {
        case ("init", 1):
            return .initialise(root: operands[0])
        case ("refresh", 0):
            return options["--metadata-url"]?.last.map { .refresh(metadataURL: $0) }
        case ("download", 0):
            guard let metadata = options["--metadata-url"]?.last, let targets = options["--target-base-url"]?.last,
                let folder = options["--target-dir"]?.last, let names = options["--target-name"]
            else { return nil }
            return .download(metadataURL: metadata, targetURL: targets, folder: folder, names: names)
        default:
            return nil
        }
    }
}
