/// Where a plot shows that something is missing or clipped, by columns: so there are never more marks than columns.
struct PlotMarks {
    private let columns: Int
    private let missing: [Range<Int>]
    private let clipped: [Range<Int>]

    init(_ sound: Sound, clipped: [Range<Int>], columns: Int) {
        self.columns = columns
        let frames = max(sound.frames, 1)
        func columnRanges(_ ranges: [Range<Int>]) -> [Range<Int>] {
            var marked: [Range<Int>] = []
            for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                let start = range.lowerBound * columns / frames
                let end = max(start + 1, (range.upperBound * columns + frames - 1) / frames)
                if let last = marked.last, start <= last.upperBound {
                    marked[marked.count - 1] = last.lowerBound..<max(last.upperBound, end)
                } else {
                    marked.append(start..<end)
                }
            }
            return marked
        }
        missing = columnRanges(sound.missing)
        self.clipped = columnRanges(clipped)
    }

    static let clippedColour = "#c43c00"

    func drawMissing(on frame: PlotFrame, in document: inout SVGText) {
        for range in missing {
            document.rectangle(place(range, on: frame), "fill=\"url(#missing)\"")
        }
    }

    /// A bar with a triangle at each of its ends, on the edges of the panel.
    func drawClipped(on frame: PlotFrame, in document: inout SVGText) {
        for range in clipped {
            let place = place(range, on: frame)
            document.rectangle(place, "fill=\"\(Self.clippedColour)\" fill-opacity=\"0.14\"")
            let middle = short(place.left + place.width / 2)
            document.path(
                "M\(middle) \(short(frame.top + 7))l-5 -7h10zM\(middle) \(short(frame.bottom - 7))l-5 7h10z",
                "fill=\"\(Self.clippedColour)\"")
            var edge = place
            edge.height = 3
            document.rectangle(edge, "fill=\"\(Self.clippedColour)\"")
            edge.top = frame.bottom - 3
            document.rectangle(edge, "fill=\"\(Self.clippedColour)\"")
        }
    }

    /// From the right, what there is to explain.
    func drawLegend(right: Double, baseline: Double, in document: inout SVGText) {
        var x = right
        if !missing.isEmpty {
            document.words("missing", x, baseline, "text-anchor=\"end\"")
            document.rectangle(
                PlotFrame(left: x - 66, top: baseline - 10, width: 16, height: 12), "fill=\"url(#missing)\"")
            x -= 84
        }
        if !clipped.isEmpty {
            document.words("clipped", x, baseline, "text-anchor=\"end\"")
            document.path(
                "M\(short(x - 55)) \(short(baseline + 1))l-6 -9h12z", "fill=\"\(Self.clippedColour)\"")
        }
    }

    private func place(_ range: Range<Int>, on frame: PlotFrame) -> PlotFrame {
        let unit = frame.width / Double(columns)
        let left = frame.left + Double(range.lowerBound) * unit
        return PlotFrame(
            left: left, top: frame.top, width: min(Double(range.count) * unit, frame.right - left), height: frame.height
        )
    }
}
