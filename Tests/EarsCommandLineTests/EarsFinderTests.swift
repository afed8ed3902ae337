import Bluetooth
import CommandLineTools
import Ears
import Synchronization
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct EarsFinderTests {
    /// Lets the scan's time run out.
    private func failure(_ bench: Bench, _ options: EarsOptions = EarsOptions()) async throws -> CommandFailure? {
        let finder = bench.finder
        let search = Task { () -> CommandFailure? in
            do throws(CommandFailure) {
                _ = try await finder.find(options)
                return nil
            } catch {
                return error
            }
        }
        try await bench.clock.sleepers(2)
        bench.clock.advance(by: options.timeout)
        return await search.value
    }

    @Test func `the one bonded pair is found without a scan`() async throws {
        let bench = try Bench(.init(known: [.ears()]))
        #expect(try await bench.finder.find(EarsOptions()) == .ears())
        #expect(bench.central.calls == [])
        #expect(bench.memory.address == nil)
    }

    @Test func `several are usage, with every address in the cause`() async throws {
        let bench = try Bench(.init(known: [.ears(), .ears(.second, name: "b")]))
        let failure = await #expect(throws: CommandFailure.self) { try await bench.finder.find(EarsOptions()) }
        #expect(failure?.status == .usage)
        #expect(failure?.cause == "several ears fit: b (C4:11:22:33:44:66), espurr-4455 (C4:11:22:33:44:55)")
        #expect(failure?.remedy == "say which: espurr-ctl info --device ADDRESS")
    }

    @Test func `named ears are remembered, and chosen without a name from then on`() async throws {
        let bench = try Bench(.init(known: [.ears(), .ears(.second, name: "b")]))
        let named = try await bench.finder.find(EarsOptions(device: EarsName("b")))
        #expect(named.address == .second)
        #expect(bench.memory.address == .second)
        #expect(try await bench.finder.find(EarsOptions()).address == .second)
    }

    @Test func `a bond on an adapter that is off counts only where there is no other`() async throws {
        let both = [Sighting.ears(), .ears(.second, on: .one)]
        let bench = try Bench(.init(adapters: [Adapter(.zero, isPowered: false), Adapter(.one)], known: both))
        #expect(try await bench.finder.find(EarsOptions()) == both[1])
        let alone = try Bench(.init(adapters: [Adapter(.zero, isPowered: false), Adapter(.one)], known: [both[0]]))
        #expect(try await alone.finder.find(EarsOptions()) == both[0])
    }

    @Test func `ears that are heard and not paired are 12, at once`() async throws {
        let bench = try Bench(.init(known: [], heard: [.unpaired()]))
        let failure = await #expect(throws: CommandFailure.self) { try await bench.finder.find(EarsOptions()) }
        #expect(failure?.status == .pairing)
        #expect(failure?.remedy == "espurr-ctl pair --device C4:11:22:33:44:55 --adapter hci0")
    }

    @Test func `half a bond is named as stale`() async throws {
        let bench = try Bench(.init(known: [], heard: [.ears(rssi: -50, bonded: false)]))
        let failure = await #expect(throws: CommandFailure.self) { try await bench.finder.find(EarsOptions()) }
        #expect(failure?.code == "stale_bond")
        #expect(failure?.remedy == "espurr-ctl repair-bond --device C4:11:22:33:44:55")
    }

    @Test func `nothing heard within the time is 11`() async throws {
        let failure = try await failure(try Bench(.init(known: [], heard: [])))
        #expect(failure?.status == .earsNotFound)
        #expect(failure?.cause == "no ears were found within 30 s")
    }

    @Test func `others than the named are no answer`() async throws {
        let bench = try Bench(.init(known: [.ears()], heard: [.ears(rssi: -40), .unpaired(.second, name: "b")]))
        let failure = try await failure(bench, EarsOptions(device: EarsName("c"), timeout: .seconds(5)))
        #expect(failure?.status == .earsNotFound)
        #expect(failure?.cause == "ears “c” were not found within 5 s")
    }

    @Test func `a name that is nearly one in sight is met with that, and --verbose says meanwhile what is there`()
        async throws
    {
        let others: [Sighting] = [.ears(rssi: -40), .unpaired(.second, name: "b")]
        let bench = try Bench(.init(known: [.ears()], heard: others + others))
        bench.finder.console.set(quiet: false, verbose: true)
        let failure = try await failure(bench, EarsOptions(device: EarsName("espurr-4456"), timeout: .seconds(5)))
        #expect(failure?.status == .earsNotFound)
        #expect(failure?.cause == "ears “espurr-4456” were not found within 5 s")
        #expect(failure?.remedy == "did you mean “espurr-4455”?")
        #expect(
            bench.messages
                == "no paired ears go by “espurr-4456”; did you mean “espurr-4455”?\n"
                + "looking for “espurr-4456” on hci0, at most 5 s…\nthere: espurr-4455 (C4:11:22:33:44:55)\n"
                + "there: b (C4:11:22:33:44:66)\n")
    }

    @Test func `on a terminal the ears that are there stand in a line of their own while others are looked for`()
        async throws
    {
        let heard: [Sighting] = [.ears(), .ears(rssi: -40), .ears(rssi: -41), .unpaired(.second, name: "b")]
        let bench = try Bench(.init(known: [.ears()], heard: heard), isTerminal: true)
        _ = try await failure(bench, EarsOptions(device: EarsName("c"), timeout: .seconds(5)))
        // Known is not there; and a line that would be the same is not written again.
        #expect(
            bench.messages
                == "looking for “c” on hci0, at most 5 s…\n"
                + "\r\u{1B}[Kthere: espurr-4455\r\u{1B}[Kthere: espurr-4455, b\r\u{1B}[K")
    }

    @Test func `of an address that is nearly another one nothing is guessed`() async throws {
        let bench = try Bench(.init(known: [.ears()], heard: []))
        _ = try await failure(bench, EarsOptions(device: .address(.second), timeout: .seconds(5)))
        #expect(bench.messages == "looking for “C4:11:22:33:44:66” on hci0, at most 5 s…\n")
    }

    @Test(arguments: [false, true])
    func `a terminal shows at once how long connecting may take, with --quiet nothing`(isQuiet: Bool) async throws {
        let bench = try Bench(
            .init(known: [.ears()], connections: [.failure(.connectFailed(.notInRange))]), isTerminal: true)
        bench.finder.console.set(quiet: isQuiet, verbose: false)
        await #expect(throws: CommandFailure.self) { _ = try await bench.finder.open(EarsOptions()) }
        #expect(
            bench.messages == (isQuiet ? "" : "\r\u{1B}[Kconnecting to espurr-4455, at most 30 s…\r\u{1B}[K"))
    }

    @Test func `elsewhere than on a terminal nothing is shown of connecting`() async throws {
        let bench = try Bench(.init(known: [.ears()], connections: [.failure(.connectFailed(.notInRange))]))
        await #expect(throws: CommandFailure.self) { _ = try await bench.finder.open(EarsOptions()) }
        #expect(bench.messages == "")
    }

    @Test func `where nothing is bonded there is nothing to forget, which needs no scan`() async throws {
        let bench = try Bench(.init(known: [.unpaired()]))
        let failure = await #expect(throws: CommandFailure.self) {
            try await bench.finder.findToForget(EarsOptions())
        }
        #expect(failure?.status == .pairing && failure?.code == "not_paired")
        #expect(failure?.cause == "this machine has no bond with any ears: there is nothing to forget")
        #expect(failure?.remedy == nil)
        #expect(bench.central.calls == [])
    }

    @Test func `a mistyped name of ears to forget is met with theirs`() async throws {
        let bench = try Bench(.init(known: [.ears()]))
        let failure = await #expect(throws: CommandFailure.self) {
            try await bench.finder.findToForget(EarsOptions(device: EarsName("Espurr-4455"), adapter: .zero))
        }
        #expect(
            failure?.cause
                == "this machine has no bond with ears “Espurr-4455” over hci0: there is nothing to forget")
        #expect(failure?.remedy == "did you mean “espurr-4455”?")
    }

    @Test func `half a bond can be forgotten`() async throws {
        let half = Sighting.ears(bonded: false)
        let bench = try Bench(.init(known: [half]))
        #expect(try await bench.finder.findToForget(EarsOptions()) == half)
    }

    static let obstacles: [([Adapter], AdapterName?, String)] = [
        ([], nil, "no_adapter"), ([], .zero, "no_adapter"), ([.working], .one, "no_such_adapter"),
        ([Adapter(.zero, isPowered: false)], nil, "adapter_off"),
        ([Adapter(.zero, isPowered: false, isBlocked: true)], nil, "adapter_soft_blocked"),
        ([.working, Adapter(.one, isPowered: false)], .one, "adapter_off"),
    ]

    @Test(arguments: obstacles)
    func `a machine without a usable adapter is 10`(adapters: [Adapter], wanted: AdapterName?, code: String)
        async throws
    {
        let bench = try Bench(.init(adapters: adapters))
        let failure = await #expect(throws: CommandFailure.self) {
            try await bench.finder.find(EarsOptions(adapter: wanted))
        }
        #expect(failure?.status == .machine)
        #expect(failure?.code == code)
    }

    @Test func `a cancelled search ends as cancelled`() async throws {
        let bench = try Bench(.init(known: [], heard: []))
        let finder = bench.finder
        let search = Task { try await finder.find(EarsOptions()) }
        try await bench.clock.sleepers(2)
        search.cancel()
        let failure = await #expect(throws: CommandFailure.self) { try await search.value }
        #expect(failure?.status == .cancelled)
    }

    @Test func `connecting has what finding left of the time`() async throws {
        let bench = try Bench(.init(known: [.ears()], connections: [.success(ScriptedPeripheral())]))
        let limit = TimeLimit(.seconds(30), on: bench.clock)
        bench.clock.advance(by: .seconds(12))
        let owned = try await bench.finder.open(.ears(), within: limit)
        #expect(bench.central.calls == [.connect(.first, deadline: .seconds(18))])
        #expect(owned.session.mode == .normal)
    }

    @Test func `a link that a command before was ending is ended first, and another one made`() async throws {
        let (left, fresh) = (ScriptedPeripheral(), ScriptedPeripheral())
        let bench = try Bench(.init(connections: [.success(left), .success(fresh)]))
        let directories = bench.finder.directories
        try directories.prepareRuntime()
        let maker = LinkMark(of: .ears(), in: directories.runtime)
        maker.leave()
        maker.beginLeaving()
        let owned = try await bench.finder.open(
            .ears(connected: true), within: TimeLimit(.seconds(30), on: bench.clock))
        #expect(bench.central.calls.count == 2)
        #expect((left.disconnectCount, fresh.disconnectCount) == (1, 0))
        await owned.close()
        #expect((left.disconnectCount, fresh.disconnectCount) == (1, 1))
    }

    @Test func `what is done before a second signal tells the next command that the link may be ending`() async throws {
        let actions = Mutex<[@Sendable () -> Void]>([])
        let bench = try Bench(
            .init(connections: [.success(ScriptedPeripheral())]),
            beforeLeaving: { action in actions.withLock { $0.append(action) } })
        let owned = try await bench.finder.open(.ears(), within: TimeLimit(.seconds(30), on: bench.clock))
        let runtime = bench.finder.directories.runtime
        #expect(!LinkMark(of: .ears(connected: true), in: runtime).isLeft)
        for action in actions.withLock({ $0.self }) { action() }
        #expect(LinkMark(of: .ears(connected: true), in: runtime).isLeft)
        await owned.close()
        #expect(!LinkMark(of: .ears(connected: true), in: runtime).isOurs)
    }

    @Test func `where no time is left nothing is connected`() async throws {
        let bench = try Bench(.init())
        let limit = TimeLimit(.seconds(30), on: bench.clock)
        bench.clock.advance(by: .seconds(30))
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await bench.finder.open(.ears(), within: limit)
        }
        #expect(failure?.status == .earsNotFound)
        #expect(bench.central.calls == [])
    }

    @Test func `ears that cannot be spoken to are let go`() async throws {
        let peripheral = ScriptedPeripheral(version: .success(ScriptedPeripheral.securityTwo))
        let bench = try Bench(.init(known: [.ears()], connections: [.success(peripheral)]))
        let failure = await #expect(throws: CommandFailure.self) { _ = try await bench.finder.open(EarsOptions()) }
        #expect(failure?.status == .protocolNotSupported)
        #expect(peripheral.disconnectCount == 1)
    }

    @Test func `a second command is told that the ears are held`() async throws {
        let bench = try Bench(.init(known: [.ears()]))
        let lock = try bench.finder.own(.ears())
        let failure = await #expect(throws: CommandFailure.self) { _ = try await bench.finder.open(EarsOptions()) }
        #expect(failure?.code == "ears_held")
        withExtendedLifetime(lock) {}
    }
}
