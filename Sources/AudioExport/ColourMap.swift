/// Colours for levels: from dark to light without a step back, so that they keep their order in greyscale and for eyes
/// that tell fewer colours apart.
enum ColourMap {
    struct Colour: Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    /// Through black, violet, red and orange to light yellow.
    private static let stops: [(Double, Double, Double)] = [
        (0, 0, 4), (22, 11, 57), (66, 10, 104), (106, 23, 110), (147, 38, 103), (188, 55, 84), (221, 81, 58),
        (243, 120, 25), (252, 165, 10), (246, 215, 70), (252, 255, 164),
    ]

    static let count = 255

    /// ``count`` colours.
    static let colours: [Colour] = (0..<count).map { index in
        let place = Double(index) / Double(count - 1) * Double(stops.count - 1)
        let stop = min(Int(place), stops.count - 2)
        let share = place - Double(stop)
        func mixed(_ part: KeyPath<(Double, Double, Double), Double>) -> UInt8 {
            UInt8((stops[stop][keyPath: part] * (1 - share) + stops[stop + 1][keyPath: part] * share).rounded())
        }
        return Colour(red: mixed(\.0), green: mixed(\.1), blue: mixed(\.2))
    }
}
