import Bluetooth
import DBus

extension Case {
    /// Finding, connecting, and what is there then.
    static let links = [
        Case("a discovery by service tells name, signal and state") { bench in
            let sighting = try await bench.find()
            try expect("name", sighting.name, ContractPeripheral.name)
            try expect(
                "state", [sighting.isPaired, sighting.isBonded, sighting.isConnected], [false, false, false])
            try expect("services", sighting.services.contains(ContractPeripheral.service), true)
        },
        Case("a discovery for another service does not tell of it") { bench in
            let other = BluetoothUUID(assigned: 0x180f)
            let heard = Task {
                for try await _ in bench.central.discover(other, on: bench.adapter) { return true }
                return false
            }
            try await Task.sleep(for: .seconds(3))
            heard.cancel()
            try expect("heard", (try? await heard.value) ?? false, false)
        },
        Case("a connection shows characteristics, properties and descriptors") { bench in
            let link = try await bench.connect()
            try expect("value", link.value.properties, [.read, .write])
            try expect("stream", link.stream.properties, [.writeWithoutResponse, .notify])
            try expect("descriptors", link.value.descriptors.contains(.userDescription), true)
            try expect("bond", try await link.peripheral.isBonded(), false)
            let missing = BluetoothUUID(assigned: 0x180f)
            try expect(
                "another service",
                await failure { () throws(BluetoothError) in
                    try await link.peripheral.characteristics(of: missing)
                }, .missingService(missing))
        },
        Case("the MTU is a property while the link is up, and is none afterwards") { bench in
            let link = try await bench.connect()
            try expect("MTU", link.value.maximumTransmissionUnit, ContractPeripheral.mtu)
            try expect("property", try await link.property("MTU", of: link.value), .uint16(517))
            try await link.peripheral.disconnect()
            let error = try await bench.refusal(
                "Get", of: "org.freedesktop.DBus.Properties", at: link.value.handle,
                [.string(Link.interface), .string("MTU")])
            try expect("without a link", error?.first?.hasPrefix("org.freedesktop.DBus.Error."), true)
        },
        Case("disconnecting ends the link, and a second connection finds the same") { bench in
            let link = try await bench.connect()
            try await link.peripheral.disconnect()
            await link.peripheral.linkEnded()
            try expect("connected", try await bench.known()?.isConnected ?? false, false)
            let again = try await bench.connect()
            try expect("characteristic", again.value.handle, link.value.handle)
            try expect(
                "the old link",
                await failure { () throws(BluetoothError) in try await link.read(link.value) },
                .linkLost(during: .read))
        },
        Case("a device that is removed is unknown") { bench in
            _ = try await bench.connect()
            try await bench.central.removeBond(of: ContractPeripheral.address, on: bench.adapter)
            try expect(
                "removed again",
                await failure { () throws(BluetoothError) in
                    try await bench.central.removeBond(of: ContractPeripheral.address, on: bench.adapter)
                }, .unknownDevice(ContractPeripheral.address))
            try expect(
                "asked of BlueZ",
                try await bench.refusal(
                    "RemoveDevice", of: "org.bluez.Adapter1", at: "/org/bluez/\(bench.adapter)",
                    [.objectPath(bench.devicePath)])?.first, "org.bluez.Error.DoesNotExist")
        },
    ]
}
