import Bluetooth
import ControlProtocol
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// What was said to Espressif's handler code, and what it answered.
struct HandlerExchange: Hashable, Sendable {
    var endpoint: String
    var request: [UInt8]
    /// Nil: the handler failed.
    var reply: [UInt8]?

    static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/espressif-handler.tsv")

    static func recorded() throws -> [HandlerExchange] {
        try String(contentsOf: fixture, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let columns = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(columns.count == 3, "\($0)")
            return HandlerExchange(
                endpoint: columns[0], request: try bytes(columns[1]),
                reply: columns[2] == "failed" ? nil : try bytes(columns[2]))
        }
    }

    var line: String { [endpoint, hex(request), reply.map(hex) ?? "failed"].joined(separator: "\t") }
}

/// Espressif's handler code behind endpoints: as it was recorded, or as it runs now.
protocol EspressifHandler: Sendable {
    /// - Returns: nil where the handler fails.
    func reply(to request: [UInt8], at endpoint: String) async throws -> [UInt8]?
}

/// Answers as was recorded, and to nothing else.
final class RecordedHandler: EspressifHandler {
    struct Unrecorded: Error {
        var request: HandlerExchange
        var expected: HandlerExchange?
    }

    private let left: Mutex<ArraySlice<HandlerExchange>>

    init(_ exchanges: [HandlerExchange]) { left = Mutex(exchanges[...]) }

    var isSpent: Bool { left.withLock(\.isEmpty) }

    func reply(to request: [UInt8], at endpoint: String) async throws -> [UInt8]? {
        let next = left.withLock { $0.popFirst() }
        guard let next, next.endpoint == endpoint, next.request == request else {
            throw Unrecorded(request: HandlerExchange(endpoint: endpoint, request: request), expected: next)
        }
        return next.reply
    }
}

/// A program that holds the handler code (docs/testing.md), and everything that was said to it.
final class RunningHandler: EspressifHandler {
    static let program = ProcessInfo.processInfo.environment["ESPURR_ESPRESSIF_HANDLER"]

    // A `Process` and its pipes are not marked Sendable; they are touched by the queue alone.
    private struct Child: @unchecked Sendable {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
    }

    private let child = Child()
    private let queue = DispatchQueue(label: "espressif-handler")
    private let log = Mutex<[HandlerExchange]>([])

    init(_ program: String) throws {
        child.process.executableURL = URL(filePath: program)
        (child.process.standardInput, child.process.standardOutput) = (child.input, child.output)
        child.process.standardError = FileHandle.nullDevice
        try child.process.run()
    }

    deinit { child.process.terminate() }

    var exchanges: [HandlerExchange] { log.withLock { $0 } }

    func reply(to request: [UInt8], at endpoint: String) async throws -> [UInt8]? {
        let line = "\(endpoint) \(hex(request))\n"
        let answer = await withCheckedContinuation { continuation in
            queue.async { [child] in
                child.input.fileHandleForWriting.write(Data(line.utf8))
                continuation.resume(returning: child.output.fileHandleForReading.line())
            }
        }
        let exchange = HandlerExchange(
            endpoint: endpoint, request: request, reply: answer == "failed" ? nil : try bytes(answer))
        log.withLock { $0.append(exchange) }
        return exchange.reply
    }
}

extension FileHandle {
    fileprivate func line() -> String {
        var line: [UInt8] = []
        while let byte = readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}

private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func bytes(_ hex: String) throws -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    try #require(digits.count == hex.count && digits.count.isMultiple(of: 2), "\(hex)")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
