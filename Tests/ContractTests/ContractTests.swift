import DBus
import Foundation
import TestSupport
import Testing

@testable import Simulator

/// The contract against the simulated `org.bluez`; Tests/RadioTests has the same program run against bluetoothd.
@Suite(.timeLimit(.minutes(5))) struct `The contract with BlueZ` {
    struct Verdict: Hashable {
        var passed: Bool
        var name: String
        var fault: String
    }

    private func verdicts(_ arguments: [String]) async throws -> [Verdict] {
        let bus = try PrivateBus()
        let daemon = BluetoothDaemon(adapters: ["02:5A:11:00:00:01"], peripherals: [ContractPeripheral()])
        let service = BlueZService(daemon, on: try await bus.connect())
        try await service.start()
        let output = try await BuiltProgram("espurr-bluez-contract").run(
            arguments, environment: ["PATH": "/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus.address],
            deadline: .seconds(280))
        _ = await service.stop()
        #expect(output.messages == "")
        return output.output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Verdict(passed: fields[0] == "pass", name: fields[1], fault: fields[2])
        }
    }

    /// Of this side: the cases that are known to be different here.
    private func differences() throws -> Set<String> {
        let path = BuiltProgram.packageFolder + "/Tests/BlueZContract/differences.tsv"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let fields = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t").map(String.init) }
        return Set(fields.filter { $0[0] == "espurr-sim" }.map { $0[1] })
    }

    @Test func `is kept by the simulated one, but for the differences on the list`() async throws {
        let verdicts = try await verdicts([])
        #expect(verdicts.count > 30)
        let listed = try differences()
        for verdict in verdicts {
            #expect(verdict.passed != listed.contains(verdict.name), "\(verdict.name): \(verdict.fault)")
        }
        #expect(listed.subtracting(verdicts.map(\.name)) == [])
    }
}
