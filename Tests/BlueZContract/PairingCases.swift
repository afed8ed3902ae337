import Bluetooth
import DBus
import Synchronization

extension Case {
    /// Pairing, what it leaves behind, and what a bond is worth.
    static let pairings = [
        Case("pairing compares the digits that the peripheral shows, though the link was there before any agent") {
            bench in
            _ = try await bench.connect()
            let shown = Mutex<[Passkey]>([])
            try await bench.central.pair(
                with: ContractPeripheral.address, on: bench.adapter, deadline: .seconds(45)
            ) { passkey in
                shown.withLock { $0.append(passkey) }
                return true
            }
            // It may be another link than before.
            let link = try await bench.connect()
            try expect("digits", shown.withLock { $0.map(\.number) }, [try await link.counters().passkey])
            try expect("bond", try await link.peripheral.isBonded(), true)
            try await link.write([4, 5], to: link.guarded)
            try expect("guarded value", try await link.read(link.guarded), [4, 5])
            try expect(
                "again", await failure { () throws(BluetoothError) in try await bench.pair() },
                .pairing(.alreadyPaired))
        },
        refused("digits that this side denies", .rejectedHere) { bench in try await bench.pair(accepting: false) },
        refused("digits that the peripheral denies", .rejectedByPeripheral, .denyDigits),
        refused("a peripheral that refuses at once", .rejectedByPeripheral, .refuse),
        refused("a peripheral that never confirms", .timedOut, .neverConfirm, slow: true),
        refused("a downgrade to Just Works", .downgraded, .justWorks),
        Case("a link that is lost while pairing leaves no bond") { bench in
            try await bench.connect().tell(.pair(.loseLink))
            try expect(
                "pairing", await failure { () throws(BluetoothError) in try await bench.pair() }, .pairing(.linkLost))
            try expect("bond", try await bench.known()?.isBonded ?? false, false)
        },
        Case("a bond carries the next link without another pairing") { bench in
            let link = try await bench.pairedLink()
            try await link.write([7], to: link.guarded)
            try await link.peripheral.disconnect()
            let again = try await bench.connect()
            try expect("guarded value", try await again.read(again.guarded), [7])
            try expect("state", try await bench.known().map { [$0.isPaired, $0.isBonded] }, [true, true])
        },
        Case("a peripheral that forgot its bond is told as a stale bond, which stays here") { bench in
            let link = try await bench.pairedLink()
            try await link.tell(.forgetBond)
            try await link.peripheral.disconnect()
            try expect(
                "connecting",
                await failure { () throws(BluetoothError) in
                    try await bench.central.connect(
                        to: ContractPeripheral.address, on: bench.adapter, deadline: .seconds(30))
                }, .staleBond(ContractPeripheral.address))
            try expect("bond", try await bench.known()?.isBonded, true)
            try await bench.forget()
            _ = try await bench.pairedLink()
        },
        // BlueZ never answers it; the link may go or stay.
        Case("a protected value without a bond and without an agent gives nothing and makes no bond") { bench in
            let link = try await bench.connect()
            let error = await failure { () throws(BluetoothError) in
                try await link.read(link.guarded, within: .seconds(20))
            }
            // BlueZ begins a pairing that nobody can answer: it refuses that itself, waits, or loses the link over it.
            let ends: [BluetoothError] = [
                .attribute(code: 0x0E, during: .read), .deadline(.read, after: .seconds(20)), .linkLost(during: .read),
            ]
            guard let error, ends.contains(error) else {
                throw Disagreement(description: "read: \(String(describing: error))")
            }
            try expect("bond", try await bench.known()?.isBonded ?? false, false)
        },
    ]

    private static func refused(
        _ what: String, _ failure: PairingFailure, _ manner: Action.Manner, slow: Bool = false
    ) -> Case {
        refused(what, failure, slow: slow) { bench in
            try await bench.connect().tell(.pair(manner))
            try await bench.pair()
        }
    }

    /// No bond is left, and the next pairing works.
    private static func refused(
        _ what: String, _ failure: PairingFailure, slow: Bool = false,
        pairing: @escaping @Sendable (Bench) async throws -> Void
    ) -> Case {
        Case("\(what): told as that, without a bond, and the next pairing works", slow: slow) { bench in
            _ = try await bench.find()
            do {
                try await pairing(bench)
                throw Disagreement(description: "it paired")
            } catch let error as BluetoothError {
                try expect("pairing", error, .pairing(failure))
            }
            try expect("bond", try await bench.known()?.isBonded ?? false, false)
            try await bench.forget()
            _ = try await bench.pairedLink()
        }
    }
}
