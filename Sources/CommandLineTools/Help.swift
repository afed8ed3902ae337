extension Usage {
    /// The verb's help, wrapped to `width` columns.
    ///
    /// - Parameter more: lines that follow it.
    public func help(program: String, width: Int, more: [String] = []) -> String {
        var lines = ("usage: " + synopsis(program: program)).lines(within: width)
        lines += [""] + wrap(summary.capitalisedFirst + ".", width: width)
        if !options.isEmpty {
            lines += ["", "Options:"]
            lines += table(options.map { ($0.synopsis, $0.help) }, width: width)
        }
        for paragraph in details { lines += [""] + wrap(paragraph, width: width) }
        if !more.isEmpty { lines += [""] + more.flatMap { $0.lines(within: width) } }
        return lines.joined(separator: "\n") + "\n"
    }

    public func synopsis(program: String) -> String {
        [program, name, options.isEmpty ? "" : "[OPTION…]", operands.synopsis].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

extension Option {
    var synopsis: String {
        let long = value.map { "\(name) \($0)" } ?? name
        return short.map { "\($0), \(long)" } ?? "    \(long)"
    }
}

extension String {
    /// Spaces after it up to a width in characters.
    public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }

    var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// Two columns, the second wrapped; where there is no room for it beside the first, below it.
func table(_ rows: [(String, String)], width: Int) -> [String] {
    let widest = min(rows.map(\.0.count).max() ?? 0, 30)
    let left = width - widest - 4 >= 20 ? widest : 6
    return rows.flatMap { label, text -> [String] in
        let lines = wrap(text, width: max(width - left - 4, 20))
        let indented = lines.enumerated().map { index, line in
            let head = index == 0 && label.count <= left ? label : ""
            return "  " + head + String(repeating: " ", count: left - head.count + 2) + line
        }
        return label.count <= left ? indented : ["  " + label] + indented
    }
}
