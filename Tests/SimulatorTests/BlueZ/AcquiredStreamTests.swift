import DBus
import Testing

@testable import Simulator

@Suite struct `Acquired descriptors` {
    private func property(_ name: String, _ bench: DaemonBench) -> DBusValue? {
        bench.property(name, of: "org.bluez.GattCharacteristic1", at: DaemonBench.streaming)
    }

    @Test(arguments: [("AcquireWrite", "WriteAcquired"), ("AcquireNotify", "NotifyAcquired")])
    func `are answered with the MTU, and shown as a property`(member: String, name: String) {
        var bench = DaemonBench.connected()
        #expect(property(name, bench) == .boolean(false))
        let id = bench.acquire(member)
        #expect(bench.answers[id] == nil)
        #expect(bench.opened[id]?.mtu == 256)
        #expect(property(name, bench) == .boolean(true))
        #expect(bench.events == ["\(name)=true"])
    }

    @Test(arguments: [("AcquireWrite", "Write acquired"), ("AcquireNotify", "Notify acquired")])
    func `are given once`(member: String, text: String) {
        var bench = DaemonBench.connected()
        _ = bench.acquire(member)
        let second = bench.acquire(member)
        #expect(bench.answers[second] == .failure("NotPermitted", text))
    }

    @Test func `leave no other write to the characteristic`() {
        var bench = DaemonBench.connected()
        _ = bench.acquire("AcquireWrite")
        let id = bench.write([1], ["type": .string("command")], to: DaemonBench.streaming)
        #expect(bench.answers[id] == .failure("NotPermitted", "Write acquired"))
    }

    @Test(arguments: ["AcquireWrite", "AcquireNotify"])
    func `are not to be had where the characteristic lacks the property`(member: String) {
        var bench = DaemonBench.connected()
        let id = bench.acquire(member, of: DaemonBench.characteristic)
        #expect(bench.answers[id] == .failure("NotSupported", "Operation is not supported"))
        let name = member == "AcquireWrite" ? "WriteAcquired" : "NotifyAcquired"
        #expect(
            bench.property(name, of: "org.bluez.GattCharacteristic1", at: DaemonBench.characteristic) == nil)
    }

    @Test func `carry packets to the peripheral as commands, cut at 512 bytes in silence`() throws {
        var bench = DaemonBench.connected()
        let id = bench.acquire("AcquireWrite")
        let stream = try #require(bench.opened[id]?.stream)
        bench.packet([1, 2], on: stream)
        #expect(bench.peripheral?.received.last == .command(handle: 0x18, [1, 2]))
        bench.packet([UInt8](repeating: 7, count: 514), on: stream)
        #expect(bench.peripheral?.received.last == .command(handle: 0x18, [UInt8](repeating: 7, count: 512)))
    }

    @Test func `subscribe, carry notifications, and unsubscribe when the client closes`() throws {
        var notifying = ScriptedPeripheral()
        notifying.notifiesAt = .seconds(1)
        var bench = DaemonBench.connected(notifying)
        let id = bench.acquire("AcquireNotify")
        #expect(bench.peripheral?.received.last == .subscribed(handle: 0x18, true))
        bench.pass(.seconds(1))
        #expect(bench.delivered == [[5, 6]])
        bench.closeStream(try #require(bench.opened[id]?.stream))
        #expect(bench.peripheral?.received.last == .subscribed(handle: 0x18, false))
        #expect(property("NotifyAcquired", bench) == .boolean(false))
        #expect(bench.closed == [])
    }

    @Test func `a notification that nobody subscribed to reaches nobody`() {
        var notifying = ScriptedPeripheral()
        notifying.notifiesAt = .seconds(1)
        var bench = DaemonBench.connected(notifying)
        _ = bench.acquire("AcquireWrite")
        bench.pass(.seconds(1))
        #expect(bench.delivered == [])
    }

    @Test func `are closed with the link, after it was told`() throws {
        var dropping = ScriptedPeripheral()
        dropping.dropsAt = .seconds(1)
        var bench = DaemonBench.connected(dropping)
        let ids = [bench.acquire("AcquireWrite"), bench.acquire("AcquireNotify")]
        bench.forgetSignals()
        bench.pass(.seconds(1))
        #expect(bench.closed == ids.compactMap { bench.opened[$0]?.stream })
        #expect(
            bench.events == [
                "Connected=false", "ServicesResolved=false", "WriteAcquired=false", "NotifyAcquired=false",
            ])
        let later = bench.acquire("AcquireWrite")
        #expect(bench.answers[later] == .failure("Failed", "Not connected"))
    }
}
