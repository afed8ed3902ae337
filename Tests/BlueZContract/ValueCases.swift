import Bluetooth
import DBus

extension Case {
    /// Reads and writes.
    static let values = [
        Case("a value is written and read back") { bench in
            let link = try await bench.connect()
            try await link.write([1, 2, 3], to: link.value)
            try expect("value", try await link.read(link.value), [1, 2, 3])
        },
        Case("a read that is sent with a write is answered after it") { bench in
            let link = try await bench.connect()
            for number in 0..<100 {
                let value = [UInt8](repeating: UInt8(number), count: 1 + number * 5)
                let answer = try await link.peripheral.exchange(
                    value, with: link.value, deadline: .seconds(20), overlapping: true)
                try expect("answer \(number)", answer, value)
            }
        },
        Case("a value of 512 bytes arrives whole, both ways") { bench in
            let link = try await bench.connect()
            let value = (0..<512).map { UInt8($0 % 251) }
            try await link.write(value, to: link.value)
            try expect("value", try await link.read(link.value), value)
        },
        Case("a value of 513 bytes is refused by this side, and by BlueZ") { bench in
            let link = try await bench.connect()
            let value = [UInt8](repeating: 1, count: 513)
            try expect(
                "by this side",
                await failure { () throws(BluetoothError) in try await link.write(value, to: link.value) },
                .rejected(.write))
            try expect(
                "by BlueZ",
                try await link.refusal("WriteValue", of: link.value, [.bytes(value), .properties([:])]),
                ["org.bluez.Error.InvalidArguments", "Invalid Length"])
        },
        Case("a descriptor is read") { bench in
            let link = try await bench.connect()
            let name = try await link.peripheral.readDescriptor(
                .userDescription, of: link.value, deadline: .seconds(20))
            try expect("name", String(decoding: name, as: UTF8.self), ContractPeripheral.valueName)
        },
        Case("BlueZ says yes to a write without response where the characteristic has none") { bench in
            let link = try await bench.connect()
            try expect(
                "refusal",
                try await link.refusal(
                    "WriteValue", of: link.value, [.bytes([9]), .properties(["type": .string("command")])]), nil)
        },
        Case("a second write of the same characteristic is in progress while the first waits") { bench in
            let link = try await bench.connect()
            try await link.tell(.keepSilent)
            let first = Task {
                await failure { () throws(BluetoothError) in try await link.write([1], to: link.value) }
            }
            try await Task.sleep(for: .milliseconds(500))
            try expect(
                "BlueZ", try await link.refusal("WriteValue", of: link.value, [.bytes([2]), .properties([:])])?.first,
                "org.bluez.Error.InProgress")
            try expect(
                "this side",
                await failure { () throws(BluetoothError) in try await link.write([2], to: link.value) },
                .busy(.write))
            try await link.peripheral.disconnect()
            try expect("the first", await first.value, .linkLost(during: .write))
        },
        Case("a read without an answer ends at the deadline of this side") { bench in
            let link = try await bench.connect()
            try await link.tell(.keepSilent)
            try expect(
                "read",
                await failure { () throws(BluetoothError) in try await link.read(link.value, within: .seconds(3)) },
                .deadline(.read, after: .seconds(3)))
        },
        Case("a write without an answer fails after thirty seconds, and the link goes", slow: true) { bench in
            let link = try await bench.connect()
            try await link.tell(.keepSilent)
            let start = ContinuousClock.now
            let error = await failure { () throws(BluetoothError) in
                try await link.peripheral.write([1], to: link.value, deadline: .seconds(60))
            }
            try expect("write", error, .linkLost(during: .write))
            let took = ContinuousClock.now - start
            try expect("took \(took)", took > .seconds(25) && took < .seconds(50), true)
        },
        Case("a link that drops in the middle of a read ends it at once") { bench in
            let link = try await bench.connect()
            try await link.tell(.dropLink(afterMilliseconds: 700))
            try await link.tell(.keepSilent)
            try expect(
                "read", await failure { () throws(BluetoothError) in try await link.read(link.value) },
                .linkLost(during: .read))
            try expect(
                "afterwards", try await link.refusal("ReadValue", of: link.value, [.properties([:])])?.first,
                "org.bluez.Error.Failed")
        },
    ]

    /// ATT errors as BlueZ names them, and as the client understands them.
    static let errors = answers.map { code, name, text, meaning in
        Case("ATT 0x\(code < 16 ? "0" : "")\(String(code, radix: 16)) has its name and its meaning") { bench in
            let link = try await bench.connect()
            try await link.tell(.refuse(code: code))
            try expect(
                "BlueZ", try await link.refusal("WriteValue", of: link.value, [.bytes([1]), .properties([:])]),
                ["org.bluez.Error." + name, text])
            try await link.tell(.refuse(code: code))
            try expect(
                "this side", await failure { () throws(BluetoothError) in try await link.read(link.value) }, meaning)
        }
    }

    private static let answers: [(UInt8, String, String, BluetoothError)] = [
        (0x02, "NotPermitted", "Read not permitted", .attribute(code: 0x02, during: .read)),
        (0x03, "NotPermitted", "Write not permitted", .attribute(code: 0x03, during: .read)),
        (0x04, "Failed", "Operation failed with ATT error: 0x04", .attribute(code: 0x04, during: .read)),
        (0x06, "NotSupported", "Operation is not supported", .rejected(.read)),
        (0x07, "InvalidArguments", "Invalid offset", .attribute(code: 0x07, during: .read)),
        (0x08, "NotAuthorized", "Operation Not Authorized", .attribute(code: 0x08, during: .read)),
        (0x0d, "InvalidArguments", "Invalid Length", .attribute(code: 0x0d, during: .read)),
        (0x0e, "Failed", "Operation failed with ATT error: 0x0e", .attribute(code: 0x0e, during: .read)),
        (0x80, "Failed", "Operation failed with ATT error: 0x80", .attribute(code: 0x80, during: .read)),
        (0xff, "Failed", "Operation failed with ATT error: 0xff", .attribute(code: 0xff, during: .read)),
    ]
}
