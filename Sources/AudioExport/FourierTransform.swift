internal import Glibc

/// The discrete Fourier transform of a power of two of real samples, under a window (Cooley and Tukey, radix 2).
struct FourierTransform {
    let size: Int
    private let window: [Double]
    private let cosines: [Double]
    private let sines: [Double]
    private let order: [Int]

    /// - Parameter size: a power of two.
    init(size: Int) {
        precondition(size > 1 && size & (size - 1) == 0, "not a power of two")
        self.size = size
        let angles = (0..<size).map { 2 * Double.pi * Double($0) / Double(size) }
        // Hann's, periodic.
        window = angles.map { 0.5 - 0.5 * cos($0) }
        cosines = angles.map(cos)
        sines = angles.map(sin)
        let bits = size.trailingZeroBitCount
        order = (0..<size).map { index in
            (0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) }
        }
    }

    /// The amplitudes of the frequencies from 0 up to and without half the sample rate: a sine of amplitude 1 whose
    /// frequency is one of them gives 1 there.
    func amplitudes(of samples: ArraySlice<Double>) -> [Double] {
        precondition(samples.count == size, "another count of samples")
        var real = order.map { samples[samples.startIndex + $0] * window[$0] }
        var imaginary = [Double](repeating: 0, count: size)
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in transform(real, imaginary) }
        }
        // The window lets half of an amplitude through, and half of a sine's is at the negative frequency.
        let scale = 4 / Double(size)
        return (0..<size / 2).map { bin in
            scale * (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]).squareRoot()
        }
    }

    private func transform(_ real: UnsafeMutableBufferPointer<Double>, _ imaginary: UnsafeMutableBufferPointer<Double>)
    {
        var half = 1
        while half < size {
            let step = size / (2 * half)
            for group in stride(from: 0, to: size, by: 2 * half) {
                for place in 0..<half {
                    let (upper, lower) = (group + place, group + place + half)
                    let (cosine, sine) = (cosines[place * step], sines[place * step])
                    let turnedReal = real[lower] * cosine + imaginary[lower] * sine
                    let turnedImaginary = imaginary[lower] * cosine - real[lower] * sine
                    real[lower] = real[upper] - turnedReal
                    imaginary[lower] = imaginary[upper] - turnedImaginary
                    real[upper] += turnedReal
                    imaginary[upper] += turnedImaginary
                }
            }
            half *= 2
        }
    }
}
