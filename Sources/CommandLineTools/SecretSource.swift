import Glibc

/// Where a password comes from: the person at the terminal, or a file or descriptor. Never an argument.
public struct SecretSource: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        case terminal
        case descriptor(Int32)
        case file(String)
    }

    public let place: Place

    public static let option = Option(
        "--password-from", value: "FD|FILE",
        "read the password's one line from a descriptor or a file, instead of asking for it")

    /// - Throws: for a descriptor that this process was not started with.
    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        guard let text = arguments.value(of: Self.option) else {
            place = .terminal
            return
        }
        guard let number = Int32(text), number >= 0 else {
            place = .file(text)
            return
        }
        // One that is closed on exec was opened by this process, for something else.
        let flags = fcntl(number, F_GETFD)
        guard flags != -1, flags & FD_CLOEXEC == 0 else {
            throw .usage(
                "there is no descriptor \(number)", remedy: "have the shell open it: \(Self.option.name) 3 3< FILE")
        }
        place = .descriptor(number)
    }

    /// Reads it.
    ///
    /// - Parameters:
    ///   - what: for the question: `Password of the access point`.
    ///   - maximumBytes: what is longer is refused unread.
    public func read(_ what: String, maximumBytes: Int, _ invocation: Invocation) async throws(CommandFailure) -> Secret
    {
        switch place {
        case .terminal: return try await ask(what, maximumBytes, invocation)
        case .descriptor(let number):
            return try await line(of: number, named: "descriptor \(number)", maximumBytes, invocation)
        case .file(let path):
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard file >= 0 else {
                throw .usage("\(path.printable) cannot be read: \(String(cString: strerror(errno)))")
            }
            defer { close(file) }
            return try await line(of: file, named: path.printable, maximumBytes, invocation)
        }
    }

    /// Asks twice, without showing what is typed.
    private func ask(_ what: String, _ maximum: Int, _ invocation: Invocation) async throws(CommandFailure) -> Secret {
        let console = invocation.console
        guard console.input.isTerminal else {
            throw .usage("nobody is at the terminal to type a password", remedy: "\(Self.option.name) FD|FILE gives it")
        }
        let echo = HiddenInput(console.input.descriptor)
        invocation.interruption.beforeLeaving { echo.restore() }
        defer { echo.restore() }
        guard echo.hide() else { throw .usage("what is typed at this terminal cannot be hidden; nothing was asked") }
        console.steer("\(what) (not shown): ")
        let first = try await typed(maximum, invocation)
        console.steer("again: ")
        guard try await typed(maximum, invocation).equals(first) else {
            throw .usage("what was typed twice was not the same; nothing was sent")
        }
        return first
    }

    private func typed(_ maximum: Int, _ invocation: Invocation) async throws(CommandFailure) -> Secret {
        do throws(Fault) {
            return try await Self.line(invocation.console.input.descriptor, maximum, reads: .oneLine)
        } catch {
            invocation.console.steer("\n")
            throw Task.isCancelled ? invocation.cancellation : error.failure("what was typed", maximum)
        }
    }

    private func line(
        of descriptor: Int32, named name: String, _ maximum: Int, _ invocation: Invocation
    ) async throws(CommandFailure) -> Secret {
        do throws(Fault) { return try await Self.line(descriptor, maximum, reads: .toTheEnd) } catch {
            throw Task.isCancelled ? invocation.cancellation : error.failure(name, maximum)
        }
    }

    // MARK: Reading

    private enum Reads {
        /// A terminal: what comes after the line is not for this command.
        case oneLine
        /// A file: nothing but the line may be in it.
        case toTheEnd
    }

    private enum Fault: Error {
        case nothing, tooLong, moreThanOneLine
        case failed(errno: Int32)

        func failure(_ name: String, _ maximum: Int) -> CommandFailure {
            switch self {
            case .nothing: .usage("\(name) holds no password; nothing was sent")
            case .tooLong: .usage("\(name) is longer than the \(maximum) bytes of a password; nothing was sent")
            case .moreThanOneLine: .usage("\(name) holds more than one line; nothing was sent")
            case .failed(let number):
                .usage("\(name) cannot be read: \(String(cString: strerror(number))); nothing was sent")
            }
        }
    }

    /// Bytes go from the descriptor into the secret's own memory and nowhere else.
    private static func line(_ descriptor: Int32, _ maximum: Int, reads: Reads) async throws(Fault) -> Secret {
        // The line's end, of two bytes at most, and one byte to tell that there is more.
        let capacity = maximum + 3
        var count = 0
        var fault: Fault?
        let buffer = Buffer(capacity)
        while count < capacity {
            guard await waitUntilReadableOrFile(descriptor) else { throw .nothing }
            let read = buffer.read(descriptor, at: count)
            if read < 0, errno == EINTR || errno == EAGAIN { continue }
            if read < 0 { fault = .failed(errno: errno) }
            if read <= 0 { break }
            count += read
            if reads == .oneLine, buffer.lineEnd(count) != nil { break }
        }
        if let fault { throw fault }
        // The end of a terminal's input is no answer.
        guard reads == .toTheEnd || buffer.lineEnd(count) != nil || count == capacity else { throw .nothing }
        return try buffer.secret(count, maximum: maximum)
    }

    /// Only pipes, sockets and terminals have an event to wait for (epoll(7)); what else there is never blocks.
    private static func waitUntilReadableOrFile(_ descriptor: Int32) async -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return !Task.isCancelled }
        let isStream = [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) || isatty(descriptor) == 1
        guard isStream else { return !Task.isCancelled }
        return await waitUntilReadable(descriptor)
    }

    /// What was read so far: a secret already.
    private struct Buffer {
        private let storage: Secret

        init(_ capacity: Int) { storage = Secret(filledTo: capacity) }

        func read(_ descriptor: Int32, at offset: Int) -> Int {
            storage.withMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
        }

        func lineEnd(_ count: Int) -> Int? { storage.withBytes { $0.prefix(count).firstIndex(of: 0x0A) } }

        func secret(_ count: Int, maximum: Int) throws(Fault) -> Secret {
            let end = lineEnd(count) ?? count
            guard end + 1 >= count else { throw .moreThanOneLine }
            let length = storage.withBytes { end > 0 && end < count && $0[end - 1] == 0x0D ? end - 1 : end }
            guard length > 0 else { throw .nothing }
            guard length <= maximum else { throw .tooLong }
            return storage.prefix(length)
        }
    }
}
