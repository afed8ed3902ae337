/// `did you mean “brightness”?`, for a mistyped word; nil where none of the candidates is near it.
public func suggestion(for word: String, among candidates: [String]) -> String? {
    nearest(to: word, among: candidates).map(suggestion(of:))
}

/// `did you mean “brightness”?`
func suggestion(of candidate: String) -> String { "did you mean “\(candidate)”?" }

/// The candidate within two edits of a mistyped word, if there is one; in what case it was typed does not count.
public func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = word.lowercased()
    return candidates.map { ($0, editDistance(typed, $0.lowercased())) }.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
}

/// Levenshtein's distance, in characters.
func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let substituted = diagonal + (character == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
