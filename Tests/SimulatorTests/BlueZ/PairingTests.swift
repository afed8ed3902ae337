import DBus
import Testing

@testable import Simulator

@Suite struct PairingTests {
    private static let failed = MethodAnswer.failure("AuthenticationFailed", "Authentication Failed")
    private static let cancelled = MethodAnswer.failure("AuthenticationCanceled", "Authentication Canceled")

    /// Found by a discovery, with an agent registered.
    private func bench(
        _ manner: ScriptedPeripheral.PairingManner = .compares(42), capability: String? = "DisplayYesNo",
        faults: Set<DaemonFault> = []
    ) -> DaemonBench {
        var peripheral = ScriptedPeripheral()
        peripheral.pairing = manner
        var bench = DaemonBench([peripheral], faults: faults)
        if let capability { _ = bench.registerAgent(capability) }
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        return bench
    }

    private func asked(_ bench: inout DaemonBench) -> CallID {
        let id = bench.device("Pair")
        bench.pass(.milliseconds(300))
        return id
    }

    @Test func `both sides' yes makes a bond, and the services are resolved by then`() {
        var bench = bench()
        let id = asked(&bench)
        let question = bench.questions.last?.call
        #expect(question?.member == "RequestConfirmation")
        #expect(question?.destination == DaemonBench.client)
        #expect(question?.path == "/agent")
        #expect(question?.arguments == [.objectPath(DaemonBench.device), .uint32(42)])
        #expect(bench.answers[id] == nil)
        bench.answerQuestion(true)
        #expect(bench.answers[id] == .done)
        #expect(bench.property("Paired") == .boolean(true))
        #expect(bench.property("Bonded") == .boolean(true))
        #expect(bench.property("ServicesResolved") == .boolean(true))
        #expect(bench.told.isEmpty)
        #expect(bench.daemon.knownDevices.values.first?.first?.key == ScriptedPeripheral.key)
    }

    @Test func `a no on this side fails at once, and the link lingers a moment`() {
        var bench = bench()
        let id = asked(&bench)
        bench.answerQuestion(false)
        #expect(bench.answers[id] == Self.failed)
        #expect(bench.property("Paired") == .boolean(false))
        #expect(bench.isConnected == .boolean(true))
        #expect(bench.peripheral?.received.last == .pairingCancelled)
        bench.pass(.milliseconds(200))
        #expect(bench.isConnected == .boolean(false))
    }

    @Test func `a peripheral that refuses fails it, and the agent is told where it was asked`() {
        var refusing = bench(.refuses)
        let id = asked(&refusing)
        #expect(refusing.answers[id] == Self.failed)
        #expect(refusing.questions.isEmpty)
        var late = bench(faults: [.pairRefused])
        let second = asked(&late)
        #expect(late.answers[second] == Self.failed)
        #expect(late.told.map(\.member) == ["Cancel"])
    }

    @Test(arguments: [nil, "NoInputNoOutput", "DisplayOnly", "KeyboardOnly"])
    func `without an agent that can compare it fails`(capability: String?) {
        var bench = bench(capability: capability)
        let id = asked(&bench)
        #expect(bench.answers[id] == Self.failed)
        #expect(bench.questions.isEmpty)
    }

    @Test(arguments: ["", "KeyboardDisplay", "DisplayYesNo"])
    func `an agent that can compare is asked`(capability: String) {
        var bench = bench(capability: capability)
        _ = asked(&bench)
        #expect(bench.questions.count == 1)
    }

    @Test func `a downgrade to Just Works asks nobody and reads as paired`() {
        var bench = bench(.justWorks)
        let id = asked(&bench)
        #expect(bench.answers[id] == .done)
        #expect(bench.questions.isEmpty)
        #expect(bench.property("Paired") == .boolean(true))
        #expect(bench.property("Bonded") == .boolean(true))
    }

    @Test func `a man in the middle shows other digits here`() {
        var bench = bench(.compares(999_999), faults: [.wrongPasskey])
        _ = asked(&bench)
        #expect(bench.questions.last?.call.arguments.last == .uint32(0))
    }

    @Test func `nobody who answers looks like a cancel, after 32 seconds`() {
        var bench = bench()
        let id = bench.device("Pair")
        bench.pass(.milliseconds(32_100))
        #expect(bench.answers[id] == nil)
        bench.pass(.milliseconds(100))
        #expect(bench.answers[id] == Self.cancelled)
        #expect(bench.told.map(\.member) == ["Cancel"])
    }

    @Test(arguments: [
        (ScriptedPeripheral.PairingManner.compares(1), Set([DaemonFault.pairTimeout])), (.keepsSilent, Set<DaemonFault>()),
    ])
    func `a peripheral that never confirms looks like a cancel, after 32 seconds`(
        manner: ScriptedPeripheral.PairingManner, faults: Set<DaemonFault>
    ) {
        var bench = bench(manner, faults: faults)
        let id = asked(&bench)
        bench.answerQuestion(true)
        bench.pass(.seconds(31))
        #expect(bench.answers[id] == nil)
        bench.pass(.seconds(1))
        #expect(bench.answers[id] == Self.cancelled)
    }

