import Bluetooth
import Synchronization
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct SightingListTests {
    @Test func `ears appear once and change in their place`() {
        var list = SightingList()
        #expect(list.take(.unpaired(.second), at: .zero) == .appeared(.unpaired(.second)))
        #expect(list.take(.unpaired(), at: .zero) == .appeared(.unpaired()))
        #expect(list.take(.unpaired(.second), at: .seconds(1)) == nil)
        let closer = Sighting.unpaired(.second, rssi: -40)
        #expect(list.take(closer, at: .seconds(2)) == .changed(closer))
        #expect(list.present == [closer, .unpaired()])
    }

    @Test func `known ears appear when they are heard`() {
        var list = SightingList()
        #expect(list.take(.ears(), at: .zero) == .known(.ears()))
        let heard = Sighting.ears(rssi: -50)
        #expect(list.take(heard, at: .seconds(1)) == .appeared(heard))
    }

    @Test func `ten seconds of silence and they are gone, not a moment before`() {
        var list = SightingList()
        _ = list.take(.unpaired(), at: .seconds(1))
        _ = list.take(.unpaired(), at: .seconds(3))
        #expect(list.nextAgeing(after: .seconds(3)) == .seconds(13))
        #expect(list.age(at: .milliseconds(12_999)) == [])
        #expect(list.age(at: .seconds(13)) == [.gone(.unpaired(rssi: nil))])
        #expect(list.age(at: .seconds(60)) == [])
        #expect(list.present == [])
        #expect(list.everSeen == [.unpaired(rssi: nil)])
        #expect(list.take(.unpaired(), at: .seconds(61)) == .appeared(.unpaired()))
    }

    @Test func `bonded ears that fell silent stay as known`() {
        var list = SightingList()
        _ = list.take(.ears(rssi: -50), at: .zero)
        #expect(list.age(at: .seconds(10)) == [.gone(.ears())])
        #expect(list.present == [.ears()])
    }

    @Test func `connected ears do not advertise and are not gone`() {
        var list = SightingList()
        _ = list.take(.ears(rssi: -50, connected: true), at: .zero)
        #expect(list.age(at: .seconds(600)) == [])
    }

    @Test func `one address on two adapters is two entries`() {
        var list = SightingList()
        _ = list.take(.ears(), at: .zero)
        #expect(list.take(.ears(on: .one), at: .zero) == .known(.ears(on: .one)))
    }
}

@Suite struct ScanTests {
    @Test func `silence is told when it is ten seconds old, and the scan ends with its time`() async throws {
        let bench = try Bench(.init(heard: [.ears(.second), .unpaired()]))
        let events = Mutex<[ScanEvent]>([])
        let finder = bench.finder
        let (told, teller) = AsyncStream.makeStream(of: ScanEvent.self)
        let scan = Task {
            try await finder.scan(on: .zero, for: .seconds(15)) { event, _ in
                teller.yield(event)
                return false
            }
        }
        var iterator = told.makeAsyncIterator()
        for _ in 0..<2 {
            guard let event = await iterator.next() else { break }
            events.withLock { $0.append(event) }
        }
        try await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(10))
        if let event = await iterator.next() { events.withLock { $0.append(event) } }
        let expected: [ScanEvent] = [.known(.ears(.second)), .appeared(.unpaired()), .gone(.unpaired(rssi: nil))]
        #expect(events.withLock { $0 } == expected)
        try await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(5))
        #expect(try await scan.value == [.ears(.second), .unpaired(rssi: nil)])
    }

    @Test func `a scan ends as soon as it has heard enough`() async throws {
        let bench = try Bench(.init(heard: [.unpaired(), .unpaired(.second)]))
        let seen = try await bench.finder.scan(on: .zero, for: .seconds(15)) { event, _ in
            event.sighting.address == .first
        }
        #expect(seen == [.unpaired()])
    }
}
