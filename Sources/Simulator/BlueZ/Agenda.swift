/// What is to happen later, each thing at most once: setting it again moves it.
struct Agenda<Item: Hashable & Sendable>: Sendable {
    private struct Entry {
        let due: Duration
        /// Among those due at one time, the one set first comes first.
        let order: UInt64
    }

    private var entries: [Item: Entry] = [:]
    private var count: UInt64 = 0

    mutating func set(_ item: Item, at due: Duration) {
        count += 1
        entries[item] = Entry(due: due, order: count)
    }

    mutating func cancel(_ item: Item) { entries[item] = nil }

    func contains(_ item: Item) -> Bool { entries[item] != nil }

    var nextDue: Duration? { entries.values.map(\.due).min() }

    /// The next item due by `time`, taken out.
    mutating func takeDue(by time: Duration) -> Item? {
        let due = entries.filter { $0.value.due <= time }
        let first = due.min { ($0.value.due, $0.value.order) < ($1.value.due, $1.value.order) }
        if let item = first?.key { entries[item] = nil }
        return first?.key
    }
}
