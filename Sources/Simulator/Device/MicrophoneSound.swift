import Glibc

/// What the simulated microphone hears: the same at each start, with something in it for every measurement.
///
/// Every 2.5 s: a tone with two overtones, a sweep from 250 Hz to 6.5 kHz, a click, a purr; below it all faint noise.
struct MicrophoneSound: Sendable {
    static let sampleRate = 16_000
    private static let period = 2.5
    private static let fullScale = 32_768.0

    let microphone: Fault.Microphone?

    func samples(_ count: Int) -> [Int16] {
        guard microphone != .dead else { return [Int16](repeating: 0, count: count) }
        var generator = SplitMix64(seed: 0xEA5)
        var purr = 0.0
        return (0..<count).map { frame in
            let time = Double(frame) / Double(Self.sampleRate)
            let noise = Double.random(in: -1...1, using: &generator)
            purr += 0.2 * (noise - purr)
            return sample(at: time.truncatingRemainder(dividingBy: Self.period), noise: noise, purr: purr)
        }
    }

    private func sample(at time: Double, noise: Double, purr: Double) -> Int16 {
        var value = 0.001 * noise + sweep(at: time) + click(at: time)
        value += tone(at: time) * (microphone == .loud ? 16 : 1)
        value += 0.7 * purr * (0.5 + 0.5 * sin(2 * .pi * 25 * time)) * swell(time, 1.7...2.4)
        if microphone == .offset { value += 0.06 }
        // What is louder than the converter can say stays at its ends.
        return Int16(min(max((value * Self.fullScale).rounded(), -32_768), 32_767))
    }

    private func tone(at time: Double) -> Double {
        let overtones: [(Double, Double)] = [(440, 0.12), (880, 0.06), (1320, 0.03)]
        return swell(time, 0.1...0.7) * overtones.reduce(0) { $0 + $1.1 * sin(2 * .pi * $1.0 * time) }
    }

    /// Each tenth of a second by the same factor.
    private func sweep(at time: Double) -> Double {
        let (begin, length, low, high) = (0.8, 0.7, 250.0, 6500.0)
        let growth = log(high / low) / length
        let phase = 2 * .pi * low * (exp(growth * (time - begin)) - 1) / growth
        return 0.15 * sin(phase) * swell(time, begin...begin + length)
    }

    private func click(at time: Double) -> Double {
        let since = time - 1.6
        guard since >= 0, since < 0.01 else { return 0 }
        return 0.6 * exp(-since * 1500) * cos(2 * .pi * 2500 * since)
    }

    /// 1 in the range, 0 outside it, with 20 ms of rise and fall.
    private func swell(_ time: Double, _ range: ClosedRange<Double>) -> Double {
        guard range.contains(time) else { return 0 }
        let edge = min(time - range.lowerBound, range.upperBound - time) / 0.02
        return edge >= 1 ? 1 : 0.5 - 0.5 * cos(.pi * edge)
    }
}
