/// The boards that espurr ears are made on. A release, an image and a pair of ears belong to exactly one of them.
public enum BoardFamily: String, CaseIterable, Sendable {
    case esp32 = "esp32"
    /// The legacy S3 board with 8 MB of flash.
    case s3 = "s3"
    case v2Flash8MB = "v2-8m"
    case v2Flash16MB = "v2-16m"

    /// - Parameter name: as the catalogue's paths and the ears have it, case and all.
    public init?(name: some StringProtocol) {
        self.init(rawValue: String(name))
    }

    /// - Parameter projectName: `project_name` of an application descriptor.
    public init?(projectName: some StringProtocol) {
        guard projectName.hasPrefix(Self.projectPrefix) else { return nil }
        self.init(name: projectName.dropFirst(Self.projectPrefix.count))
    }

    public var name: String { rawValue }

    /// What `project_name` of this family's images is.
    public var projectName: String { Self.projectPrefix + name }

    public var chip: Chip {
        switch self {
        case .esp32: .esp32
        case .s3, .v2Flash8MB, .v2Flash16MB: .esp32s3
        }
    }

    /// Bytes of an application slot to expect. The ears' own report of the inactive slot is what counts.
    public var expectedSlotCapacity: Int {
        switch self {
        case .esp32: 1700 * 1024
        case .s3, .v2Flash8MB: 3072 * 1024
        case .v2Flash16MB: 4096 * 1024
        }
    }

    private static let projectPrefix = "espurr-"
}
