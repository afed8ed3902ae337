internal import Glibc

/// Round numbers along an axis.
struct AxisTicks {
    let values: [Double]
    /// Decimals that tell them apart.
    let places: Int

    /// Multiples of 1, 2 or 5 times a power of ten, about as many as wanted.
    init(_ range: ClosedRange<Double>, about count: Int) {
        let span = max(range.upperBound - range.lowerBound, 1e-9)
        let raw = span / Double(max(count, 1))
        let power = pow(10, log10(raw).rounded(.down))
        let step = power * ([1, 2, 5].first { $0 * power >= raw * 0.999 } ?? 10)
        let first = (range.lowerBound / step - 1e-9).rounded(.up)
        let last = (range.upperBound / step + 1e-9).rounded(.down)
        values = stride(from: first, through: last, by: 1).map { $0 * step }
        places = max(0, Int(-log10(step * 1.001).rounded(.down)))
    }
}
