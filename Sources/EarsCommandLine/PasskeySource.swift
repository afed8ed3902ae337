public import Bluetooth
import CommandLineTools
import Glibc

/// Where the ears' six digits come from when no person compares them: their serial console, as a file or a descriptor.
///
/// The first line that holds them decides: a line that is just six digits, or one with the word `passkey` and six
/// digits standing alone. Lines that stood in a regular file before the pairing began do not count.
public struct PasskeySource: Sendable {
    /// Bytes of a line; what is longer is no passkey line.
    public static let longestLine = 512
    /// How often a file that does not say when it grows is looked at.
    static let interval = Duration.milliseconds(50)

    private let descriptor: Int32
    private let closesAtEnd: Bool

    public enum Failure: Error, Equatable, Sendable {
        case cannotOpen(path: String, errno: Int32)
        case noSuchDescriptor(Int32)
    }

    /// - Parameter text: a descriptor's number, or a path.
    public init(_ text: String) throws(Failure) {
        if let number = Int32(text), number >= 0 {
            guard fcntl(number, F_GETFD) != -1 else { throw .noSuchDescriptor(number) }
            descriptor = number
            closesAtEnd = false
        } else {
            let opened = open(text, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard opened >= 0 else { throw .cannotOpen(path: text, errno: errno) }
            descriptor = opened
            closesAtEnd = true
            _ = lseek(opened, 0, SEEK_END)
        }
    }

    /// The digits that the ears show, or nil when the task is cancelled first.
    public func next(clock: any Clock<Duration>) async -> Passkey? {
        defer { if closesAtEnd { close(descriptor) } }
        var line: [UInt8] = []
        while !Task.isCancelled {
            guard let byte = readByte() else {
                // A growing file has no event that says so.
                try? await clock.sleep(for: Self.interval)
                continue
            }
            guard byte == 0x0A else {
                if line.count <= Self.longestLine { line.append(byte) }
                continue
            }
            if let passkey = Self.passkey(in: String(decoding: line, as: UTF8.self)) { return passkey }
            line = []
        }
        return nil
    }

    private func readByte() -> UInt8? {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, 0) > 0 else { return nil }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    /// The six digits of a passkey line.
    static func passkey(in line: String) -> Passkey? {
        let groups = line.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let digits = groups.filter { $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let isAlone = groups.count == 1
        let isNamed = groups.contains { $0.lowercased() == "passkey" }
        guard isAlone || isNamed, digits.count == 1 else { return nil }
        return UInt32(digits[0]).flatMap(Passkey.init)
    }
}
