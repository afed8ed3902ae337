import ControlProtocol

/// Power, boot, and what happens by itself.
extension SimulatedEars {
    /// How long it takes somebody to put the battery back.
    static let powerReturnDelay: Duration = .milliseconds(500)
    /// How long a program that does not come up keeps the chip.
    static let failureDelay: Duration = .milliseconds(300)

    public mutating func powerOn(at now: Duration) {
        pass(to: now)
        guard case .off = activity else { return }
        powerReturns = nil
        reset(.powerOn)
    }

    /// The flash keeps what it has.
    public mutating func powerOff(at now: Duration) {
        pass(to: now)
        losePower()
    }

    mutating func runDue() {
        if pairingIsDue() { failPairing(.notPermitted) }
        if let powerReturns, powerReturns <= time {
            self.powerReturns = nil
            reset(.powerOn)
        }
        switch activity {
        case .starting(let until, let reason) where until <= time: startProgram(reason)
        case .failing(let until, let reason) where until <= time: reset(reason)
        case .running(var firmware): run(&firmware)
        case .off, .starting, .failing, .silent: break
        }
        noticePowerLoss()
    }

    private mutating func run(_ firmware: inout Firmware) {
        firmware.update.advance(to: time, flash: &flash)
        firmware.audio.advance(to: time)
        if case .selected = firmware.update.phase { unprovenSlot = firmware.ears.targetSlot }
        let name = firmware.control.settings.name
        firmware.control.settings.advance(to: time, memory: &memory)
        if firmware.control.settings.name != name { effects.append(.advertisementChanged) }
        if let due = firmware.confirmsAt, due <= time {
            firmware.confirmsAt = nil
            confirm(firmware.ears)
        }
        activity = .running(firmware)
        tellFirstCredit()
        if let due = firmware.panicsAt, due <= time { return reset(.panic) }
        if let due = firmware.restartsAt, due <= time {
            statusesSinceRestart = 0
            reset(.software)
        }
    }

    /// `esp_ota_mark_app_valid_cancel_rollback`.
    private mutating func confirm(_ ears: RunningEars) {
        var otaData = ears.otaData(in: flash)
        guard let active = otaData.active, ears.selectedSlot(in: flash) == ears.runningSlot else { return }
        otaData.setState(OTAData.State.valid, at: active, in: &flash)
        unprovenSlot = nil
        effects.append(.serialLine("firmware \(ears.version) is valid"))
    }

    mutating func reset(_ reason: ResetReason) {
        dropLink()
        let wasVisible = activity.isRunning
        activity = .starting(until: time + configuration.timing.boot, reason)
        if wasVisible { effects.append(.advertisementChanged) }
    }

    /// An operation of flash found the battery gone.
    mutating func noticePowerLoss() {
        guard flash.hasLostPower else { return }
        pullBattery()
    }

    /// Somebody puts it back, after a moment where nothing else is said.
    mutating func pullBattery(for delay: Duration = powerReturnDelay) {
        losePower()
        powerReturns = time + delay
    }

    private mutating func losePower() {
        dropLink()
        let wasVisible = activity.isRunning
        activity = .off
        powerReturns = nil
        lastClick = nil
        flash.operationsUntilPowerLoss = nil
        if wasVisible { effects.append(.advertisementChanged) }
    }

    // MARK: Boot

    private mutating func startProgram(_ reason: ResetReason) {
        guard let table = PartitionTable(in: flash) else {
            activity = .silent
            effects.append(.serialLine("boot: no partition table"))
            return
        }
        if entersRecovery {
            entersRecovery = false
            return startRecovery(reason, table)
        }
        let loader = BootLoader(chip: configuration.family.chip, hasRollback: configuration.hasRollback)
        guard let slot = loader.boot(&flash), !flash.hasLostPower else {
            effects.append(.serialLine("boot: no bootable application"))
            return startRecovery(reason, table)
        }
        guard let application = ApplicationDescriptor(in: flash, imageAt: table.slots[slot].offset) else {
            activity = .failing(until: time + Self.failureDelay, .watchdog)
            return
        }
        effects.append(.serialLine("boot: ota_\(slot), \(application.project) \(application.version)"))
        guard let family = application.family else {
            activity = .silent
            return
        }
        start(
            RunningEars(
                configuration: configuration.running(in: .normal), family: family, version: application.version,
                runningSlot: slot, slots: table.slots, otaDataOffset: table.otaDataOffset ?? 0,
                bootCount: memory.bootCount &+ 1, resetReason: reason))
    }

    /// The program for updates, which no boot loader's choice and no trial is about.
    private mutating func startRecovery(_ reason: ResetReason, _ table: PartitionTable) {
        guard !flash.hasLostPower, !table.slots.isEmpty else {
            activity = .silent
            return
        }
        let otaDataOffset = table.otaDataOffset ?? 0
        let slot = OTAData(in: flash, at: otaDataOffset).slotOfNormalFirmware(of: table.slots.count)
        let application = ApplicationDescriptor(in: flash, imageAt: table.slots[slot].offset)
        effects.append(.serialLine("boot: recovery"))
        begin(
            RunningEars(
                configuration: configuration.running(in: .recovery), family: configuration.family.rawValue,
                version: application?.version ?? "", runningSlot: slot, slots: table.slots,
                otaDataOffset: otaDataOffset, bootCount: memory.bootCount &+ 1, resetReason: reason),
            isTrial: false, panicDelay: nil)
    }

    private mutating func start(_ ears: RunningEars) {
        let isTrial = ears.otaState(ofSlot: ears.runningSlot, in: flash) == .pendingVerify
        let panicDelay = isTrial || unprovenSlot == ears.runningSlot ? configuration.panicDelay : nil
        guard panicDelay != .zero else {
            activity = .failing(until: time + Self.failureDelay, .panic)
            return
        }
        begin(ears, isTrial: isTrial, panicDelay: panicDelay)
    }

    private mutating func begin(_ ears: RunningEars, isTrial: Bool, panicDelay: Duration?) {
        memory.bootCount = ears.bootCount
        var firmware = Firmware(
            ears: ears, update: UpdateEndpoint(ears: ears),
            control: ControlEndpoint(ears: ears, settings: SettingsStore(ears.configuration, memory)),
            audio: AudioEndpoint(ears.configuration))
        firmware.panicsAt = panicDelay.map { time + $0 }
        if isTrial { firmware.confirmsAt = configuration.selfCheckTime.map { time + $0 } }
        activity = .running(firmware)
        effects.append(.advertisementChanged)
    }
}
