import DBus
import Testing

@testable import Simulator

@Suite struct AttributeOperationsTests {
    private static let unlikely = MethodAnswer.failure("Failed", "Operation failed with ATT error: 0x0e")

    private func peripheral(answering answer: PeripheralEvent?) -> ScriptedPeripheral {
        var peripheral = ScriptedPeripheral()
        peripheral.answer = answer
        return peripheral
    }

    @Test func `a read gives the value, and keeps it as a property`() {
        var bench = DaemonBench.connected()
        let id = bench.read()
        #expect(bench.answers[id] == .values([.bytes([1, 2, 3])]))
        #expect(bench.peripheral?.received.last == .read(handle: 0x12))
        #expect(
            bench.property("Value", of: "org.bluez.GattCharacteristic1", at: DaemonBench.characteristic)
                == .bytes([1, 2, 3]))
    }

    @Test func `a descriptor is read by its own handle`() {
        var bench = DaemonBench.connected()
        let id = bench.read(DaemonBench.descriptor)
        #expect(bench.answers[id] == .values([.bytes([1, 2, 3])]))
        #expect(bench.peripheral?.received.last == .read(handle: 0x13))
    }

    @Test(arguments: [
        (UInt16(1), MethodAnswer.values([.bytes([2, 3])])), (3, .values([.bytes([])])),
        (4, .failure("InvalidArguments", "Invalid offset")),
    ])
    func `a read begins at its offset`(offset: UInt16, answer: MethodAnswer) {
        var bench = DaemonBench.connected()
        let id = bench.read(DaemonBench.characteristic, ["offset": .uint16(offset)])
        #expect(bench.answers[id] == answer)
    }

    @Test(arguments: [["offset": .string("1")], ["type": .byte(1)]] as [[String: DBusValue]])
    func `options of another type are refused`(options: [String: DBusValue]) {
        var bench = DaemonBench.connected()
        let id = bench.read(DaemonBench.characteristic, options)
        #expect(bench.answers[id] == .failure("InvalidArguments", "Invalid arguments in method call"))
    }

    @Test func `a write request reaches the value's handle`() {
        var bench = DaemonBench.connected(peripheral(answering: .written))
        let id = bench.write([9, 8])
        #expect(bench.answers[id] == .done)
        #expect(bench.peripheral?.received.last == .write(handle: 0x12, [9, 8]))
    }

    @Test func `a command is said to be done on any characteristic`() {
        var bench = DaemonBench.connected(peripheral(answering: nil))
        let id = bench.write([9], ["type": .string("command")])
        #expect(bench.answers[id] == .done)
        #expect(bench.peripheral?.received.last == .command(handle: 0x12, [9]))
    }

    @Test func `without a type the flags decide`() {
        var bench = DaemonBench.connected(peripheral(answering: .written))
        _ = bench.write([1], [:])
        #expect(bench.peripheral?.received.last == .write(handle: 0x12, [1]))
        _ = bench.write([2], [:], to: DaemonBench.commandable)
        #expect(bench.peripheral?.received.last == .command(handle: 0x15, [2]))
    }

    @Test func `512 bytes are written, one more is not`() {
        var bench = DaemonBench.connected(peripheral(answering: .written))
        let longest = bench.write([UInt8](repeating: 7, count: 512))
        #expect(bench.answers[longest] == .done)
        let longer = bench.write([UInt8](repeating: 7, count: 513))
        #expect(bench.answers[longer] == .failure("InvalidArguments", "Invalid Length"))
    }

    @Test func `an error of the application has its code in the text`() {
        var bench = DaemonBench.connected(peripheral(answering: .refused(code: 0x80)))
        let id = bench.write([1])
        #expect(bench.answers[id] == .failure("Failed", "Operation failed with ATT error: 0x80"))
    }

    @Test func `a second read of the same value shares the answer`() {
        var bench = DaemonBench.connected(faults: [.slowLink])
        bench.pass(.seconds(1))
        let first = bench.read()
        let second = bench.read()
        let other = bench.read(DaemonBench.characteristic, ["offset": .uint16(1)])
        #expect(bench.answers[other] == .failure("InProgress", "In Progress"))
        bench.pass(.milliseconds(9))
        #expect(bench.answers[first] == .values([.bytes([1, 2, 3])]))
        #expect(bench.answers[second] == .values([.bytes([1, 2, 3])]))
        #expect(bench.peripheral?.received.count { $0 == .read(handle: 0x12) } == 1)
    }

    @Test func `a second write of the same characteristic is in progress, a read waits behind it`() {
        var bench = DaemonBench.connected(peripheral(answering: .written), faults: [.slowLink])
        bench.pass(.seconds(1))
        let first = bench.write([1])
        let second = bench.write([2])
        #expect(bench.answers[second] == .failure("InProgress", "In Progress"))
        _ = bench.read()
        bench.pass(.milliseconds(9))
        #expect(bench.answers[first] == .done)
        #expect(bench.peripheral?.received.last == .write(handle: 0x12, [1]))
        bench.pass(.milliseconds(9))
        #expect(bench.peripheral?.received.last == .read(handle: 0x12))
    }

    @Test func `a write that is never answered fails after thirty seconds, and the link goes`() {
        var bench = DaemonBench.connected(peripheral(answering: nil))
        let id = bench.write([1])
        bench.pass(.milliseconds(29_999))
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(1))
        #expect(bench.answers[id] == Self.unlikely)
        #expect(bench.isConnected == .boolean(false))
        #expect(bench.peripheral?.received.last == .linkClosed)
    }

    @Test func `a drop fails the write in flight at once, and a later one is not connected`() {
        var dropping = peripheral(answering: nil)
        dropping.dropsAt = .seconds(1)
        var bench = DaemonBench.connected(dropping)
        let id = bench.write([1])
        bench.pass(.seconds(1))
        #expect(bench.answers[id] == Self.unlikely)
        let later = bench.write([1])
        #expect(bench.answers[later] == .failure("Failed", "Not connected"))
    }

    @Test func `reads can be left without an answer by the daemon itself`() {
        var bench = DaemonBench.connected(faults: [.silentRead])
        let id = bench.read()
        #expect(bench.answers[id] == .silence)
        let descriptor = bench.read(DaemonBench.descriptor)
        #expect(bench.answers[descriptor] == .values([.bytes([1, 2, 3])]))
    }

    @Test func `writes can be left without an answer by the ears`() {
        var bench = DaemonBench.connected(peripheral(answering: .written), faults: [.silentWrite])
        let id = bench.write([1])
        bench.pass(.seconds(30))
        #expect(bench.answers[id] == Self.unlikely)
        #expect(bench.isConnected == .boolean(false))
    }

    @Test(
        arguments: [
            ("StartNotify", [], "NotSupported", "Operation is not supported"),
            ("StopNotify", [], "Failed", "No notify session started"),
            ("AcquireWrite", [.properties([:])], "NotSupported", "Operation is not supported"),
            ("AcquireNotify", [.properties([:])], "NotSupported", "Operation is not supported"),
        ] as [(String, [DBusValue], String, String)])
    func `nothing notifies and nothing is acquired`(
        member: String, arguments: [DBusValue], name: String, message: String
    ) {
        var bench = DaemonBench.connected()
        let id = bench.call(
            member, of: "org.bluez.GattCharacteristic1", at: DaemonBench.characteristic, arguments)
        #expect(bench.answers[id] == .failure(name, message))
    }

    // MARK: Protected values

    private func protected() -> DaemonBench {
        var peripheral = ScriptedPeripheral()
        peripheral.protection = 0x05
        var bench = DaemonBench([peripheral])
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        _ = bench.device("Connect")
        bench.pass(.milliseconds(100))
        return bench
    }

    @Test func `a protected read pairs through the default agent, and returns`() {
        var bench = protected()
        _ = bench.registerAgent()
        _ = bench.call(
            "RequestDefaultAgent", of: "org.bluez.AgentManager1", at: "/org/bluez", [.objectPath("/agent")])
        let id = bench.read()
        bench.pass(.milliseconds(200))
        #expect(bench.questions.map(\.call.member) == ["RequestConfirmation"])
        bench.answerQuestion(true)
        #expect(bench.answers[id] == .values([.bytes([1, 2, 3])]))
        #expect(bench.property("Bonded") == .boolean(true))
    }

    @Test func `a protected read without a default agent gets no answer, and the link goes`() {
        var bench = protected()
        _ = bench.registerAgent()
        let id = bench.read()
        bench.pass(.seconds(1))
        #expect(bench.questions.isEmpty)
        #expect(bench.answers[id] == .silence)
        #expect(bench.isConnected == .boolean(false))
    }
}
