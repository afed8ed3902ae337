/// What the ears keep in their `nvs` partition, as values: bonds, settings, counters.
public struct RetainedMemory: Hashable, Sendable, Codable {
    public internal(set) var bonds = Bonds()
    /// Saved values by the setting's name, as they are on the wire; what is missing has its default.
    public internal(set) var settings: [String: [UInt8]] = [:]
    /// Of the last change that was applied.
    public internal(set) var revision: UInt32 = 0
    /// Grows by one with each boot.
    public internal(set) var bootCount: UInt32 = 0

    public init() {}
}
