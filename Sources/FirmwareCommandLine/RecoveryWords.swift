import Bluetooth
public import CommandLineTools
public import ControlProtocol
public import Ears
public import EarsCommandLine
public import FirmwareUpdate

/// What ears in recovery mode hold, and what can be done with them.
public struct RecoveryReport: Sendable {
    /// What can be done, as `espurr-ota` is told to, in the order in which it is worth trying: where a slot boots, a
    /// restart may be all that is needed.
    public enum Action: String, CaseIterable, Sendable {
        case restart = "recover restart"
        case install
        case wifiPassword = "recover wifi-password"
        case repairStorage = "recover repair-storage"
    }

    public var device: DeviceInformation
    public var reading: FirmwareReading
    /// Where an upload goes; nil for ears with one slot.
    public var uploadSlot: UInt32?
    /// Nil where they do not report it.
    public var storage: StorageState?
    public var hasAccessPoint: Bool
    /// Nil where they do not say.
    public var isPasswordSet: Bool?

    public init(
        device: DeviceInformation, reading: FirmwareReading, uploadSlot: UInt32?, storage: StorageState?,
        hasAccessPoint: Bool, isPasswordSet: Bool?
    ) {
        self.device = device
        self.reading = reading
        self.uploadSlot = uploadSlot
        self.storage = storage
        self.hasAccessPoint = hasAccessPoint
        self.isPasswordSet = isPasswordSet
    }

    /// Reads ears in recovery mode.
    public init(of session: EarsSession) async throws(EarsError) {
        let update = try await session.updateReading()
        self.init(
            device: try await session.deviceInformation(), reading: FirmwareReading(update),
            uploadSlot: update.inactive?.index, storage: try await Self.storage(of: session),
            hasAccessPoint: try await session.capabilities().names.contains(Self.accessPointCapability),
            isPasswordSet: try await session.isAccessPointPasswordSet())
    }

    private static let accessPointCapability = "wifi"

    private static func storage(of session: EarsSession) async throws(EarsError) -> StorageState? {
        do throws(EarsError) { return try await session.storage() } catch {
            guard case .setting(let fault) = error, case .capabilityMissing = fault.reason else { throw error }
            return nil
        }
    }

    public var actions: [Action] {
        Action.allCases.filter { action in
            switch action {
            case .install: uploadSlot != nil
            case .wifiPassword: hasAccessPoint
            case .repairStorage: storage.map { $0.health != .good && $0.health != .repairing } ?? false
            case .restart: reading.bootableSlot != nil
            }
        }
    }

    public var lines: [String] {
        var rows = [("family", "\(device.family.printable) (\(device.chip.printable))")]
        rows += reading.slots.map { ("ota_\($0.index)", text(of: $0)) }
        rows.append(("access point", accessPointInWords))
        rows.append(("storage", storage?.health.inWords ?? StorageHealth.notReported.inWords))
        let head = "\(device.name.printable) is in recovery mode: \(reading.recoveryInWords)"
        let width = (Action.allCases.map(\.rawValue.count).max() ?? 0) + 2
        return [head] + rows.map { $0.0.padded(to: 14) + $0.1 } + ["what can be done:"]
            + actions.map { "  espurr-ota " + $0.rawValue.padded(to: width) + explanation(of: $0) }
    }

    private func text(of slot: FirmwareReading.SlotReading) -> String {
        let marks = [
            slot.index == reading.bootableSlot?.index ? "boots next" : nil,
            slot.index == uploadSlot ? "takes an upload" : nil,
        ]
        let version = slot.digest.isEmpty ? "(empty)" : slot.version.printable
        let state = OTAStateName(slot.otaState).rawValue.uppercased()
        return ([version, state] + marks.compactMap { $0 }).joined(separator: "  ")
    }

    private var accessPointInWords: String {
        guard hasAccessPoint else { return "none" }
        return switch isPasswordSet {
        case true: "a password is set"
        case false: "the maker's password: set another"
        case nil: "whether a password is set is not reported"
        }
    }

    private func explanation(of action: Action) -> String {
        switch action {
        case .install: "put firmware on them"
        case .wifiPassword: "set the password of their access point"
        case .repairStorage: "repair the storage; lost: \(storage?.lostInWords ?? "")"
        case .restart: "leave recovery mode: they boot \(reading.bootableSlot?.inWords ?? "")"
        }
    }

    public var members: [(String, JSON)] {
        let storageJSON = storage.map { JSON.object($0.members) } ?? .null
        return [
            ("mode", .string(reading.mode.rawValue)), ("name", .string(device.name)),
            ("family", .string(device.family)), ("chip", .string(device.chip)),
            ("old_firmware_to_fall_back_on", .boolean(reading.bootableSlot != nil)), ("reading", reading.json),
            ("upload_slot", uploadSlot.map { .integer(Int64($0)) } ?? .null),
            ("bootable_slot", reading.bootableSlot.map { .integer(Int64($0.index)) } ?? .null),
            ("access_point", .boolean(hasAccessPoint)),
            ("password_set", isPasswordSet.map { .boolean($0) } ?? .null), ("storage", storageJSON),
            ("can", .array(actions.map { .string($0.rawValue) })),
        ]
    }
}

extension FirmwareReading.SlotReading {
    /// `ota_0 (1.4.0)`
    var inWords: String { "ota_\(index) (\(version.printable))" }
}

/// How the way out of recovery mode ended, for people and scripts.
public struct RecoveryExitReport: CourseReport {
    public let status: ExitStatus
    public let code: String
    public let cause: String
    public let remedy: String?
    /// What was read last; nil where nothing could be.
    public private(set) var reading: FirmwareReading?

    private static let look = "espurr-ota recover shows them"

    public init(_ exit: RecoveryExit) {
        switch exit {
        case .left(let reading):
            let runs = reading.running.map(\.inWords) ?? "ota_\(reading.runningSlot)"
            self.init(.done, "left", "out of recovery mode: \(runs) runs", reading.trialRemedy)
            self.reading = reading
        case .nothingBootable(let reading):
            self.init(
                .preflightRefused, "nothing_bootable",
                "no slot holds firmware that could be booted, so there is no way out of recovery mode but an upload",
                "espurr-ota install puts firmware on them")
            self.reading = reading
        case .refused(let refusal):
            self.init(
                .earsRefused, "refused", "the ears refused to restart: \(refusal.inWords)",
                "espurr-ota install puts firmware on them")
        case .notRestarted(let reading):
            self.init(
                .earsRefused, "not_restarted", "the ears did not restart, and are in recovery mode still",
                "switch the ears off and on, then espurr-ota status")
            self.reading = reading
        case .recoveryAgain(let reading):
            self.init(
                .earsRefused, "recovery_again",
                "the ears restarted and are in recovery mode again: what they hold does not start",
                "espurr-ota install puts firmware on them")
            self.reading = reading
        case .unknown(let error) where error.isCancellation:
            let end = CommandFailure(error)
            self.init(end.status, "cancelled", "\(end.cause): the ears may be restarting", Self.look)
        case .unknown(let error):
            self.init(
                .outcomeUnknown, "unknown",
                "the ears were to restart, and could not be read since: \(CommandFailure(error).cause)", Self.look)
        }
    }

    private init(_ status: ExitStatus, _ code: String, _ cause: String, _ remedy: String?) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }
}

extension FirmwareReading {
    /// What is still to come of firmware that was booted for the first time.
    fileprivate var trialRemedy: String? {
        running?.otaState == .pendingVerify ? "it is on trial: espurr-ota status --wait watches it to the end" : nil
    }
}
