import Bluetooth
import DBus
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `A stream of writes` {
    private func write(
        _ value: [UInt8], to stream: any WriteStream, within limit: Duration = .seconds(5)
    ) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in try await stream.write(value, deadline: limit) }
    }

    /// Writes until there is no room, which a deadline of nothing tells.
    private func fill(_ stream: any WriteStream) async -> Int {
        var count = 0
        while await write([UInt8](repeating: 7, count: 512), to: stream, within: .zero) == nil { count += 1 }
        return count
    }

    @Test func `hands over each value as one packet, in order`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        for number in UInt8(1)...3 { try await stream.write([number, number], deadline: .seconds(5)) }
        #expect([fixture.end.receive(), fixture.end.receive(), fixture.end.receive()] == [[1, 1], [2, 2], [3, 3]])
        let call = try #require(fixture.fixture.bluez.calls.last)
        #expect(call.member == "AcquireWrite" && call.path == Ears.characteristicObject)
        #expect(call.arguments == [.properties([:])])
    }

    @Test(arguments: [(23, 20), (185, 182), (515, 512), (517, 512), (7, 20)] as [(UInt16, Int)])
    func `values are as long as the link of the reply can carry, and 512 bytes at most`(
        mtu: UInt16, longest: Int
    ) async throws {
        let fixture = try await StreamFixture(mtu: mtu)
        let stream = try await fixture.openWrites()
        #expect(stream.maximumLength == longest)
        #expect(await write([UInt8](repeating: 1, count: longest), to: stream) == nil)
        let rejected = BluetoothError.rejected(.writeWithoutResponse)
        #expect(await write([UInt8](repeating: 1, count: longest + 1), to: stream) == rejected)
        #expect(await write([], to: stream) == rejected)
        #expect(fixture.end.receive()?.count == longest)
        #expect(fixture.end.receive() == nil)
    }

    @Test func `a full descriptor is waited for`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        let count = await fill(stream)
        #expect(count > 0)
        async let waiting = write([9], to: stream)
        try await fixture.isWaiting()
        for _ in 0..<count { #expect(fixture.end.receive()?.count == 512) }
        #expect(await waiting == nil)
        #expect(fixture.end.receive() == [9])
    }

    @Test func `what finds no room in time was not handed over`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        let count = await fill(stream)
        async let late = write([9], to: stream)
        try await fixture.isWaiting()
        fixture.fixture.clock.advance(by: .seconds(5))
        #expect(await late == .deadline(.writeWithoutResponse, after: .seconds(5)))
        for _ in 0..<count { #expect(fixture.end.receive()?.count == 512) }
        #expect(fixture.end.receive() == nil)
    }

    @Test func `a write that waits for room ends with its task`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        _ = await fill(stream)
        let waiting = Task { await write([9], to: stream) }
        try await fixture.isWaiting()
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
    }

    @Test func `a write that waits for room learns that the link is lost`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        _ = await fill(stream)
        async let waiting = write([9], to: stream)
        try await fixture.isWaiting()
        try await fixture.loseLink()
        #expect(await waiting == .linkLost(during: .writeWithoutResponse))
    }

    @Test func `a lost link is told, without a signal that ends the process`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        try await fixture.loseLink()
        for _ in 0..<2 { #expect(await write([1], to: stream) == .linkLost(during: .writeWithoutResponse)) }
    }

    @Test func `an end that BlueZ makes on a link that stays is not called a lost link`() async throws {
        let fixture = try await StreamFixture(settle: .zero)
        let stream = try await fixture.openWrites()
        fixture.end.close()
        #expect(
            await write([1], to: stream)
                == .unexpected(
                    name: "end of stream", message: "BlueZ closed it, the link is up", during: .writeWithoutResponse))
    }

    @Test func `closing releases the characteristic, and nothing is written any more`() async throws {
        let fixture = try await StreamFixture()
        let stream = try await fixture.openWrites()
        await stream.close()
        await stream.close()
        #expect(fixture.end.isReleased)
        #expect(await write([1], to: stream) == .cancelled)
    }

    @Test func `a stream that nobody holds any more releases the characteristic`() async throws {
        let fixture = try await StreamFixture()
        _ = try await fixture.openWrites()
        #expect(fixture.end.isReleased)
    }

    @Test(
        arguments: [
            ("NotPermitted", "Write acquired", .heldByOthers(Ears.address)),
            ("NotSupported", "", .rejected(.openWrites)),
            ("Failed", "Not connected", .linkLost(during: .openWrites)),
        ] as [(String, String, BluetoothError)])
    func `BlueZ's refusals have their meaning`(_ name: String, _ text: String, _ error: BluetoothError) async throws {
        let fixture = try await StreamFixture(settle: .zero)
        fixture.fixture.bluez.script("AcquireWrite", error: name, text)
        #expect(await failure { () throws(BluetoothError) in try await fixture.openWrites() } == error)
    }

    @Test(arguments: [[], [.uint16(517)], [.string("a descriptor"), .uint16(517)]] as [[DBusValue]])
    func `a reply of another type is not believed`(_ reply: [DBusValue]) async throws {
        let fixture = try await StreamFixture()
        fixture.fixture.bluez.script("AcquireWrite", .values(reply))
        #expect(
            await failure { () throws(BluetoothError) in try await fixture.openWrites() }
                == .unexpected(name: "AcquireWrite", message: "a reply of another type", during: .openWrites))
    }

    @Test func `a characteristic without the property is not asked for`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        #expect(
            await failure { () throws(BluetoothError) in
                try await peripheral.openWrites(to: Ears.characteristic, deadline: .seconds(1))
            } == .rejected(.openWrites))
        #expect(
            await failure { () throws(BluetoothError) in
                try await peripheral.openNotifications(of: Ears.characteristic, deadline: .seconds(1))
            } == .rejected(.openNotifications))
        #expect(fixture.bluez.members == [])
    }
}
