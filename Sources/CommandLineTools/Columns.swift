extension [[String]] {
    /// Each row a line, its cells below those of the others: as wide as the widest of their column, two spaces between.
    ///
    /// - Parameter width: characters of a line, after which the last cell is cut; nil: none is.
    public func aligned(within width: Int? = nil) -> [String] {
        let columns = map { $0.count - 1 }.max() ?? 0
        let widths = (0..<Swift.max(columns, 0)).map { column in
            map { column < $0.count - 1 ? $0[column].count : 0 }.max() ?? 0
        }
        return map { cells in
            let head = zip(cells.dropLast(), widths).map { $0.padded(to: $1) + "  " }.joined()
            return head + (cells.last ?? "").cut(to: width.map { $0 - head.count })
        }
    }
}

extension String {
    /// - Parameter room: characters; too little to tell anything counts as none.
    fileprivate func cut(to room: Int?) -> String {
        guard let room, room >= 10, count > room else { return self }
        return prefix(room - 1) + "…"
    }
}
