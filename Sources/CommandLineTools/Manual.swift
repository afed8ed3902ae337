extension Program {
    /// The manual page (man 7 man), made from what the parser knows: it cannot say another thing than the help.
    func manual() -> String {
        var lines = [
            ".TH \(name.uppercased()) 1 \"\" \"espurr tools \(toolVersion)\"", ".SH NAME", roff("\(name) - \(summary)"),
            ".SH SYNOPSIS", ".B \(name)", roff("VERB [OPTION…]"), ".SH VERBS",
        ]
        for verb in verbs {
            let usage = usage(of: verb)
            lines += [".SS " + roff(usage.synopsis(program: name)), roff(usage.summary.capitalisedFirst + ".")]
            lines += usage.details.flatMap { [".PP", roff($0)] }
            let own = usage.options.filter { option in !commonOptions.contains(option) }
            lines += own.flatMap(entry)
        }
        lines += [".SH COMMON OPTIONS"] + commonOptions.flatMap(entry)
        lines += [".SH EXIT STATUS"]
        lines += ExitStatus.allCases.flatMap { [".TP", ".B \($0.rawValue)", roff($0.meaning.capitalisedFirst + ".")] }
        return lines.joined(separator: "\n")
    }

    private func entry(_ option: Option) -> [String] {
        [
            ".TP", ".B " + roff(String(option.synopsis.trimmingPrefix { $0 == " " })),
            roff(option.help.capitalisedFirst + "."),
        ]
    }

    private func roff(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
