import Glibc
import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct DescriptorTests {
    struct Pipe {
        let reading: OwnedDescriptor
        let writing: OwnedDescriptor

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            (reading, writing) = (OwnedDescriptor(owning: ends[0]), OwnedDescriptor(owning: ends[1]))
        }
    }

    static func text(_ descriptor: OwnedDescriptor) -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor.number, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `descriptors pass both ways, and none stays open behind them`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { call in
            guard case .fileDescriptor(let descriptor)? = call.arguments.only else { return .silence }
            _ = write(descriptor.number, "there", 5)
            return .values([.fileDescriptor(descriptor), .uint16(247)])
        }
        let reading = try await callWithPipe(pair)
        // Every copy of the writing end is closed: in this process, in the server's, in the daemon.
        var poll = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
        #expect(Glibc.poll(&poll, 1, 10_000) == 1)
        #expect(DescriptorTests.text(reading) == "")
        await pair.close()
    }

    private func callWithPipe(_ pair: Pair) async throws -> OwnedDescriptor {
        let pipe = try Pipe()
        let reply = try await pair.client.call(pair.call([.fileDescriptor(pipe.writing)]), deadline: patience)
        #expect(DescriptorTests.text(pipe.reading) == "there")
        guard case .fileDescriptor(let returned)? = reply.first else {
            throw DBusError.unexpectedReply(signature: "hq")
        }
        #expect(reply.last == .uint16(247))
        #expect(returned.number != pipe.writing.number)
        #expect(write(returned.number, "back", 4) == 4)
        #expect(DescriptorTests.text(pipe.reading) == "back")
        return pipe.reading
    }

    @Test func `more descriptors than the bus takes are refused`() throws {
        let pipe = try Pipe()
        let all = Array(repeating: DBusValue.fileDescriptor(pipe.writing), count: DBusLimits.descriptors)
        #expect(throws: Never.self) { try MessageBody(all) }
        #expect(throws: DBusError.invalidMessage("more than 16 descriptors")) {
            try MessageBody(all + [.fileDescriptor(pipe.reading)])
        }
    }
}
