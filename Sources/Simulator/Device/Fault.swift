/// What can be made to go wrong, or to be otherwise than with sound ears of today.
///
/// Percentages are of the image's bytes, or of the sound's; a fault of the link or of a reply happens once, so that the next attempt works.
public enum Fault: Hashable, Sendable {
    /// The link goes down under the chunk that passes this share.
    case dropAt(percent: Int)
    /// From the chunk that passes this share on nothing is answered, until the link is made anew.
    case silentAt(percent: Int)
    /// The battery is pulled out at this share; somebody puts it back after a moment.
    case powerLossAt(percent: Int)
    /// The first request of this kind is carried out, and the link goes down before its reply is read.
    case loseReply(UpdateRequestKind)
    /// The link goes down under the first reply that would say *selected*.
    case loseLastReply
    /// One request of an update is struck, once.
    case strike(Strike)
    /// The battery is pulled out under the first reply that would say *selected*, and put back after this time.
    case powerLossWhenSelected(for: Duration)
    /// The ears' own check of the image ends with this `esp_err_t`.
    case refuseImage(deviceError: UInt32)
    /// Programming fails at the chunk that passes this share.
    case flashErrorAt(percent: Int)
    /// The erase before the first byte takes this long.
    case slowErase(Duration)
    case eraseHangs
    case verifyHangs
    /// `restart` is acknowledged and nothing happens.
    case restartIgnored
    /// New firmware panics this long after its start; zero: before it advertises.
    case bootFails(after: Duration)
    /// New firmware works and never marks itself valid.
    case neverConfirms
    /// New firmware takes this long until it marks itself valid.
    case slowConfirm(Duration)
    /// Built without rollback: no trial, otadata states are undefined.
    case noRollback
    case saveFails
    case slowSave(Duration)
    /// Every change of settings is refused.
    case refuseSetting(SettingRefusalName)
    /// The link goes down under the first change of settings, which never arrives.
    case dropAtChange
    /// The first change of settings is taken, and the link goes down before its reply is read.
    case loseChangeReply
    /// There is no space for another palette.
    case palettesFull
    /// Every calibration fails so.
    case calibration(CalibrationFailureName)
    /// A motion sensor does not answer.
    case sensorFails
    /// Where settings are kept nothing can be read or written.
    case storageDamaged
    /// A repair of the storage fails.
    case repairFails
    case slowRepair(Duration)
    /// The slots are empty from the start: recovery mode is all there is.
    case noFirmware
    /// Firmware of a later time: settings, effects and capabilities of kinds that today's tools do not know.
    case laterFirmware
    /// The ears have forgotten every bond.
    case staleBond
    /// The ears drop the pairing request of a peer whose bond they hold, as stock NimBLE does.
    case keepsBond
    /// The ears claim to have neither display nor keys: pairing is Just Works.
    case justWorks
    /// Nobody clicks the button of the headset.
    case noClick
    /// Firmware of the time before bonded links: Security 2.
    case securityTwo
    case applicationProtocol(UInt32)
    /// Bytes of the second slot.
    case smallSlot(size: Int)
    case battery(percent: UInt32)
    case without(Capability)
    /// The largest ATT MTU that the ears agree to.
    case maximumTransferUnit(Int)
    /// That many blocks of each sound are lost, half of them in a row.
    case dropAudioBlocks(Int)
    /// No block comes any more from this share of a sound on.
    case stallAudioAt(percent: Int)
    /// The microphone gives up at this share of a sound.
    case failAudioAt(percent: Int)
    /// No sound is ever begun.
    case refuseAudio(AudioReason)
    case microphone(Microphone)
}

extension Fault {
    /// Why the ears begin no sound.
    public enum AudioReason: String, CaseIterable, Sendable {
        case busy, memory, microphone
    }

    /// What is wrong with the microphone.
    public enum Microphone: String, CaseIterable, Sendable {
        /// Zeros alone.
        case dead
        /// A passage that is louder than full scale.
        case loud
        /// The zero is not in the middle.
        case offset
    }
}

/// The requests of the update endpoint, by name.
public enum UpdateRequestKind: String, CaseIterable, Sendable {
    case status, begin, chunk, finish, abort, restart
}

/// What ears can have beyond what all have.
public enum Capability: String, CaseIterable, Sendable {
    case flashlight, motion, battery, wifi
    /// The stream form of an upload.
    case updateStream = "update-stream"
    case audioCapture = "audio-capture"
    case audioRecording = "audio-recording"
}

/// Why ears refuse a change, by name.
public enum SettingRefusalName: String, CaseIterable, Sendable {
    case stale
    case outOfRange = "out-of-range"
    case readOnly = "read-only"
    case capability
    case mode
    case busy
    case nameEmpty = "name-empty"
    case nameTooLong = "name-too-long"
    case nameTaken = "name-taken"
    case nameNotAllowed = "name-not-allowed"
    case noSpace = "no-space"
    case notFound = "not-found"
    case sensor
}

/// How a calibration fails, by name.
public enum CalibrationFailureName: String, CaseIterable, Sendable {
    case moved
    case timedOut = "timed-out"
}
