public import Bluetooth
internal import Ears
public import FoundationEssentials

/// One attempt to install one image on one pair of ears, as it is kept on this machine.
///
/// It is on disk before the radio is used, and brought up to date before each step, so that a command that died at any
/// point leaves what it takes to settle how it ended: a fresh read of the ears.
public struct Attempt: Codable, Hashable, Sendable {
    public enum Source: String, Codable, Sendable {
        case catalogue
        /// Not authenticated by the catalogue.
        case file
    }

    /// The start in UTC and eight random hex digits.
    public let id: String
    /// Which of two attempts on the same ears came later, whatever the clock did between them.
    public let sequence: Int
    public let startedAt: Date
    public var updatedAt: Date
    /// Identity address.
    public let device: String
    public let adapter: String
    public let family: String
    public let source: Source
    /// What ran before; `recovery` where no firmware did.
    public let fromVersion: String
    /// Bytes of the file.
    public let size: Int
    public let target: UpdateTarget
    public let before: FirmwareReading
    public var milestone: Milestone
    /// The first reading in which the new slot was selected.
    public var selection: FirmwareReading?
    /// Nil while it is under way, or where the command that made it died.
    public var verdict: VerdictName?
    /// The reading that earned the verdict.
    public var latest: FirmwareReading?
    /// The ``id`` of the later attempt on these ears: from then on no reading says how this one ended.
    public var supersededBy: String?

    public init(
        id: String, sequence: Int, startedAt: Date, device: BluetoothAddress, adapter: AdapterName, family: String,
        source: Source,
        fromVersion: String, size: Int, target: UpdateTarget, before: FirmwareReading
    ) {
        self.id = id
        self.sequence = sequence
        self.startedAt = startedAt
        updatedAt = startedAt
        self.device = device.description
        self.adapter = adapter.description
        self.family = family
        self.source = source
        self.fromVersion = fromVersion
        self.size = size
        self.target = target
        self.before = before
        milestone = .checked
    }

    /// - Parameters:
    ///   - random: so that two attempts in one second differ.
    public static func newID(at start: Date, random: UInt32) -> String {
        let time = start.ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
        let digits = String(random, radix: 16)
        return "\(time)Z-\(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }

    /// Whether only a fresh read can say how it ended, or stands now: a trial boot may still pass or fail.
    public var isUnsettled: Bool {
        guard supersededBy == nil else { return false }
        return switch verdict {
        case .unknown: !hasOtherFirmware
        case nil, .selectedNotRestarted, .notConfirmed: true
        case .confirmed, .cancelled, .refused, .linkLostOldFirmwareRuns, .imageUnusable, .rolledBack: false
        }
    }

    /// Read since: neither what ran before nor what was sent. No later reading says more of this attempt, but for one
    /// in recovery, where nothing runs.
    private var hasOtherFirmware: Bool {
        latest.map { $0.mode == .normal && !$0.runs(target) && !$0.runsTheSame(as: before) } ?? false
    }
}
