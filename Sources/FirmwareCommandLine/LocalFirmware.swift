import Catalogue
import CommandLineTools
import Firmware

/// A file of this machine that is to be installed, by the name that was typed.
enum LocalFirmware {
    /// - Throws: what `inspect` says of it: 21 for a file that cannot be read or is no sound image.
    static func read(_ path: String) throws(CommandFailure) -> (image: SoundImage, inspection: ImageInspection) {
        let inspection = try inspect(path)
        do { return (try inspection.verdict.get(), inspection) } catch { throw CommandFailure(error, of: path) }
    }

    /// - Throws: 21 for a file that cannot be read.
    private static func inspect(_ path: String) throws(CommandFailure) -> ImageInspection {
        do throws(ImageFileError) { return try ImageInspection(of: ImageFile(path)) } catch {
            var failure = CommandFailure(error, of: path)
            if error == .folder, FolderMirror(address: path)?.hasMetadata ?? false {
                failure.remedy = "it holds a catalogue: --catalogue \(path)"
            }
            throw failure
        }
    }

    static func isFolder(_ path: String) -> Bool {
        do throws(ImageFileError) { _ = try ImageFile(path) } catch { return error == .folder }
        return false
    }
}
