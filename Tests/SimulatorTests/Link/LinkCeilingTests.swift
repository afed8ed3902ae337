import Testing

@testable import Simulator

/// The formula itself is compared with `Tests/LinkSpeed/ceiling.py`.
@Suite struct `What a link can carry` {
    /// Kilobits of values a second that a flood of messages reaches.
    private func flood(_ settings: LinkSettings, value: Int) -> Double {
        var link = LinkModel<Int>(settings, seed: 7, openedAt: .zero)
        let count = 4000
        for message in 0..<count { link.send(message, bytes: value + 3, from: .central, at: .zero) }
        while let next = link.nextDeadline { _ = link.advance(to: next) }
        return Double(count * value * 8) / (Double(link.count.events) * (settings.interval / .milliseconds(1)))
    }

    @Test(arguments: [
        // NimBLE's and Bluedroid's examples, at 7.5 ms.
        (PhysicalLayer.le1M, 2, 500.0, 0.05), (.le2M, 5, 1401.0, 0.08),
    ])
    func `with the published settings it is near what was published, and a flood reaches it`(
        layer: PhysicalLayer, packets: Int, published: Double, near: Double
    ) {
        let settings = LinkSettings(
            interval: .milliseconds(7.5), packetsPerEvent: packets, physicalLayer: layer,
            maximumTransmissionUnit: 247)
        let ceiling = LinkCeiling(settings).stream * 8 / 1000
        #expect(abs(ceiling / published - 1) < near)
        #expect(abs(flood(settings, value: 244) / ceiling - 1) < 0.001)
    }

    @Test(arguments: [PhysicalLayer.le1M, .le2M], [20, 100, 244, 300, 495, 512])
    func `a flood reaches the ceiling of its length`(layer: PhysicalLayer, value: Int) {
        let settings = LinkSettings(
            interval: .milliseconds(15), physicalLayer: layer, maximumTransmissionUnit: 517)
        let ceiling = LinkCeiling(settings).stream(ofValues: value) * 8 / 1000
        #expect(abs(flood(settings, value: value) / ceiling - 1) < 0.005)
    }

    @Test func `with loss a flood comes within a hundredth of it`() {
        let settings = LinkSettings(
            interval: .milliseconds(30), packetsPerEvent: 8, maximumTransmissionUnit: 247, loss: 0.01)
        let ratio = flood(settings, value: 244) / (LinkCeiling(settings).stream * 8 / 1000)
        #expect((0.99...1.01).contains(ratio))
    }

    @Test func `values that fill their packets carry the most`() {
        let settings = LinkSettings(
            interval: .milliseconds(7.5), packetsPerEvent: 2, maximumTransmissionUnit: 517)
        let ceiling = LinkCeiling(settings)
        // Two whole packets in an event; 512 bytes need three, one and a half events.
        #expect(ceiling.stream == 495 / 0.0075)
        #expect(abs(ceiling.stream(ofValues: 512) - 512 / 0.011_25) < 0.001)
    }

    @Test func `an exchange takes four events, each packet one`() {
        let settings = LinkSettings(interval: .milliseconds(30), maximumTransmissionUnit: 517)
        // 496 bytes of data in a message of 512.
        #expect(abs(LinkCeiling(settings).exchange - 496 / 0.12) < 0.001)
    }
}
