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
        var options = Options()
        var rest = arguments[...]
        while let option = rest.first, option.hasPrefix("--") {
            guard rest.count >= 2 else { return nil }
            options.take(option, rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
        }
        guard let folder = options.metadataFolder, let word = rest.popFirst(),
            let command = options.command(word, Array(rest))
        else { return nil }
        metadataFolder = folder
        self.command = command
    }

    /// Of an option that is given twice the last one holds, but for the names, which are all asked for.
    private struct Options {
        var metadataFolder: String?
        private var metadataURL: String?
        private var targetURL: String?
        private var targetFolder: String?
        private var targetNames: [String] = []

        mutating func take(_ option: String, _ value: String) {
            switch option {
            case "--metadata-dir": metadataFolder = value
            case "--metadata-url": metadataURL = value
            case "--target-base-url": targetURL = value
            case "--target-dir": targetFolder = value
            case "--target-name": targetNames.append(value)
            default: break
            }
        }

        func command(_ word: String, _ operands: [String]) -> Command? {
            switch (word, operands.count) {
            case ("init", 1):
                return .initialise(root: operands[0])
            case ("refresh", 0):
                return metadataURL.map { .refresh(metadataURL: $0) }
            case ("download", 0):
                guard let metadataURL, let targetURL, let targetFolder, !targetNames.isEmpty else { return nil }
                return .download(
                    metadataURL: metadataURL, targetURL: targetURL, folder: targetFolder, names: targetNames)
            default:
                return nil
            }
        }
    }
}
