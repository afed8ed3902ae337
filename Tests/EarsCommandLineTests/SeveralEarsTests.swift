import Bluetooth
import CommandLineTools
import Ears
import TestSupport
import Testing

@testable import EarsCommandLine

@Suite struct SeveralEarsTests {
    private static let third = BluetoothAddress("C4:11:22:33:44:77")!

    /// Two adapters; the first pair over both, the second over the other one, the third half bonded.
    private func bench(_ adapters: [Adapter] = [Adapter(.zero), Adapter(.one)]) throws -> Bench {
        try Bench(
            .init(
                adapters: adapters,
                known: [
                    .ears(.second, name: "b", on: .one), .ears(.first, name: "a", on: .zero),
                    .ears(.first, name: "a", on: .one), .ears(Self.third, name: "c", on: .zero, bonded: false),
                ]))
    }

    private func found(
        _ selection: SeveralEars.Selection, _ adapters: [AdapterName] = [], in bench: Bench
    ) async throws -> [String: [AdapterName]] {
        let (pairs, _) = try await bench.finder.find(SeveralEars(selection, adapters: adapters))
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0.name.description, $0.sightings.map(\.adapter)) })
    }

    private func failure(
        _ selection: SeveralEars.Selection, _ adapters: [AdapterName] = [], in bench: Bench
    ) async -> CommandFailure? {
        await #expect(throws: CommandFailure.self) {
            try await bench.finder.find(SeveralEars(selection, adapters: adapters))
        }
    }

    @Test func `all are those that are bonded, each once with every adapter that reaches it`() async throws {
        let bench = try bench()
        let found = try await found(.all, in: bench)
        #expect(found == ["C4:11:22:33:44:55": [.zero, .one], "C4:11:22:33:44:66": [.one]])
        let (pairs, adapters) = try await bench.finder.find(SeveralEars(.all, adapters: []))
        #expect(pairs.map(\.label) == ["a (C4:11:22:33:44:55)", "b (C4:11:22:33:44:66)"])
        #expect(adapters == [.zero, .one])
        #expect(bench.central.calls == [])
    }

    @Test func `an adapter that is off, or was not asked for, is left out with what it alone reaches`() async throws {
        let off = try bench([Adapter(.zero), Adapter(.one, isPowered: false)])
        #expect(try await found(.all, in: off) == ["C4:11:22:33:44:55": [.zero]])
        #expect(try await found(.all, [.zero, .zero], in: bench()) == ["C4:11:22:33:44:55": [.zero]])
    }

    @Test func `named ears come in the order of the names, each once, by name or address`() async throws {
        let names = ["b", "C4:11:22:33:44:55", "C4:11:22:33:44:66"].map(EarsName.init)
        let (pairs, _) = try await bench().finder.find(SeveralEars(.named(names), adapters: []))
        #expect(pairs.map(\.name) == [.address(.second), .address(.first)])
    }

    @Test func `a name that no bonded ears have stays a name, for the run to say what became of it`() async throws {
        let found = try await found(.named([EarsName("nobody"), EarsName("c")]), in: bench())
        #expect(found == ["nobody": [], "c": []])
    }

    @Test func `a name that fits two pairs is usage, and nothing is begun`() async throws {
        let bench = try Bench(.init(known: [.ears(.first, name: "x"), .ears(.second, name: "x")]))
        let failure = await failure(.named([EarsName("x"), EarsName("y")]), in: bench)
        #expect(failure?.code == "several_ears")
        #expect(failure?.status == .usage)
    }

    @Test func `the choice of a bench is not remembered as the ears last asked for`() async throws {
        let bench = try bench()
        _ = try await found(.named([EarsName("a"), EarsName("b")]), in: bench)
        #expect(bench.memory.address == nil)
    }

    @Test func `nothing bonded is 11`() async throws {
        let failure = await failure(.all, in: try Bench(.init(known: [.unpaired()])))
        #expect(failure?.status == .earsNotFound)
        #expect(failure?.code == "no_bonded_ears")
    }

    @Test(arguments: [
        ([Adapter](), [AdapterName](), "no_adapter"), ([Adapter(.zero, isPowered: false)], [], "adapter_off"),
        ([Adapter(.zero)], [.zero, .one], "no_such_adapter"),
        ([Adapter(.zero), Adapter(.one, isPowered: false)], [.zero, .one], "adapter_off"),
    ])
    func `an adapter that was asked for and cannot be used is 10, none of any kind too`(
        adapters: [Adapter], wanted: [AdapterName], code: String
    ) async throws {
        let failure = await failure(.all, wanted, in: try Bench(.init(adapters: adapters, known: [.ears()])))
        #expect(failure?.status == .machine)
        #expect(failure?.code == code)
    }
}
