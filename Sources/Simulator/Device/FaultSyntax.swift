/// A fault as it is asked for: `NAME` or `NAME=VALUE`.
public enum FaultName: String, CaseIterable, Sendable {
    case dropAt = "drop-at"
    case silentAt = "silent-at"
    case powerLossAt = "power-loss-at"
    case powerLossWhenSelected = "power-loss-when-selected"
    case loseReply = "lose-reply"
    case loseLastReply = "lose-last-reply"
    case strike
    case refuseImage = "refuse-image"
    case flashErrorAt = "flash-error-at"
    case slowErase = "slow-erase"
    case eraseHangs = "erase-hangs"
    case verifyHangs = "verify-hangs"
    case restartIgnored = "restart-ignored"
    case bootFails = "boot-fails"
    case neverConfirms = "never-confirms"
    case slowConfirm = "slow-confirm"
    case noRollback = "no-rollback"
    case saveFails = "save-fails"
    case slowSave = "slow-save"
    case refuseSetting = "refuse-setting"
    case dropAtChange = "drop-at-change"
    case loseChangeReply = "lose-change-reply"
    case palettesFull = "palettes-full"
    case calibration
    case sensorFails = "sensor-fails"
    case storageDamaged = "storage-damaged"
    case repairFails = "repair-fails"
    case slowRepair = "slow-repair"
    case noFirmware = "no-firmware"
    case laterFirmware = "later-firmware"
    case staleBond = "stale-bond"
    case keepsBond = "keeps-bond"
    case justWorks = "just-works"
    case noClick = "no-click"
    case securityTwo = "security-2"
    case applicationProtocol = "protocol"
    case smallSlot = "small-slot"
    case battery
    case without
    case maximumTransferUnit = "mtu"
    case dropAudioBlocks = "drop-audio-blocks"
    case stallAudioAt = "stall-audio-at"
    case failAudioAt = "fail-audio-at"
    case refuseAudio = "refuse-audio"
    case microphone

    /// How the value is written; nil where there is none. In square brackets: may be left out.
    public var valueSyntax: String? {
        switch self {
        case .dropAt, .silentAt, .powerLossAt, .flashErrorAt, .battery, .stallAudioAt, .failAudioAt: "PERCENT"
        case .powerLossWhenSelected, .slowErase, .slowConfirm, .slowSave, .slowRepair: "DURATION"
        case .bootFails: "[DURATION]"
        case .strike: "STAGE:KIND"
        case .refuseImage: "[CODE]"
        case .loseReply: UpdateRequestKind.allCases.map(\.rawValue).joined(separator: "|")
        case .without: Capability.allCases.map(\.rawValue).joined(separator: "|")
        case .refuseSetting: "[REASON]"
        case .calibration: CalibrationFailureName.allCases.map(\.rawValue).joined(separator: "|")
        case .refuseAudio: Fault.AudioReason.allCases.map(\.rawValue).joined(separator: "|")
        case .microphone: Fault.Microphone.allCases.map(\.rawValue).joined(separator: "|")
        case .applicationProtocol, .dropAudioBlocks: "NUMBER"
        case .smallSlot, .maximumTransferUnit: "BYTES"
        case .loseLastReply, .eraseHangs, .verifyHangs, .restartIgnored, .neverConfirms, .noRollback, .saveFails,
            .dropAtChange, .loseChangeReply, .palettesFull, .sensorFails, .storageDamaged, .repairFails,
            .noFirmware, .laterFirmware, .staleBond, .keepsBond, .justWorks, .noClick, .securityTwo:
            nil
        }
    }

