import ControlProtocol
import Testing

@testable import Simulator

@Suite struct `The ears' stream characteristic` {
    private let image = [UInt8]([0xE9]) + (1..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private func receiving(_ link: inout TestLink) throws -> UInt32 {
        let begin = UpdateRequest.begin(
            size: UInt32(image.count), sha256: [UInt8](repeating: 1, count: 32), family: "esp32", version: "1.5.0")
        let session = try link.update(begin).session
        link.wait(.seconds(5))
        return session
    }

    private func credits(_ link: inout TestLink) throws -> [StreamCredit] {
        link.wait(.zero)
        defer { link.effects = [] }
        return try link.effects.compactMap { effect in
            guard case .notification(.updateStream, let value) = effect else { return nil }
            return try StreamCredit(decoding: value)
        }
    }

    private func send(_ range: Range<Int>, _ link: inout TestLink) {
        let chunk = StreamChunk(offset: UInt32(range.lowerBound), data: Array(image[range]))
        link.ears.command(chunk.encoded(), to: .updateStream, at: link.now)
    }

    @Test func `the first credit comes once the slot is erased, and when somebody subscribes later`() throws {
        var link = TestLink()
        link.ears.subscribe(true, at: link.now)
        let told1 = try credits(&link)
        #expect(told1 == [])
        let session = try receiving(&link)
        let first = StreamCredit(session: session, state: .receiving, nextOffset: 0, creditEnd: 16 << 10)
        let told2 = try credits(&link)
        #expect(told2 == [first])
        link.ears.subscribe(false, at: link.now)
        link.ears.subscribe(true, at: link.now)
        let told3 = try credits(&link)
        #expect(told3 == [first])
    }

    @Test func `credit is renewed when half of it is used up`() throws {
        var link = TestLink()
        _ = try receiving(&link)
        link.ears.subscribe(true, at: link.now)
        _ = try credits(&link)
        for start in stride(from: 0, to: 8000, by: 200) { send(start..<start + 200, &link) }
        let told4 = try credits(&link)
        #expect(told4 == [])
        send(8000..<8192, &link)
        let told = try credits(&link)
        #expect(told.map(\.nextOffset) == [8192] && told.map(\.creditEnd) == [8192 + (16 << 10)])
    }

    @Test func `a gap is told once, what follows it is dropped, and what came before does no harm`() throws {
        var link = TestLink()
        let session = try receiving(&link)
        link.ears.subscribe(true, at: link.now)
        _ = try credits(&link)
        send(0..<200, &link)
        send(400..<600, &link)
        send(600..<800, &link)
        let gaps = try credits(&link)
        #expect(
            gaps == [
                StreamCredit(
                    session: session, state: .receiving, nextOffset: 200, creditEnd: 16 << 10, refusal: .wrongOffset)
            ])
        send(0..<200, &link)
        send(200..<400, &link)
        let told5 = try credits(&link)
        #expect(told5 == [])
        let next = try link.update(.status).nextOffset
        #expect(next == 400)
    }

    @Test func `a status renews the credit, and nobody who did not subscribe is told anything`() throws {
        var link = TestLink()
        _ = try receiving(&link)
        send(0..<200, &link)
        _ = try link.status()
        let told6 = try credits(&link)
        #expect(told6 == [])
        link.ears.subscribe(true, at: link.now)
        _ = try credits(&link)
        _ = try link.status()
        let told7 = try credits(&link)
        #expect(told7.map(\.nextOffset) == [200])
    }

    @Test func `ears without the capability take nothing`() throws {
        var link = TestLink([.without(.updateStream)])
        _ = try receiving(&link)
        link.ears.subscribe(true, at: link.now)
        send(0..<200, &link)
        let told8 = try credits(&link)
        #expect(told8 == [])
        let next = try link.update(.status).nextOffset
        #expect(next == 0)
    }

    @Test func `it is neither read nor written with a response`() {
        var link = TestLink()
        #expect(throws: GATTFailure.attribute(.writeNotPermitted)) {
            try link.ears.write([1], to: .updateStream, at: link.now)
        }
        #expect(throws: GATTFailure.attribute(.readNotPermitted)) {
            try link.ears.read(.updateStream, at: link.now)
        }
    }
}
