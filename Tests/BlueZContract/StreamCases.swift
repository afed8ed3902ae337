import Bluetooth
import DBus

extension Case {
    /// AcquireWrite and AcquireNotify.
    static let streams = [
        Case("a stream of writes has the MTU's length, and leaves no other write") { bench in
            let link = try await bench.connect()
            try expect("before", try await link.property("WriteAcquired", of: link.stream), .boolean(false))
            let writes = try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20))
            try expect("length", writes.maximumLength, 512)
            try expect("acquired", try await link.property("WriteAcquired", of: link.stream), .boolean(true))
            let taken = ["org.bluez.Error.NotPermitted", "Write acquired"]
            try expect(
                "again", try await link.refusal("AcquireWrite", of: link.stream, [.properties([:])]), taken)
            try expect(
                "another write",
                try await link.refusal("WriteValue", of: link.stream, [.bytes([1]), .properties([:])]), taken)
            try expect(
                "this side",
                await failure { () throws(BluetoothError) in
                    try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20))
                }, .heldByOthers(ContractPeripheral.address))
            await writes.close()
            try await link.until("WriteAcquired", of: link.stream, is: .boolean(false))
            try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20)).close()
        },
        Case("notifications are acquired once, and given back") { bench in
            let link = try await bench.connect()
            try expect("before", try await link.property("NotifyAcquired", of: link.stream), .boolean(false))
            let stream = try await link.peripheral.openNotifications(of: link.stream, deadline: .seconds(20))
            try expect("length", stream.maximumLength, 514)
            try await link.until("NotifyAcquired", of: link.stream, is: .boolean(true))
            try expect(
                "again", try await link.refusal("AcquireNotify", of: link.stream, [.properties([:])]),
                ["org.bluez.Error.NotPermitted", "Notify acquired"])
            await stream.close()
            try await link.until("NotifyAcquired", of: link.stream, is: .boolean(false))
            try await link.peripheral.openNotifications(of: link.stream, deadline: .seconds(20)).close()
        },
        Case("nothing is acquired of a characteristic without the property") { bench in
            let link = try await bench.connect()
            for member in ["AcquireWrite", "AcquireNotify"] {
                try expect(
                    member, try await link.refusal(member, of: link.value, [.properties([:])])?.first,
                    "org.bluez.Error.NotSupported")
            }
        },
        Case("400 writes of 512 bytes arrive, all and in order") { bench in
            let link = try await bench.connect()
            let writes = try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20))
            for number in UInt32(0)..<400 {
                let value = number.littleEndianBytes + [UInt8](repeating: 7, count: writes.maximumLength - 4)
                try await writes.write(value, deadline: .seconds(20))
            }
            let counters = try await link.counted(packets: 400)
            try expect("packets", counters.packets, 400)
            try expect("bytes", counters.bytes, 400 * 512)
            try expect("misplaced", counters.misplaced, 0)
        },
        Case("what was written before a stream is closed still arrives") { bench in
            let link = try await bench.connect()
            let writes = try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20))
            for number in UInt32(0)..<100 {
                try await writes.write(number.littleEndianBytes, deadline: .seconds(20))
            }
            await writes.close()
            try expect("packets", try await link.counted(packets: 100).packets, 100)
        },
        Case("a packet over 512 bytes is cut in silence, and the client sends none") { bench in
            let link = try await bench.connect()
            let reply = try await bench.call(
                "AcquireWrite", of: Link.interface, at: link.stream.handle, [.properties([:])])
            guard case .fileDescriptor(let descriptor)? = reply.first else {
                throw Disagreement(description: "no descriptor")
            }
            try expect("MTU", reply.last, .uint16(517))
            try expect("sent", send(514, to: descriptor), 514)
            try expect("longest", try await link.counted(packets: 1).longest, 512)
        },
        Case("300 notifications come, all and in order, while others are awaited") { bench in
            let link = try await bench.connect()
            let stream = try await link.peripheral.openNotifications(of: link.stream, deadline: .seconds(20))
            try await link.tell(.notify(count: 300, length: 200))
            for number in UInt32(0)..<300 {
                let value = try await stream.next(deadline: .seconds(20))
                try expect("length", value.count, 200)
                try expect("place", value.number(at: 0, 4), number)
            }
            await stream.close()
        },
        Case("a flood of notifications over the limit is told as a loss, after those before it") { bench in
            let slow = try await bench.with(BlueZLimits(unreadNotifications: 16))
            let link = try await slow.connect()
            let stream = try await link.peripheral.openNotifications(of: link.stream, deadline: .seconds(20))
            try await link.tell(.notify(count: 200, length: 200))
            try await link.until("NotifyAcquired", of: link.stream, is: .boolean(false))
            for number in UInt32(0)..<16 {
                try expect("place", try await stream.next(deadline: .seconds(20)).number(at: 0, 4), number)
            }
            try expect(
                "the end", await failure { () throws(BluetoothError) in try await stream.next(deadline: .seconds(20)) },
                .notificationsLost(limit: 16))
            try expect("the link", try await link.read(link.control).count, 16)
        },
        Case("a lost link ends both streams as that, and BlueZ lives on") { bench in
            let link = try await bench.connect()
            let writes = try await link.peripheral.openWrites(to: link.stream, deadline: .seconds(20))
            let stream = try await link.peripheral.openNotifications(of: link.stream, deadline: .seconds(20))
            let daemon = try await bench.bus.owner(of: "org.bluez")
            try await link.tell(.dropLink(afterMilliseconds: 300))
            try expect(
                "notifications",
                await failure { () throws(BluetoothError) in try await stream.next(deadline: .seconds(20)) },
                .linkLost(during: .awaitNotification))
            await link.peripheral.linkEnded()
            try expect(
                "writes",
                await failure { () throws(BluetoothError) in
                    // The link is told of before the descriptor is closed.
                    for _ in 0..<100 { try await writes.write([1], deadline: .seconds(20)) }
                }, .linkLost(during: .writeWithoutResponse))
            let again = try await bench.connect()
            try expect("daemon", try await bench.bus.owner(of: "org.bluez"), daemon)
            try expect("acquired", try await again.property("WriteAcquired", of: again.stream), .boolean(false))
            try expect("acquired", try await again.property("NotifyAcquired", of: again.stream), .boolean(false))
        },
    ]
}
