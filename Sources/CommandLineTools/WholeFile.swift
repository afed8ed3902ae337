import DurableFiles

/// A text that is written to a file, whole or not at all.
public enum WholeFile {
    /// - Throws: 16, with the path.
    public static func write(_ text: String, to path: String) throws(CommandFailure) {
        do throws(DurableFileError) { try DurableFile.replace(path, with: Array(text.utf8)) } catch {
            throw CommandFailure(writing: error)
        }
    }
}
