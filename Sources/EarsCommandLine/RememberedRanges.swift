import CommandLineTools
import Ears

extension SettingsMemory {
    /// What settings can be, for the help of a command that has spoken to no ears: as others said it, or where it is shown.
    public static func helpLines(on names: [String], environment: [String: String]) -> [String] {
        let directories = try? UserDirectories(environment: environment)
        let settings = directories.map { SettingsMemory(cacheFolder: $0.cache).settings() } ?? []
        return settings.helpLines(on: names)
    }
}

extension [Setting] {
    /// Of these names, in their order.
    func helpLines(on names: [String]) -> [String] {
        let known = names.map { name in first { $0.name == name }?.rangeLines ?? [] }
        let lines = known.joined().map { "  " + $0 }
        let unknown = zip(names, known).filter { $1.isEmpty }.map { name, _ in
            "What “\(name.printable)” can be is not known here: espurr-ctl get \(name.printable) --verbose asks the ears."
        }
        return (lines.isEmpty ? [] : ["As the ears that were spoken to last said it:"] + lines) + unknown
    }
}
