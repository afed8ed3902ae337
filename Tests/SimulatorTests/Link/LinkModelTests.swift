import TestSupport
import Testing

@testable import Simulator

@Suite struct `A modelled link` {
    /// 7.5 ms, 1M, packets of 251 bytes, encrypted.
    private static let settings = LinkSettings(interval: .milliseconds(7.5))
    /// With L2CAP's header it fills a packet of 251 bytes.
    private static let full = 247

    private func link(_ settings: LinkSettings = settings, seed: UInt64 = 1) -> LinkModel<Int> {
        LinkModel(settings, seed: seed, openedAt: .zero)
    }

    /// Runs it until nothing more happens, or for so many events.
    private func run(_ link: inout LinkModel<Int>, events: Int = .max) -> [LinkModel<Int>.Delivery] {
        var deliveries: [LinkModel<Int>.Delivery] = []
        while let next = link.nextDeadline, link.count.events <= events { deliveries += link.advance(to: next) }
        return deliveries
    }

    private func times(of deliveries: [LinkModel<Int>.Delivery]) -> [Duration] { deliveries.map(\.time) }

    @Test func `a message goes at the next event and arrives with its last bit`() {
        var link = link()
        link.send(1, bytes: Self.full, from: .central, at: .zero)
        // Preamble, access address, header, 251 bytes, integrity check and CRC: 265 bytes of 8 µs.
        #expect(times(of: run(&link)) == [.microseconds(7500 + 2120)])
        link.send(2, bytes: 1, from: .central, at: .milliseconds(20))
        #expect(times(of: run(&link)) == [.microseconds(22_500 + 19 * 8)])
    }

    @Test func `an event begins at its anchor point, however long nothing was said`() {
        var link = link()
        link.send(1, bytes: Self.full, from: .central, at: .seconds(3))
        #expect(times(of: run(&link)) == [.microseconds(3_000_000 + 2120)])
        link.send(2, bytes: Self.full, from: .central, at: .seconds(3) + .milliseconds(7))
        #expect(times(of: run(&link)) == [.microseconds(3_007_500 + 2120)])
    }

    @Test func `nothing happens where nothing is to be said`() {
        var link = link()
        #expect(link.nextDeadline == nil)
        link.send(1, bytes: 1, from: .central, at: .zero)
        _ = run(&link)
        #expect(link.nextDeadline == nil && link.count.events == 1)
    }

    @Test func `the 2M PHY takes half the time for a byte, and one more byte`() {
        var settings = Self.settings
        settings.physicalLayer = .le2M
        var link = link(settings)
        link.send(1, bytes: Self.full, from: .central, at: .zero)
        #expect(times(of: run(&link)) == [.microseconds(7500 + 266 * 4)])
    }

    @Test func `without encryption there is no integrity check`() {
        var settings = Self.settings
        settings.isEncrypted = false
        var link = link(settings)
        link.send(1, bytes: Self.full, from: .central, at: .zero)
        #expect(times(of: run(&link)) == [.microseconds(7500 + 261 * 8)])
    }

    @Test(arguments: [(247, 251, 1), (248, 251, 2), (516, 251, 3), (247, 27, 10), (512, 27, 20), (20, 27, 1)])
    func `a message is cut into packets of the data length`(bytes: Int, dataLength: Int, packets: Int) {
        var settings = Self.settings
        settings.interval = .milliseconds(100)
        settings.dataLength = dataLength
        var link = link(settings)
        link.send(1, bytes: bytes, from: .central, at: .zero)
        #expect(run(&link).count == 1)
        #expect(link.count.packets == 2 * packets)
    }

