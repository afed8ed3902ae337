import Foundation

/// The protobuf compiler of this machine, run over the contract's files.
enum Protoc {
    static let program: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "protoc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    struct Failure: Error {
        var status: Int32
        var message: String
    }

    /// The contract's.
    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: Folder.contract.path)) ?? [])
        .filter { $0.hasSuffix(".proto") }.sorted()

    /// Runs protoc in a folder of its own, on which it finds imports beside the contract's folder.
    static func run(_ arguments: [String], input: Data = Data(), in folder: URL) throws -> Data {
        let (source, sink, words) = (
            folder.appending(path: "input"), folder.appending(path: "output"), folder.appending(path: "errors")
        )
        try input.write(to: source)
        for file in [sink, words] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = ["-I", Folder.contract.path, "-I", folder.path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: sink)
        process.standardError = try FileHandle(forWritingTo: words)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let message = try String(contentsOf: words, encoding: .utf8)
            throw Failure(status: process.terminationStatus, message: message)
        }
        return try Data(contentsOf: sink)
    }

    static func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "protoc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