    @Test func `a pairing can be cancelled, once`() {
        var bench = bench()
        let id = asked(&bench)
        let cancel = bench.device("CancelPairing")
        #expect(bench.answers[cancel] == .done)
        #expect(bench.answers[id] == Self.cancelled)
        #expect(bench.told.map(\.member) == ["Cancel"])
        let again = bench.device("CancelPairing")
        #expect(bench.answers[again] == .failure("DoesNotExist", "Does Not Exist"))
    }

    @Test func `an answer that comes too late changes nothing`() {
        var bench = bench()
        _ = asked(&bench)
        _ = bench.device("CancelPairing")
        bench.answerQuestion(true)
        #expect(bench.property("Paired") == .boolean(false))
    }

    @Test func `a second pair meanwhile is in progress`() {
        var bench = bench()
        _ = asked(&bench)
        let second = bench.device("Pair", from: ":1.8")
        #expect(bench.answers[second] == .failure("InProgress", "In Progress"))
    }

    @Test func `a link that drops cancels it`() {
        var peripheral = ScriptedPeripheral()
        peripheral.dropsAt = .seconds(1)
        var bench = DaemonBench([peripheral])
        _ = bench.registerAgent()
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        let id = bench.device("Pair")
        bench.pass(.seconds(1))
        #expect(bench.answers[id] == Self.cancelled)
        #expect(bench.told.map(\.member) == ["Cancel"])
    }

    @Test func `a client that leaves the bus takes its pairing and its agent along`() {
        var bench = bench()
        _ = asked(&bench)
        bench.leave()
        bench.pass(.milliseconds(200))
        #expect(bench.isConnected == .boolean(false))
        #expect(bench.daemon.agents.all.isEmpty)
    }

    @Test func `a device that is not there cannot be paired`() {
        var bench = bench()
        _ = bench.adapter("StopDiscovery")
        bench.daemon.peripherals = [absent()]
        let id = bench.device("Pair")
        bench.pass(.seconds(41))
        #expect(bench.answers[id] == .failure("ConnectionAttemptFailed", "Page Timeout"))
    }

    private func absent() -> ScriptedPeripheral {
        var peripheral = ScriptedPeripheral()
        peripheral.isHeard = false
        return peripheral
    }

    @Test func `after a removal a new bond replaces the old one`() {
        var bench = DaemonBench.bonded()
        _ = bench.registerAgent()
        _ = bench.adapter("RemoveDevice", [.objectPath(DaemonBench.device)])
        _ = bench.adapter("StartDiscovery")
        bench.pass(.milliseconds(100))
        let id = asked(&bench)
        bench.answerQuestion(true)
        #expect(bench.answers[id] == .done)
    }
}

@Suite struct AgentManagerTests {
    private func manager(
        _ bench: inout DaemonBench, _ member: String, _ path: String, from client: String = DaemonBench.client
    ) -> MethodAnswer? {
        let id = bench.call(
            member, of: "org.bluez.AgentManager1", at: "/org/bluez", [.objectPath(path)], from: client)
        return bench.answers[id]
    }

    @Test func `a client has one agent`() {
        var bench = DaemonBench()
        let first = bench.registerAgent()
        #expect(bench.answers[first] == .done)
        let second = bench.registerAgent()
        #expect(bench.answers[second] == .failure("AlreadyExists", "Already Exists"))
        #expect(manager(&bench, "UnregisterAgent", "/other") == .failure("DoesNotExist", "Does Not Exist"))
        #expect(manager(&bench, "UnregisterAgent", "/agent") == .done)
        #expect(manager(&bench, "UnregisterAgent", "/agent") == .failure("DoesNotExist", "Does Not Exist"))
    }

    @Test func `a capability that BlueZ does not know is refused`() {
        var bench = DaemonBench()
        let id = bench.registerAgent("Telepathy")
        #expect(bench.answers[id] == .failure("InvalidArguments", "Invalid arguments in method call"))
    }

    @Test func `the agent that asked last is the default one`() {
        var bench = DaemonBench()
        _ = bench.registerAgent(from: ":1.8")
        _ = bench.registerAgent(from: ":1.9")
        #expect(manager(&bench, "RequestDefaultAgent", "/agent") == .failure("DoesNotExist", "Does Not Exist"))
        #expect(bench.daemon.agents.agent(for: nil) == nil)
        #expect(manager(&bench, "RequestDefaultAgent", "/agent", from: ":1.8") == .done)
        #expect(manager(&bench, "RequestDefaultAgent", "/agent", from: ":1.9") == .done)
        #expect(bench.daemon.agents.agent(for: nil)?.owner == ":1.9")
        bench.leave(":1.9")
        #expect(bench.daemon.agents.agent(for: ":1.20")?.owner == ":1.8")
    }
}
