/// An SVG document as it is put together: numbers short, text escaped.
struct SVGText {
    private(set) var text = ""

    mutating func line(_ markup: String) { text += markup + "\n" }

    mutating func rectangle(_ frame: PlotFrame, _ attributes: String) {
        line(
            "<rect x=\"\(short(frame.left))\" y=\"\(short(frame.top))\" width=\"\(short(frame.width))\" "
                + "height=\"\(short(frame.height))\" \(attributes)/>")
    }

    mutating func words(_ words: String, _ x: Double, _ y: Double, _ attributes: String = "") {
        line("<text x=\"\(short(x))\" y=\"\(short(y))\" \(attributes)>\(escaped(words))</text>")
    }

    mutating func path(_ data: String, _ attributes: String) { line("<path d=\"\(data)\" \(attributes)/>") }
}

/// A rectangle in the document's units.
struct PlotFrame: Hashable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    var right: Double { left + width }
    var bottom: Double { top + height }
}

/// At most two decimals, and no more of them than it needs.
func short(_ value: Double) -> String { decimal(value, 2, trimmed: true) }

/// With so many decimals, rounded.
func decimal(_ value: Double, _ places: Int, trimmed: Bool = false) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let units = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    var fraction = String(units % scale + scale).dropFirst()
    if trimmed { while fraction.last == "0" { fraction.removeLast() } }
    return sign + String(units / scale) + (fraction.isEmpty ? "" : "." + fraction)
}

/// As text of XML 1.0: markup escaped, and what no document may hold replaced.
func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        default:
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isNone = scalar.value & 0xFFFE == 0xFFFE
            // Marks that turn the direction of text would turn the document's own.
            let turns =
                (0x200E...0x200F).contains(scalar.value) || (0x2028...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value)
            escaped.unicodeScalars.append(isControl || isNone || turns ? "\u{FFFD}" : scalar)
        }
    }
}

/// Bytes as they stand in a `data:` URL (RFC 4648 4).
func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = (0..<3).map { start + $0 < bytes.count ? Int(bytes[start + $0]) : 0 }
        let value = group[0] << 16 | group[1] << 8 | group[2]
        for place in 0..<4 {
            let isPadding = start + place > bytes.count
            text.append(isPadding ? UInt8(ascii: "=") : digits[value >> (18 - 6 * place) & 63])
        }
    }
    return String(decoding: text, as: UTF8.self)
}
