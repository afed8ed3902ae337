import DBus
import TestSupport
import Testing

@testable import Bluetooth

/// A daemon that hangs when somebody waits for the command's end. That it is seen to hang is in `EndToEndTests`: here
/// the library answers in its place.
@Suite(.serialized, .timeLimit(.minutes(1))) struct `A daemon that is given up` {
    private let limit = BlueZLimits().cancelledExchange

    private func exchange(_ peripheral: any Peripheral) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30))
        }
    }

    @Test func `ends what is waited for: what was sent is abandoned, and a link's end is not waited for`() async throws
    {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", .silence)
        fixture.bluez.script("Disconnect", .silence)
        async let exchange = exchange(peripheral)
        async let end = failure { () throws(BluetoothError) in try await peripheral.disconnect() }
        await fixture.bluez.called("WriteValue")
        await fixture.bluez.called("Disconnect")
        await fixture.central.objects.giveUp()
        #expect(await exchange == .abandoned(.write))
        #expect(await end == .cancelled)
    }

    @Test func `is sent nothing new but what ends something, and nobody waits for that`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        await fixture.central.objects.giveUp()
        #expect(await exchange(peripheral) == .cancelled)
        #expect(
            await failure { () throws(BluetoothError) in
                try await fixture.central.connect(to: Ears.address, on: Ears.adapterName, deadline: .seconds(30))
            } == .cancelled)
        fixture.bluez.script("Disconnect", .silence)
        #expect(await failure { () throws(BluetoothError) in try await peripheral.disconnect() } == .cancelled)
        await fixture.bluez.called("Disconnect")
        #expect(fixture.bluez.members == ["Disconnect"])
    }

    @Test func `is one that does not answer: one that does is asked again, and waited for`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.central.giveUpOnSilentDaemon()
        for _ in 1...3 {
            try await fixture.clock.nextWake(in: .seconds(1))
            fixture.clock.advance(by: .seconds(1))
        }
        try await fixture.clock.nextWake(in: .seconds(1))
        #expect(await !fixture.central.objects.hasGivenUp)
        fixture.bluez.script("WriteValue")
        fixture.bluez.script("ReadValue", .values([.bytes([7])]))
        #expect(try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30)) == [7])
    }

    @Test func `is one that is not there yet when it is opened, and is not waited for any longer`() async throws {
        let fixture = try await Fixture(Ears.objects(), settle: .zero)
        fixture.bluez.script("GetManagedObjects", .silence)
        async let opening = failure { () throws(BluetoothError) in try await fixture.central.adapters() }
        await fixture.bluez.called("GetManagedObjects")
        fixture.central.giveUpOnSilentDaemon()
        try await fixture.clock.nextWake(in: limit)
        fixture.clock.advance(by: limit)
        #expect(await opening == .cancelled)
    }
}