    @Test(arguments: [(PhysicalLayer.le1M, nil, 3), (.le2M, nil, 5), (.le1M, 2, 2), (.le2M, 1, 1), (.le1M, 9, 3)])
    func `an event has as many packets as fit, and as the controllers allow`(
        layer: PhysicalLayer, limit: Int?, packets: Int
    ) {
        var settings = Self.settings
        settings.physicalLayer = layer
        settings.packetsPerEvent = limit
        var link = link(settings)
        for message in 0..<packets * 3 { link.send(message, bytes: Self.full, from: .central, at: .zero) }
        let deliveries = run(&link)
        #expect(deliveries.map(\.message) == Array(0..<packets * 3))
        #expect(link.count.events == 3 && link.count.packets == packets * 6)
        // Each event has closed T_IFS before the next.
        let ends = deliveries.enumerated().filter { $0.offset % packets == packets - 1 }.map(\.element.time)
        let answer = Duration.microseconds(150) + settings.airTime(of: 0)
        for (event, end) in zip(1..., ends) {
            #expect(end + answer <= settings.interval * (event + 1) - .microseconds(150))
        }
    }

    @Test func `an answer waits for the next event, the one to that for one more`() {
        var link = link()
        link.send(1, bytes: 7, from: .central, at: .zero)
        let request = run(&link)
        link.send(2, bytes: 1, from: .peripheral, at: request[0].time)
        let reply = run(&link)
        // The central's empty packet, the space, and 19 bytes.
        #expect(reply.map(\.receiver) == [.central])
        #expect(times(of: reply) == [.microseconds(15_000 + 80 + 150 + 19 * 8)])
        link.send(3, bytes: 7, from: .central, at: reply[0].time)
        #expect(times(of: run(&link)) == [.microseconds(22_500 + 25 * 8)])
    }

    @Test func `a notification goes along with what the central sends`() {
        var link = link()
        for message in 0..<2 { link.send(message, bytes: Self.full, from: .central, at: .zero) }
        link.send(2, bytes: 20, from: .peripheral, at: .zero)
        let deliveries = run(&link)
        #expect(deliveries.map(\.message) == [0, 2, 1])
        #expect(link.count.events == 1)
    }

    @Test func `after two damaged packets in a row an event is over`() {
        var settings = Self.settings
        settings.loss = 0.999_999
        var link = link(settings)
        link.send(1, bytes: Self.full, from: .central, at: .zero)
        #expect(run(&link, events: 20).isEmpty)
        // The packet, its answer, the packet again: the peripheral had two that it could not read.
        #expect(link.count.packets == 3 * (link.count.events - 1))
    }

    @Test(arguments: [0.01, 0.1, 0.4], 0..<20 as Range<UInt64>)
    func `whatever is damaged, every message arrives, once and in order, both ways`(loss: Double, seed: UInt64) {
        var settings = Self.settings
        settings.loss = loss
        var link = link(settings, seed: seed)
        var random = SeededRandom(seed: seed)
        var (toPeripheral, toCentral): ([Int], [Int]) = ([], [])
        var sent = (central: 0, peripheral: 0)
        while sent.central + sent.peripheral < 60 || link.nextDeadline != nil {
            let now = link.nextDeadline ?? .milliseconds(Int.random(in: 1...40, using: &random))
            for delivery in link.advance(to: now) {
                if delivery.receiver == .peripheral {
                    toPeripheral.append(delivery.message)
                } else {
                    toCentral.append(delivery.message)
                }
            }
            guard sent.central + sent.peripheral < 60, Int.random(in: 0..<3, using: &random) == 0 else { continue }
            let bytes = Int.random(in: 1...600, using: &random)
            if Bool.random(using: &random) {
                link.send(sent.central, bytes: bytes, from: .central, at: now)
                sent.central += 1
            } else {
                link.send(sent.peripheral, bytes: bytes, from: .peripheral, at: now)
                sent.peripheral += 1
            }
        }
        #expect(toPeripheral == Array(0..<sent.central))
        #expect(toCentral == Array(0..<sent.peripheral))
        #expect(link.count.damaged > 0 || loss < 0.1)
    }
}
