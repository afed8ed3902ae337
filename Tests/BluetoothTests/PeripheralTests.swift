import DBus
import Synchronization
import TestSupport
import Testing

@testable import Bluetooth

@Suite(.serialized, .timeLimit(.minutes(1))) struct `A connected peripheral` {
    private func write(_ peripheral: any Peripheral, _ value: [UInt8] = [1, 2, 3]) async -> BluetoothError? {
        await failure { () throws(BluetoothError) in
            try await peripheral.write(value, to: Ears.characteristic, deadline: .seconds(30))
        }
    }

    @Test func `reads a value`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("ReadValue", .values([.bytes([0xca, 0xfe])]))
        #expect(try await peripheral.read(Ears.characteristic, deadline: .seconds(1)) == [0xca, 0xfe])
        let call = try #require(fixture.bluez.calls.last)
        #expect(call.path == Ears.characteristicObject && call.interface == "org.bluez.GattCharacteristic1")
        #expect(call.arguments == [.properties([:])])
    }

    @Test func `writes with a request`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue")
        #expect(await write(peripheral) == nil)
        let call = try #require(fixture.bluez.calls.last)
        #expect(call.path == Ears.characteristicObject)
        #expect(call.arguments == [.bytes([1, 2, 3]), .properties(["type": .string("request")])])
        #expect(fixture.bluez.uuidsAsked == [])
    }

    @Test func `an exchange is a write and a read of what it is answered with`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue")
        fixture.bluez.script("ReadValue", .values([.bytes([7])]))
        #expect(try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30)) == [7])
        #expect(fixture.bluez.members == ["WriteValue", "ReadValue"])
    }

    @Test func `an exchange that began is finished though its task is cancelled, and one that did not is not begun`()
        async throws
    {
        let (fixture, peripheral) = try await Fixture.connected()
        let gate = Gate()
        fixture.bluez.script("WriteValue") { _ in
            await gate.opened()
            return .values([])
        }
        fixture.bluez.script("ReadValue", .values([.bytes([7])]))
        let exchange = Task { try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30)) }
        await fixture.bluez.called("WriteValue")
        exchange.cancel()
        gate.open()
        #expect(try await exchange.value == [7])

        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () throws(BluetoothError) in
                try await peripheral.exchange([2], with: Ears.characteristic, deadline: .seconds(30))
            }
        }
        #expect(await late.value == .cancelled)
        #expect(fixture.bluez.members == ["WriteValue", "ReadValue"])
    }

    @Test(arguments: [("WriteValue", BluetoothError.abandoned(.write)), ("ReadValue", .abandoned(.read))])
    func `an exchange that is not answered is abandoned soon after its task was cancelled`(
        silent: String, error: BluetoothError
    ) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        let gate = Gate()
        fixture.bluez.script("WriteValue", .values([]))
        fixture.bluez.script(silent) { _ in
            await gate.opened()
            return .values([])
        }
        let exchange = Task {
            await failure { () throws(BluetoothError) in
                try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30))
            }
        }
        await fixture.bluez.called(silent)
        exchange.cancel()
        try await fixture.clock.nextWake(in: BlueZLimits().cancelledExchange)
        fixture.clock.advance(by: BlueZLimits().cancelledExchange)
        #expect(await exchange.value == error)
        gate.open()
    }

    @Test func `an exchange whose write fails reads nothing`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", error: "Failed", "Operation failed with ATT error: 0x80")
        let failure = await failure { () throws(BluetoothError) in
            try await peripheral.exchange([1], with: Ears.characteristic, deadline: .seconds(30))
        }
        #expect(failure == .attribute(code: 0x80, during: .write))
        #expect(fixture.bluez.members == ["WriteValue"])
    }

    @Test func `the read of an overlapping exchange is there before its write is answered, and both are waited for`()
        async throws
    {
        let (fixture, peripheral) = try await Fixture.connected()
        let (written, answered) = (Gate(), Gate())
        fixture.bluez.script("WriteValue") { _ in
            await written.opened()
            return .values([])
        }
        fixture.bluez.script("ReadValue") { _ in
            written.open()
            await answered.opened()
            return .values([.bytes([7])])
        }
        let exchange = Task {
            try await peripheral.exchange(
                [1], with: Ears.characteristic, deadline: .seconds(30), overlapping: true)
        }
        await written.opened()
        answered.open()
        #expect(try await exchange.value == [7])
        #expect(fixture.bluez.members == ["WriteValue", "ReadValue"])
    }

    @Test func `an overlapping exchange whose write fails ends with that, once its read has ended`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        let (reading, gate) = (Gate(), Gate())
        let isOver = Mutex(false)
        fixture.bluez.script("WriteValue", error: "Failed", "Operation failed with ATT error: 0x80")
        fixture.bluez.script("ReadValue") { _ in
            reading.open()
            await gate.opened()
            return .values([.bytes([7])])
        }
        let exchange = Task {
            let failure = await failure { () throws(BluetoothError) in
                try await peripheral.exchange(
                    [1], with: Ears.characteristic, deadline: .seconds(30), overlapping: true)
            }
            isOver.withLock { $0 = true }
            return failure
        }
        await reading.opened()
        // Whatever is answered before it has come when this has.
        fixture.bluez.script("GetAll", .values([.properties([:])]))
        _ = try await fixture.central.objects.call(
            "GetAll", of: "org.freedesktop.DBus.Properties", at: Ears.device, within: .seconds(30))
        let wasOver = isOver.withLock { $0 }
        #expect(!wasOver)
        gate.open()
        #expect(await exchange.value == .attribute(code: 0x80, during: .write))
    }

    @Test(arguments: [20, 21]) func `parts of a long write are not overlapped by the read`(length: Int) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        var narrow = Ears.characteristic
        narrow.maximumTransmissionUnit = 23
        let value = [UInt8](repeating: 1, count: length)
        fixture.bluez.script("WriteValue", error: "Failed", "Operation failed with ATT error: 0x80")
        fixture.bluez.script("ReadValue", .values([.bytes([7])]))
        let failure = await failure { () throws(BluetoothError) in
            try await peripheral.exchange(value, with: narrow, deadline: .seconds(30), overlapping: true)
        }
        #expect(failure == .attribute(code: 0x80, during: .write))
        // What fits one packet is 20 bytes.
        #expect(fixture.bluez.members == (length == 20 ? ["WriteValue", "ReadValue"] : ["WriteValue"]))
    }

    @Test func `an overlapping exchange ends with its link, and with its deadline`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", .silence)
        fixture.bluez.script("ReadValue", .silence)
        let exchange = { @Sendable in
            await failure { () throws(BluetoothError) in
                try await peripheral.exchange(
                    [1], with: Ears.characteristic, deadline: .seconds(30), overlapping: true)
            }
        }
        let late = Task { await exchange() }
        await fixture.bluez.called("ReadValue")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(30))
        #expect(await late.value == .deadline(.write, after: .seconds(30)))

        let lost = Task { await exchange() }
        await fixture.bluez.called("ReadValue", times: 2)
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(false)])
        #expect(await lost.value == .linkLost(during: .write))
    }

    @Test func `what BlueZ tells of a characteristic after each read is not listened to`() async throws {
        let (fixture, _) = try await Fixture.connected(bonded: false)
        try await fixture.bluez.change(
            Ears.characteristicObject, ["MTU": .uint16(100), "Value": .bytes([1])], of: "org.bluez.GattCharacteristic1")
        try await fixture.bluez.change(Ears.device, ["Bonded": .boolean(true)])
        await fixture.seesBond()
        let known = await fixture.central.objects.tree.characteristics[Ears.characteristicObject]
        #expect(known?.maximumTransmissionUnit == 517)
    }

    @Test func `reads a descriptor`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("ReadValue", .values([.bytes(Array("prov-ctl".utf8))]))
        let value = try await peripheral.readDescriptor(
            .userDescription, of: Ears.characteristic, deadline: .seconds(1))
        #expect(value == Array("prov-ctl".utf8))
        let call = try #require(fixture.bluez.calls.last)
        #expect(call.path == Ears.descriptorObject && call.interface == "org.bluez.GattDescriptor1")
    }

    @Test func `rejects a descriptor that is not there`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        #expect(
            await failure { () throws(BluetoothError) in
                try await peripheral.readDescriptor(
                    BluetoothUUID(assigned: 0x2908), of: Ears.characteristic, deadline: .seconds(1))
            } == .rejected(.readDescriptor))
        #expect(fixture.bluez.members == [])
    }

    @Test func `names the service that is missing`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        defer { withExtendedLifetime(fixture) {} }
        let battery = BluetoothUUID(assigned: 0x180f)
        #expect(
            await failure { () throws(BluetoothError) in try await peripheral.characteristics(of: battery) }
                == .missingService(battery))
    }

    @Test(
        arguments: [
            (.values([.variant(.uint16(256))]), 256), (.values([.variant(.uint16(7))]), 23), (.values([]), 517),
            (.error(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No such property 'MTU'"), 517),
        ] as [(MethodAnswer, Int)])
    func `asks for the MTU of this link, which BlueZ does not signal`(_ answer: MethodAnswer, _ mtu: Int) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("Get", answer)
        let units = try await peripheral.characteristics(of: Ears.service).map(\.maximumTransmissionUnit)
        #expect(units == [mtu])
        let call = try #require(fixture.bluez.calls.last)
        #expect(call.path == Ears.characteristicObject && call.interface == "org.freedesktop.DBus.Properties")
        #expect(call.arguments == [.string("org.bluez.GattCharacteristic1"), .string("MTU")])
    }

    @Test func `a link that goes while its MTU is asked for is lost`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("Get", error: "NotConnected")
        #expect(
            await failure { () throws(BluetoothError) in try await peripheral.characteristics(of: Ears.service) }
                == .linkLost(during: .resolveServices))
    }

    @Test(arguments: [(512, nil), (513, BluetoothError.rejected(.write))] as [(Int, BluetoothError?)])
    func `rejects values over 512 bytes before they are sent`(_ count: Int, _ error: BluetoothError?) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue")
        #expect(await write(peripheral, Array(repeating: 7, count: count)) == error)
        #expect(fixture.bluez.members == (error == nil ? ["WriteValue"] : []))
    }

    @Test func `rejects what the characteristic does not offer`() async throws {
        var objects = Ears.objects(connected: true)
        objects[Ears.characteristicObject]?["org.bluez.GattCharacteristic1"]?["Flags"] = .array(
            element: "s", [.string("notify"), .string("write-without-response")])
        let fixture = try await Fixture(objects)
        let peripheral = try await fixture.central.connect(
            to: Ears.address, on: Ears.adapterName, deadline: .seconds(1))
        #expect(await write(peripheral) == .rejected(.write))
        #expect(
            await failure { () throws(BluetoothError) in
                try await peripheral.read(Ears.characteristic, deadline: .seconds(1))
            } == .rejected(.read))
        #expect(fixture.bluez.members == [])
    }

    @Test func `knows only its own characteristics`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        var other = Ears.characteristic
        other.handle = Ears.adapter + "/dev_11_11_11_11_11_11/service0010/char0011"
        #expect(
            await failure { () throws(BluetoothError) in try await peripheral.read(other, deadline: .seconds(1)) }
                == .missingCharacteristic(Ears.characteristicUUID))
        #expect(fixture.bluez.members == [])
    }

    @Test func `fails a pending write as soon as the link is gone`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", .silence)
        async let error = write(peripheral)
        await fixture.bluez.called("WriteValue")
        try await fixture.bluez.change(
            Ears.device, ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
        #expect(await error == .linkLost(during: .write))
        await peripheral.linkEnded()
        #expect(await write(peripheral) == .linkLost(during: .write))
        #expect(fixture.bluez.members == ["WriteValue"])
    }

    @Test(arguments: [
        (Ears.characteristicObject, "org.bluez.GattCharacteristic1"), (Ears.device, "org.bluez.Device1"),
    ])
    func `fails a pending read as soon as its objects are removed`(
        _ path: String, _ interface: String
    ) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("ReadValue", .silence)
        async let error = failure { () throws(BluetoothError) in
            try await peripheral.read(Ears.characteristic, deadline: .seconds(30))
        }
        await fixture.bluez.called("ReadValue")
        try await fixture.bluez.remove(path, of: interface)
        #expect(await error == .linkLost(during: .read))
    }

    @Test func `an error that a dropped link explains is a lost link, though the signal comes later`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", error: "Failed", "Operation failed with ATT error: 0x0e")
        async let error = write(peripheral)
        await fixture.bluez.called("WriteValue")
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(false)])
        #expect(await error == .linkLost(during: .write))
    }

    @Test func `the same error with the link up is the peripheral's own`() async throws {
        let (fixture, peripheral) = try await Fixture.connected(settle: .zero)
        fixture.bluez.script("WriteValue", error: "Failed", "Operation failed with ATT error: 0x0e")
        #expect(await write(peripheral) == .attribute(code: 0x0e, during: .write))
    }

    @Test func `a request without an answer is a lost link, though the link goes seconds after the error`() async throws
    {
        let (fixture, peripheral) = try await Fixture.connected()
        let isOver = Gate()
        fixture.bluez.script("WriteValue") { _ in
            await isOver.opened()
            return .error(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x0e")
        }
        async let error = failure { () throws(BluetoothError) in
            try await peripheral.write([1], to: Ears.characteristic, deadline: .seconds(100))
        }
        await fixture.bluez.called("WriteValue")
        fixture.clock.advance(by: .seconds(30))
        isOver.open()
        try await fixture.clock.nextWake(in: .seconds(10))
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(false)])
        #expect(await error == .linkLost(during: .write))
    }

    @Test(
        arguments: [
            ("Failed", "Operation failed with ATT error: 0x80", .attribute(code: 0x80, during: .write)),
            ("NotPermitted", "Not paired", .notBonded(Ears.address)), ("InProgress", "", .busy(.write)),
            ("Failed", "Not connected", .linkLost(during: .write)),
        ] as [(String, String, BluetoothError)])
    func `BlueZ's errors have their meaning`(_ name: String, _ text: String, _ error: BluetoothError) async throws {
        let (fixture, peripheral) = try await Fixture.connected(settle: .zero)
        fixture.bluez.script("WriteValue", error: name, text)
        #expect(await write(peripheral) == error)
    }

    @Test func `a write that is never answered ends at its deadline`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", .silence)
        async let error = write(peripheral)
        await fixture.bluez.called("WriteValue")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(30))
        #expect(await error == .deadline(.write, after: .seconds(30)))
    }

    @Test func `a cancelled write ends at once, and nothing is sent after a cancel`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("WriteValue", .silence)
        let pending = Task { () -> (BluetoothError?, BluetoothError?) in
            let first = await write(peripheral)
            return (first, await write(peripheral))
        }
        await fixture.bluez.called("WriteValue")
        pending.cancel()
        #expect(await pending.value == (.cancelled, .cancelled))
        #expect(fixture.bluez.members == ["WriteValue"])
    }

    @Test func `a link that BlueZ makes anew is not this one`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(false)])
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(true)])
        await peripheral.linkEnded()
        #expect(await write(peripheral) == .linkLost(during: .write))
        #expect(fixture.bluez.members == [])
    }

    @Test(arguments: [[], [.string("text")], [.bytes(Array(repeating: 0, count: 513))]] as [[DBusValue]])
    func `a value of another type or length is not believed`(_ reply: [DBusValue]) async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("ReadValue", .values(reply))
        #expect(
            await failure { () throws(BluetoothError) in
                try await peripheral.read(Ears.characteristic, deadline: .seconds(1))
            } == .unexpected(name: "ReadValue", message: "a reply of another type", during: .read))
    }

    @Test func `is down when disconnecting has returned, though BlueZ answers earlier`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("Disconnect")
        async let error = failure { () throws(BluetoothError) in try await peripheral.disconnect() }
        await fixture.bluez.called("Disconnect")
        try await fixture.bluez.change(Ears.device, ["Connected": .boolean(false)])
        #expect(await error == nil)
        await peripheral.linkEnded()
        #expect(await failure { () throws(BluetoothError) in try await peripheral.disconnect() } == nil)
        #expect(fixture.bluez.members == ["Disconnect"])
    }

    @Test func `that stays connected when told to go is an error`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        fixture.bluez.script("Disconnect")
        async let error = failure { () throws(BluetoothError) in try await peripheral.disconnect() }
        await fixture.bluez.called("Disconnect")
        try await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .seconds(10))
        #expect(await error == .deadline(.disconnect, after: .seconds(10)))
    }

    @Test func `is gone with the daemon`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        await fixture.bluez.connection.close()
        await peripheral.linkEnded()
        #expect(await write(peripheral) == .linkLost(during: .write))
        #expect(await failure { () throws(BluetoothError) in try await peripheral.disconnect() } == nil)
    }

    @Test func `waiting for its end ends with a cancel`() async throws {
        let (fixture, peripheral) = try await Fixture.connected()
        defer { withExtendedLifetime(fixture) {} }
        let waiting = Task { await peripheral.linkEnded() }
        waiting.cancel()
        await waiting.value
    }
}
