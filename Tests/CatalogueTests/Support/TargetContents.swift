import DurableFiles

@testable import Catalogue

// The bytes behind what the catalogue opens.

extension TargetSource {
    func contents(
        of target: Target, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(CatalogueError) -> [UInt8] {
        let file = try await open(target, progress: progress)
        return try file.contents
    }
}

extension TargetCache {
    func contents(of target: Target) throws(CatalogueError) -> [UInt8]? {
        guard let file = try open(target) else { return nil }
        return try file.contents
    }
}

extension ReadableFile {
    fileprivate var contents: [UInt8] {
        get throws(CatalogueError) {
            var bytes = [UInt8](repeating: 0, count: size)
            do throws(DurableFileError) {
                let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(DurableFileError) in
                    try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
                }
                return Array(bytes[..<count])
            } catch {
                throw .localState(error)
            }
        }
    }
}
