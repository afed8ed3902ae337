import AudioExport
import ControlProtocol
public import CommandLineTools
import Crypto
import DurableFiles
import Glibc

/// Where the files of a sound go. Nothing that is there already is touched.
public struct SoundDestination: Hashable, Sendable {
    public let folder: String
    public let plot: String?

    public init(folder: String, plot: String?) {
        self.folder = folder
        self.plot = plot
    }

    /// What was written.
    public struct Files: Hashable, Sendable {
        public let wav: String
        public let json: String
        public let plot: String?
    }

    /// Whether files can be made there: asked before anything is asked of the ears.
    public func check() throws(CommandFailure) {
        try checkNames()
        try check(folder + "/espurr", in: folder)
        guard let plot else { return }
        var status = stat()
        if lstat(plot, &status) == 0 { throw .exists(plot) }
        try check(plot, in: parentFolder(of: plot))
    }

    /// A picture's name has to say what it is, and a folder is asked for, not a WAV's name.
    private func checkNames() throws(CommandFailure) {
        if let plot, !plot.lowercased().hasSuffix(".svg") {
            throw .usage("the plot is an SVG", remedy: "--plot \(plot.withoutExtension.printable).svg")
        }
        var status = stat()
        guard folder.lowercased().hasSuffix(".wav"), stat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR
        else { return }
        throw .usage(
            "“\(folder.printable)” is no folder: the WAV's name is made of the ears' name and the time",
            remedy: "--output \(parentFolder(of: folder).printable)")
    }

    /// Begins a file, and leaves nothing of it.
    private func check(_ path: String, in folder: String) throws(CommandFailure) {
        do throws(DurableFileError) { _ = try DurableFile(at: path) } catch {
            // A name can be too long, too.
            let place = error.errno == ENAMETOOLONG ? path : folder
            throw CommandFailure(
                .outputNotWritable, code: "output_not_writable",
                cause: "\(place.printable) cannot be written to: \(systemMessage(error.errno))",
                remedy: error.errno == ENOENT ? "mkdir -p \(folder.printable), or choose another" : "choose another")
        }
    }

    /// Puts the files there: all of them or none.
    ///
    /// The sidecar comes last, with the WAV's SHA-256: where a crash leaves a WAV without one, the WAV is whole, and
    /// nothing vouches for it. Where the names are taken, a number is put behind them.
    public func publish(_ report: SoundReport) throws(CommandFailure) -> Files {
        guard let wave = WaveFile(report.sound)?.bytes else {
            throw CommandFailure(.internalError, code: "too_large", cause: "the sound is too large for a WAV file")
        }
        let picture = plot.map { NewFile(path: $0, bytes: Array(report.plot.utf8)) }
        let base = Self.name(report.device.name) + "-" + report.began.compactText
        for number in 1...Self.mostOfOneName {
            let name = number == 1 ? base : "\(base)-\(number)"
            let files = Files(wav: path(name + ".wav"), json: path(name + ".json"), plot: plot)
            guard !isTaken(files.wav), !isTaken(files.json) else { continue }
            let sidecar = Array((report.sidecar(of: wave, named: name + ".wav").indentedText + "\n").utf8)
            let new = [NewFile(path: files.wav, bytes: wave), NewFile(path: files.json, bytes: sidecar)]
            if Task.isCancelled { throw .interrupted }
            do throws(DurableFileError) {
                try publishTogether((picture.map { [$0] } ?? []) + new)
                return files
            } catch {
                guard error.errno == EEXIST else { throw CommandFailure(writing: error) }
                // Somebody was faster.
                if error.path == plot { throw .exists(error.path) }
            }
        }
        throw .exists(path(base + ".wav"))
    }

    /// Sounds of one pair of ears that began in one second.
    private static let mostOfOneName = 100

    private func path(_ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The ears' name as a file's: letters, digits, `-`, `_` and `.` of ASCII, not a hidden one, 40 characters at most.
    static func name(_ ears: String) -> String {
        let allowed = ears.unicodeScalars.prefix(40).map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(Character(scalar)))
            return isPlain || "-_.".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        let name = String(allowed.drop { ".-".contains($0) })
        return name.isEmpty ? "ears" : name
    }
}

extension SoundReport {
    /// What lies beside the WAV.
    func sidecar(of wave: [UInt8], named name: String) -> JSON {
        let digest = HashAlgorithm.sha256.hash(of: wave)
        let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let file = JSON.object([
            ("file", .string(name)), ("bytes", .integer(Int64(wave.count))), ("sha256", .string(digits)),
        ])
        return .document("espurr.sound/1", [("wav", file)] + members)
    }
}

extension CommandFailure {
    fileprivate static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            .outputNotWritable, code: "output_exists", cause: "\(path.printable) is there already, and stays as it is",
            remedy: "choose another name, or remove it")
    }
}

extension String {
    /// A path without what its last component ends in after a dot; a leading dot is none.
    fileprivate var withoutExtension: String {
        let name = split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return self }
        return String(self[..<dot])
    }
}