    /// One line for people.
    public var explanation: String {
        switch self {
        case .dropAt: "the link drops once, at this share of the image or the sound"
        case .silentAt: "the ears stop answering once, at this share of the image or the sound"
        case .powerLossAt: "the ears lose power once, at this share of the image"
        case .powerLossWhenSelected: "the ears lose power once, as the image is selected, and are back after this long"
        case .loseReply: "the first request of this kind takes effect, and its reply is lost with the link"
        case .loseLastReply: "the image is selected, and the reply that says so is lost with the link"
        case .strike:
            "one request of an update is struck, once; STAGE: \(Strike.Stage.allCases.names); KIND: \(Strike.Kind.allCases.names)"
        case .refuseImage: "the ears' own check refuses the image (0x1503 unless another code is given)"
        case .flashErrorAt: "writing to flash fails at this share of the image"
        case .slowErase: "erasing the slot takes this long"
        case .eraseHangs: "erasing the slot never ends"
        case .verifyHangs: "checking the image never ends"
        case .restartIgnored: "the ears acknowledge a restart and stay as they are"
        case .bootFails: "new firmware panics at its start, or this long after it"
        case .neverConfirms: "new firmware never marks itself valid"
        case .slowConfirm: "new firmware takes this long to mark itself valid"
        case .noRollback: "the ears are built without rollback"
        case .saveFails: "a changed setting is applied and cannot be saved"
        case .slowSave: "saving a changed setting takes this long"
        case .refuseSetting:
            "the ears refuse every change: "
                + SettingRefusalName.allCases.map(\.rawValue).joined(separator: ", ") + "; out-of-range by itself"
        case .dropAtChange: "the link drops once under a change of settings, which never arrives"
        case .loseChangeReply: "the first change of settings takes effect, and its reply is lost with the link"
        case .palettesFull: "there is no space for another palette"
        case .calibration: "every calibration fails so"
        case .sensorFails: "a motion sensor does not answer"
        case .storageDamaged: "where settings are kept nothing can be read or written until it is repaired"
        case .repairFails: "repairing the storage fails"
        case .slowRepair: "repairing the storage takes this long"
        case .noFirmware: "the slots are empty, and recovery mode is all there is"
        case .laterFirmware: "the firmware has settings, effects and capabilities that these tools do not know"
        case .staleBond: "the ears have forgotten their bonds"
        case .keepsBond: "the ears ignore a pairing by whoever they hold a bond with"
        case .justWorks: "the ears pair without comparing digits"
        case .noClick: "nobody clicks the button that a new bond needs"
        case .securityTwo: "the firmware speaks Security 2 over an open link, as old ones do"
        case .applicationProtocol: "the firmware speaks another application protocol"
        case .smallSlot: "the second slot has this size"
        case .battery: "the battery's level"
        case .without: "the ears lack this capability"
        case .maximumTransferUnit: "the largest ATT MTU that the ears agree to"
        case .dropAudioBlocks: "so many blocks of each sound are lost"
        case .stallAudioAt: "a sound stops coming at this share"
        case .failAudioAt: "the microphone fails at this share of a sound"
        case .refuseAudio: "the ears refuse to capture and to record"
        case .microphone: "the microphone gives zeros, a passage that clips, or a DC offset"
        }
    }
}

public enum FaultSyntaxError: Error, Hashable, Sendable {
    case unknownName(String)
    case valueMissing(FaultName)
    case valueUnexpected(FaultName)
    case valueInvalid(FaultName, value: String)
}

extension Fault {
    /// Reads `NAME` or `NAME=VALUE`: percentages `70%` or `70`, durations `30s` or `300ms`, sizes and codes in decimal
    /// or with 0x, sizes also with K or M.
    public init(parsing text: String) throws(FaultSyntaxError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = FaultName(rawValue: parts[0]) else { throw .unknownName(parts[0]) }
        let given = parts.count > 1 ? parts[1] : nil
        guard let syntax = name.valueSyntax else {
            guard given == nil else { throw .valueUnexpected(name) }
            self = try Self.plain(name)
            return
        }
        guard let value = given ?? (syntax.hasPrefix("[") ? name.defaultValue : nil) else { throw .valueMissing(name) }
        guard let fault = Self.valued(name, value) else { throw .valueInvalid(name, value: value) }
        self = fault
    }

    private static func plain(_ name: FaultName) throws(FaultSyntaxError) -> Fault {
        switch name {
        case .loseLastReply: .loseLastReply
        case .eraseHangs: .eraseHangs
        case .verifyHangs: .verifyHangs
        case .restartIgnored: .restartIgnored
        case .neverConfirms: .neverConfirms
        case .noRollback: .noRollback
        case .saveFails: .saveFails
        case .dropAtChange: .dropAtChange
        case .loseChangeReply: .loseChangeReply
        case .palettesFull: .palettesFull
        case .sensorFails: .sensorFails
        case .storageDamaged: .storageDamaged
        case .repairFails: .repairFails
        case .noFirmware: .noFirmware
        case .laterFirmware: .laterFirmware
        case .staleBond: .staleBond
        case .keepsBond: .keepsBond
        case .justWorks: .justWorks
        case .noClick: .noClick
        case .securityTwo: .securityTwo
        default: throw .valueMissing(name)
        }
    }

