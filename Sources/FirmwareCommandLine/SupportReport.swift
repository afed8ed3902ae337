import Bluetooth
import CommandLineTools
import ControlProtocol
import EarsCommandLine
import Ears
import FirmwareUpdate
import FoundationEssentials

/// What a report says: versions, states and codes. No text of a person's and no name of anything is in it.
struct SupportReport: Sendable {
    var program: String
    var time: Date
    var system: JSON
    var bluetooth: JSON
    var ears: JSON
    var attempts: JSON

    var document: JSON {
        JSON.document(
            "espurr.support-report/1",
            [
                ("tool", .object([("program", .string(program)), ("version", .string(toolVersion))])),
                ("time", .string(time.ISO8601Format())), ("system", system), ("bluetooth", bluetooth), ("ears", ears),
                ("attempts", attempts),
            ])
    }
}

extension DescribedFirmware {
    /// The values of settings that are numbers, switches or choices; of all others only how they are described.
    func report(
        _ capabilities: Capabilities?, _ state: EarsState?, _ update: UpdateStatus?, mode: EarsMode
    ) -> JSON {
        .object([
            ("family", .string(device.family)), ("chip", .string(device.chip)),
            ("firmware_version", .string(device.firmwareVersion)),
            ("hardware_revision", .string(device.hardwareRevision)),
            ("application_protocol", .integer(Int64(device.applicationProtocol))),
            ("capabilities", .array((capabilities?.names ?? []).map(JSON.string))),
            ("state", state?.report ?? .null), ("update", update?.report(mode) ?? .null),
            ("settings", .array(settings.map(\.report))),
        ])
    }
}

extension Setting {
    fileprivate var report: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("read_only", .boolean(isReadOnly)), ("temporary", .boolean(isTemporary)),
        ]
        if let missingCapability { members.append(("missing_capability", .string(missingCapability))) }
        switch (descriptor?.kind, value) {
        case (.boolean, .boolean), (.integer, .integer), (.enumeration, .choice):
            members.append(("value", value?.json ?? .null))
        // What a person wrote, and what holds it, is theirs.
        case (.text, .text(let text)): members.append(("bytes", .integer(Int64(text.utf8.count))))
        case (_, .bytes(let bytes)): members.append(("bytes", .integer(Int64(bytes.count))))
        default: break
        }
        return .object(members)
    }
}

extension EarsState {
    fileprivate var report: JSON {
        .object([
            ("revision", .integer(Int64(revision))),
            ("last_change", .optional(lastChange.map { "\($0.stage)" })),
            ("last_refusal", .optional(lastRefusal.map { "\($0.reason)" })),
            ("battery_percent", .optional(battery?.percent)),
        ])
    }
}

extension UpdateStatus {
    /// In recovery mode nothing runs.
    fileprivate func report(_ mode: EarsMode) -> JSON {
        let list = slots.map { slot -> JSON in
            .object([
                ("index", .integer(Int64(slot.index))), ("capacity", .integer(Int64(slot.capacity))),
                ("version", .string(slot.version)), ("project", .string(slot.project)),
                ("state", .string("\(slot.otaState)")),
            ])
        }
        return .object([
            ("running_slot", mode == .normal ? .integer(Int64(runningSlot)) : .null),
            ("selected_slot", .integer(Int64(selectedSlot))),
            ("boot_count", .integer(Int64(bootCount))), ("reset_reason", .string("\(resetReason)")),
            ("rollback", .boolean(hasRollback)), ("slots", .array(list)),
        ])
    }
}

extension AttemptLog.Contents {
    /// The latest attempts, each pair of ears by a number in place of its address.
    func report(limit: Int = 50) -> JSON {
        var numbers: [String: Int] = [:]
        let list = attempts.suffix(limit).map { attempt -> JSON in
            let number = numbers[attempt.device] ?? numbers.count + 1
            numbers[attempt.device] = number
            return .object([
                ("ears", .integer(Int64(number))), ("started", .string(attempt.startedAt.ISO8601Format())),
                ("updated", .string(attempt.updatedAt.ISO8601Format())), ("family", .string(attempt.family)),
                ("source", .string(attempt.source.rawValue)), ("from_version", .string(attempt.fromVersion)),
                ("version", .string(attempt.target.version)), ("size", .integer(Int64(attempt.size))),
                ("milestone", .string(attempt.milestone.rawValue)), ("verdict", .optional(attempt.verdict?.rawValue)),
            ])
        }
        return .object([
            ("count", .integer(Int64(attempts.count))), ("damaged", .integer(Int64(damaged.count))),
            ("latest", .array(list)),
        ])
    }
}
