/// Lines that are broken at words, so that a terminal does not break them within one.
///
/// Text goes on below `column`, in characters. Together stay what is quoted (“…”), a number and the sign behind it, and
/// one of the commands with its verb and the options behind that: where it is copied from a terminal it would else end at
/// the line's end. What is longer than a whole line is left to the terminal, which joins it when it is copied.
func wrap(_ text: String, width: Int, under column: Int = 0) -> [String] {
    let room = width - column
    let words = text.splitAtSpaces.joined.flatMap { $0.length > room ? $0.parts : [$0] }
    var lines: [String] = []
    var line = ""
    for word in words {
        if line.contains(where: { $0 != " " }), line.count + word.gap + word.length > width, word.length <= room {
            lines.append(line)
            line = String(repeating: " ", count: column) + word.text
        } else {
            line += String(repeating: " ", count: word.gap) + word.text
        }
    }
    return line.isEmpty ? lines : lines + [line]
}

extension String {
    /// The line for a terminal: what is too long goes on below its cell, that of a sentence four characters in.
    ///
    /// A cell begins behind two spaces or more; one that begins near the line's end has no room to go on below.
    ///
    /// - Parameter width: columns; nil: the line stays whole.
    public func lines(within width: Int?) -> [String] {
        guard let width, count > width else { return [self] }
        let cells = cellStarts.filter { width - $0 >= 12 }
        return wrap(self, width: width, under: cells.last ?? 4)
    }

    /// Characters before each cell but a first one at the line's begin. The arrow of a remedy belongs to its indent.
    private var cellStarts: [Int] {
        var starts: [Int] = []
        var end = 0
        for word in splitAtSpaces {
            if word.gap >= 2 { starts.append(end + word.gap) }
            end += word.gap + word.length
        }
        guard drop(while: { $0 == " " }).hasPrefix("→ "), let arrow = starts.first else { return starts }
        return [arrow + 2]
    }

    /// Each with the spaces before it; spaces at the end are nobody's.
    fileprivate var splitAtSpaces: [Word] {
        var words: [Word] = []
        var gap = 0
        for piece in split(separator: " ", omittingEmptySubsequences: false) {
            if !piece.isEmpty {
                words.append(Word(gap: gap, text: String(piece)))
                gap = 0
            }
            gap += 1
        }
        return words
    }
}

/// What is not broken, and the spaces before it.
private struct Word {
    var gap: Int
    var text: String
    /// The single words that it is made of; empty where it is one.
    var singles: [Word] = []

    init(gap: Int, text: String) {
        self.gap = gap
        self.text = text
    }

    var length: Int { text.count }
    var parts: [Word] { singles.isEmpty ? [self] : singles }

    func followed(by next: Word) -> Word {
        var both = self
        both.text += String(repeating: " ", count: next.gap) + next.text
        both.singles = parts + [next]
        return both
    }

    func staysWith(_ next: Word) -> Bool {
        guard next.gap == 1 else { return false }
        let isQuoting = text.count { $0 == "“" } > text.count { $0 == "”" }
        return isQuoting || next.text.isLoneUnit || (isCommand && takes(next))
    }

    private var isCommand: Bool {
        let first = (parts.first?.text ?? text).drop { !$0.isLetter }
        return ["espurr-ota", "espurr-ctl", "espurr-sim"].contains(first)
    }

    /// Of a command: its verb, an option, or an option's value.
    private func takes(_ next: Word) -> Bool {
        let last = parts.last?.text ?? text
        let isOption = last.hasPrefix("--") && last.last?.isLetter == true
        return singles.isEmpty || isOption || next.text.hasPrefix("--")
    }
}

extension [Word] {
    /// Words that stay together as one.
    fileprivate var joined: [Word] {
        reduce(into: []) { joined, word in
            if let last = joined.last, last.staysWith(word) {
                joined[joined.count - 1] = last.followed(by: word)
            } else {
                joined.append(word)
            }
        }
    }
}

extension String {
    /// Neither a letter nor a digit: `%`, which people set apart from its number.
    public var isLoneUnit: Bool { !isEmpty && !contains { $0.isLetter || $0.isNumber } }
}
