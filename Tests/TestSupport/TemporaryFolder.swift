import Foundation

/// A folder of the test's own, removed with all in it when the value is dropped.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        // Not below `temporaryDirectory`: the path of a socket has 107 bytes at most.
        path = "/tmp/espurr-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    /// - Returns: the file's path.
    @discardableResult public func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        return file
    }

    /// - Returns: the file's path.
    @discardableResult public func write(bytes: [UInt8], to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        return file
    }

    public func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