    private static func valued(_ name: FaultName, _ value: String) -> Fault? {
        switch name {
        case .dropAt: FaultValue.percent(value).map(Fault.dropAt)
        case .silentAt: FaultValue.percent(value).map(Fault.silentAt)
        case .powerLossAt: FaultValue.percent(value).map(Fault.powerLossAt)
        case .flashErrorAt: FaultValue.percent(value).map(Fault.flashErrorAt)
        case .battery: FaultValue.percent(value).map { .battery(percent: UInt32($0)) }
        case .loseReply: UpdateRequestKind(rawValue: value).map(Fault.loseReply)
        case .strike: Strike(parsing: value).map(Fault.strike)
        case .without: Capability(rawValue: value).map(Fault.without)
        case .refuseSetting: SettingRefusalName(rawValue: value).map(Fault.refuseSetting)
        case .calibration: CalibrationFailureName(rawValue: value).map(Fault.calibration)
        case .refuseImage: FaultValue.number(value).flatMap(UInt32.init(exactly:)).map(Fault.refuseImage)
        case .powerLossWhenSelected: FaultValue.duration(value).map(Fault.powerLossWhenSelected)
        case .slowErase: FaultValue.duration(value).map(Fault.slowErase)
        case .slowConfirm: FaultValue.duration(value).map(Fault.slowConfirm)
        case .slowSave: FaultValue.duration(value).map(Fault.slowSave)
        case .slowRepair: FaultValue.duration(value).map(Fault.slowRepair)
        case .bootFails: FaultValue.duration(value).map(Fault.bootFails)
        case .applicationProtocol: FaultValue.number(value).flatMap(UInt32.init(exactly:)).map(applicationProtocol)
        case .smallSlot: FaultValue.slotSize(value).map(Fault.smallSlot)
        case .maximumTransferUnit: FaultValue.number(value).flatMap(FaultValue.transferUnit).map(maximumTransferUnit)
        default: ofSound(name, value)
        }
    }

    private static func ofSound(_ name: FaultName, _ value: String) -> Fault? {
        switch name {
        case .dropAudioBlocks: FaultValue.number(value).map(Fault.dropAudioBlocks)
        case .stallAudioAt: FaultValue.percent(value).map(Fault.stallAudioAt)
        case .failAudioAt: FaultValue.percent(value).map(Fault.failAudioAt)
        case .refuseAudio: AudioReason(rawValue: value).map(Fault.refuseAudio)
        case .microphone: Microphone(rawValue: value).map(Fault.microphone)
        default: nil
        }
    }
}

extension Array where Element: RawRepresentable, Element.RawValue == String {
    fileprivate var names: String { map(\.rawValue).joined(separator: ", ") }
}

extension FaultName {
    fileprivate var defaultValue: String? {
        switch self {
        case .refuseImage: "0x1503"
        case .refuseSetting: SettingRefusalName.outOfRange.rawValue
        case .bootFails: "0s"
        default: nil
        }
    }
}

private enum FaultValue {
    static func percent(_ text: String) -> Int? {
        guard let percent = Int(text.hasSuffix("%") ? text.dropLast() : text[...]), (0...100).contains(percent) else {
            return nil
        }
        return percent
    }

    static func number(_ text: String) -> Int? {
        let value = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        return value.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// A day at most.
    static func duration(_ text: String) -> Duration? {
        let isMilliseconds = text.hasSuffix("ms")
        guard isMilliseconds || text.hasSuffix("s") else { return nil }
        guard let value = number(String(text.dropLast(isMilliseconds ? 2 : 1))), value <= 86_400_000 else { return nil }
        return isMilliseconds ? .milliseconds(value) : value <= 86_400 ? .seconds(value) : nil
    }

    /// Whole sectors, 2 MiB at most: what the smallest board has room for.
    static func slotSize(_ text: String) -> Int? {
        let factors: [Character: Int] = ["K": 1 << 10, "M": 1 << 20]
        let factor = text.last.flatMap { factors[$0] }
        guard let count = number(factor == nil ? text : String(text.dropLast())), count <= 2 << 20 else { return nil }
        let size = count * (factor ?? 1)
        return size > 0 && size <= 2 << 20 && size % Flash.sectorSize == 0 ? size : nil
    }

    /// Between the smallest of LE and the largest of ATT.
    static func transferUnit(_ value: Int) -> Int? { (23...517).contains(value) ? value : nil }
}
