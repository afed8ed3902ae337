import DBus
import Testing

@testable import Simulator

@Suite struct DeviceTests {
    @Test func `a connect answers when the services are resolved`() {
        var bench = DaemonBench.bonded()
        let id = bench.device("Connect")
        bench.pass(.milliseconds(50))
        #expect(bench.isConnected == .boolean(true))
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(50))
        #expect(bench.answers[id] == .done)
        #expect(bench.property("ServicesResolved") == .boolean(true))
        #expect(
            bench.daemon.tree.objects.keys.filter { $0.contains("service") }.sorted() == [
                DaemonBench.device + "/service0010", DaemonBench.characteristic, DaemonBench.descriptor,
                DaemonBench.commandable, DaemonBench.streaming,
            ])
        #expect(
            bench.property("MTU", of: "org.bluez.GattCharacteristic1", at: DaemonBench.characteristic) == .uint16(256))
        #expect(!bench.signals.contains { $0.arguments.dropFirst().first?.properties?["MTU"] != nil })
        let again = bench.device("Connect")
        #expect(bench.answers[again] == .done)
        bench.forgetSignals()
        _ = bench.device("Disconnect")
        bench.pass(.milliseconds(50))
        #expect(bench.property("MTU", of: "org.bluez.GattCharacteristic1", at: DaemonBench.characteristic) == nil)
        #expect(bench.events == ["Connected=false", "ServicesResolved=false"])
    }

    @Test func `the peripheral is given this side's key`() {
        let bench = DaemonBench.connected()
        #expect(
            bench.peripheral?.received == [.linkOpened(central: "02:5A:11:00:00:01", key: ScriptedPeripheral.key)])
    }

    @Test func `a second connect meanwhile is in progress`() {
        var bench = DaemonBench.bonded()
        _ = bench.device("Connect")
        let second = bench.device("Connect", from: ":1.8")
        #expect(bench.answers[second] == .failure("InProgress", "In Progress"))
        let pair = bench.device("Pair")
        #expect(bench.answers[pair] == .failure("InProgress", "In Progress"))
    }

    @Test func `a device that is not there fails after forty seconds`() {
        var absent = ScriptedPeripheral()
        absent.isHeard = false
        var bench = DaemonBench.bonded(absent)
        let id = bench.device("Connect")
        bench.pass(.milliseconds(39_900))
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(200))
        #expect(bench.answers[id] == .failure("Failed", "le-connection-abort-by-local"))
        #expect(!bench.events.contains("Connected=true"))
    }

    @Test func `a device that restarts meanwhile is reached when it is back`() {
        var restarting = ScriptedPeripheral()
        restarting.isHeard = false
        restarting.returnsAt = .seconds(3)
        var bench = DaemonBench.bonded(restarting)
        let id = bench.device("Connect")
        bench.pass(.seconds(2))
        #expect(bench.isConnected == .boolean(false))
        bench.pass(.milliseconds(1200))
        #expect(bench.answers[id] == .done)
    }

    @Test func `a stale bond flickers, stays on this side, and has one of two texts`() {
        var forgetful = ScriptedPeripheral()
        forgetful.knowsKey = nil
        var bench = DaemonBench.bonded(forgetful)
        for text in ["le-connection-abort-by-local", "br-connection-canceled"] {
            bench.forgetSignals()
            let id = bench.device("Connect")
            bench.pass(.milliseconds(300))
            #expect(bench.answers[id] == .failure("Failed", text))
            #expect(bench.events == ["Connected=true", "Connected=false"])
        }
        #expect(bench.property("Paired") == .boolean(true))
        #expect(bench.property("Bonded") == .boolean(true))
        let pair = bench.device("Pair")
        #expect(bench.answers[pair] == .failure("AlreadyExists", "Already Exists"))
    }

    @Test func `a disconnect takes its time and answers at the end of the link`() {
        var bench = DaemonBench.connected()
        let first = bench.device("Disconnect")
        let second = bench.device("Disconnect", from: ":1.8")
        #expect(bench.isConnected == .boolean(true))
        bench.pass(.milliseconds(60))
        #expect(bench.answers[first] == .done)
        #expect(bench.answers[second] == .done)
        #expect(bench.events == ["Connected=false", "ServicesResolved=false"])
        let third = bench.device("Disconnect")
        #expect(bench.answers[third] == .done)
    }

    @Test func `a disconnect calls a connect off`() {
        var bench = DaemonBench.bonded()
        let connect = bench.device("Connect")
        let disconnect = bench.device("Disconnect")
        #expect(bench.answers[connect] == .failure("Failed", "br-connection-canceled"))
        #expect(bench.answers[disconnect] == .done)
        bench.pass(.seconds(1))
        #expect(bench.isConnected == .boolean(false))
    }

    @Test func `a bonded device keeps its characteristics after a drop`() {
        var dropping = ScriptedPeripheral()
        dropping.dropsAt = .seconds(1)
        var bench = DaemonBench.connected(dropping)
        bench.pass(.seconds(1))
        #expect(bench.isConnected == .boolean(false))
        #expect(bench.daemon.tree[DaemonBench.characteristic] != nil)
        bench.pass(.seconds(60))
        #expect(bench.daemon.tree[DaemonBench.characteristic] != nil)
        let read = bench.read()
        #expect(bench.answers[read] == .failure("Failed", "Not connected"))
    }

    @Test func `a device without a bond goes thirty seconds after its link, with all its objects`() {
        var dropping = ScriptedPeripheral()
        dropping.dropsAt = .seconds(1)
        var bench = DaemonBench([dropping])
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        _ = bench.adapter("StopDiscovery")
        _ = bench.device("Connect")
        bench.pass(.milliseconds(800))
        bench.forgetSignals()
        bench.pass(.seconds(30))
        #expect(bench.events == ["Connected=false", "ServicesResolved=false"])
        bench.pass(.milliseconds(200))
        #expect(bench.events.last == "-" + DaemonBench.device)
        #expect(bench.events.count == 8)
    }

    @Test func `the objects are told before the services are called resolved`() {
        var bench = DaemonBench.bonded()
        _ = bench.device("Connect")
        bench.pass(.seconds(1))
        #expect(bench.events.first == "Connected=true")
        #expect(bench.events.last == "ServicesResolved=true")
        #expect(bench.events.count == 7)
    }

    @Test func `a second connection finds the same objects`() {
        var bench = DaemonBench.connected()
        _ = bench.device("Disconnect")
        bench.pass(.seconds(1))
        bench.forgetSignals()
        _ = bench.device("Connect")
        bench.pass(.seconds(1))
        #expect(bench.events == ["Connected=true", "ServicesResolved=true"])
    }

    @Test func `the end of the daemon lets the links go and releases the agents`() {
        var bench = DaemonBench.connected()
        _ = bench.registerAgent()
        bench.shutDown()
        #expect(bench.told.map(\.member) == ["Release"])
        #expect(bench.peripheral?.received.last == .linkClosed)
    }

    @Test func `a slow link takes the measured times`() {
        var bench = DaemonBench.bonded(faults: [.slowLink])
        let id = bench.device("Connect")
        bench.pass(.milliseconds(299))
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(1))
        #expect(bench.answers[id] == .done)
        let read = bench.read()
        bench.pass(.milliseconds(8))
        #expect(bench.answers[read] == nil)
        bench.pass(.milliseconds(1))
        #expect(bench.answers[read] == .values([.bytes([1, 2, 3])]))
    }
}
