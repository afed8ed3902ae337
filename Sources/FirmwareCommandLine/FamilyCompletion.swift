public import CommandLineTools
import Firmware

extension Completion {
    /// The board families.
    public static let families = Completion.words(BoardFamily.allCases.map(\.name))
}
