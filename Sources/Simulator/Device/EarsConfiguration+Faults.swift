import ControlProtocol

/// What the faults make of the ears.
extension EarsConfiguration {
    var hasRollback: Bool { !faults.contains(.noRollback) }

    var capabilities: [Capability] {
        Capability.allCases.filter { !faults.contains(.without($0)) }
    }

    /// Nil where the ears do not measure it.
    var battery: Battery? {
        guard capabilities.contains(.battery) else { return nil }
        let percent: UInt32? = faults.firstValue { if case .battery(let percent) = $0 { percent } else { nil } }
        return Battery(percent: percent ?? 85, percentNeededForUpdate: 30)
    }

    var applicationProtocol: UInt32 {
        faults.firstValue { if case .applicationProtocol(let number) = $0 { number } else { nil } }
            ?? EarsService.applicationProtocol
    }

    var secondSlotSize: Int? {
        faults.firstValue { if case .smallSlot(let size) = $0 { size } else { nil } }
    }

    var imageRefusalCode: UInt32? {
        faults.firstValue { if case .refuseImage(let code) = $0 { code } else { nil } }
    }

    /// Nil: it never ends.
    func sectorEraseTime(sectors: Int) -> Duration? {
        if faults.contains(.eraseHangs) { return nil }
        let whole: Duration? = faults.firstValue { if case .slowErase(let time) = $0 { time } else { nil } }
        return whole.map { $0 / sectors } ?? timing.eraseSector
    }

    /// When new firmware gives up, counted from its start.
    var panicDelay: Duration? {
        faults.firstValue { if case .bootFails(let after) = $0 { after } else { nil } }
    }

    /// From a trial's start until the firmware marks itself valid; nil: never.
    var selfCheckTime: Duration? {
        if faults.contains(.neverConfirms) { return nil }
        return faults.firstValue { if case .slowConfirm(let time) = $0 { time } else { nil } } ?? timing.selfCheck
    }

    /// Why every change is refused; nil where none is.
    var settingRefusal: SettingRefusalReason? {
        faults.firstValue { if case .refuseSetting(let name) = $0 { name.reason } else { nil } }
    }

    /// How every calibration fails; nil where it does not.
    var calibrationFailure: CalibrationFailure? {
        faults.firstValue { if case .calibration(let name) = $0 { name.failure } else { nil } }
    }

    var droppedAudioBlocks: Int {
        faults.firstValue { if case .dropAudioBlocks(let count) = $0 { count } else { nil } } ?? 0
    }

    var microphone: Fault.Microphone? {
        faults.firstValue { if case .microphone(let microphone) = $0 { microphone } else { nil } }
    }

    /// Where the blocks of a sound stop coming; nil: they all come.
    var audioEnd: (percent: Int, isFailure: Bool)? {
        faults.firstValue { fault -> (percent: Int, isFailure: Bool)? in
            switch fault {
            case .stallAudioAt(let percent): (percent, false)
            case .failAudioAt(let percent): (percent, true)
            default: nil
            }
        }
    }

    var audioRefusal: AudioRefusal? {
        faults.firstValue { fault -> AudioRefusal? in
            guard case .refuseAudio(let reason) = fault else { return nil }
            return switch reason {
            case .busy: .busy
            case .memory: .outOfMemory
            case .microphone: .microphoneError
            }
        }
    }

    var repairTime: Duration {
        faults.firstValue { if case .slowRepair(let time) = $0 { time } else { nil } } ?? StorageUnit.repairTime
    }

    var saveTime: Duration {
        faults.firstValue { if case .slowSave(let time) = $0 { time } else { nil } } ?? timing.saveChange
    }
}

extension [Fault] {
    func firstValue<Value>(_ value: (Fault) -> Value?) -> Value? { lazy.compactMap(value).first }
}

extension SettingRefusalName {
    fileprivate var reason: SettingRefusalReason {
        switch self {
        case .stale: .staleRevision
        case .outOfRange: .outOfRange
        case .readOnly: .readOnly
        case .capability: .capabilityMissing
        case .mode: .wrongMode
        case .busy: .busy
        case .nameEmpty: .nameEmpty
        case .nameTooLong: .nameTooLong
        case .nameTaken: .nameTaken
        case .nameNotAllowed: .nameNotAllowed
        case .noSpace: .noSpace
        case .notFound: .notFound
        case .sensor: .sensorFailed
        }
    }
}

extension CalibrationFailureName {
    fileprivate var failure: CalibrationFailure {
        switch self {
        case .moved: .moved
        case .timedOut: .timedOut
        }
    }
}
