public import Bluetooth

/// Which pair of ears goes next on which adapter: pure.
///
/// One pair at a time on each adapter, and never one pair on two (`docs/decisions/0013-one-pair-per-adapter.md`).
public struct BenchSchedule: Hashable, Sendable {
    private struct Waiting: Hashable {
        var pair: Int
        var adapters: [AdapterName]
    }

    private var waiting: [Waiting]

    /// - Parameter pairs: by their numbers from 0, the adapters that each can be reached over. One without any is never
    ///   begun.
    public init(_ pairs: [[AdapterName]]) {
        waiting = pairs.enumerated().map { Waiting(pair: $0.offset, adapters: $0.element) }
    }

    /// Takes the next pair for an adapter that is free: one that has the fewest others to go to, so that no adapter is
    /// idle in the end while pairs of its own wait behind another; of those the first.
    ///
    /// - Returns: nil where none is left for that adapter.
    public mutating func next(on adapter: AdapterName) -> Int? {
        let fitting = waiting.indices.filter { waiting[$0].adapters.contains(adapter) }
        let index = fitting.min { waiting[$0].adapters.count < waiting[$1].adapters.count }
        return index.map { waiting.remove(at: $0).pair }
    }

    /// Those that nobody took, in their order.
    public var remaining: [Int] { waiting.map(\.pair) }
}
