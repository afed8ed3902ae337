import DBus
import Testing

@testable import Bluetooth

private let situation: Situation = {
    var situation = Situation(operation: .write, bus: "unix:path=/x", limit: .seconds(7))
    situation.device = Ears.address
    situation.adapter = Ears.adapterName
    return situation
}()

private func remote(_ name: String, _ message: String = "") -> DBusError {
    .remote(name: name.contains(".") ? name : "org.bluez.Error." + name, message: message)
}

private let abort = "le-connection-abort-by-local"
private let busError = "org.freedesktop.DBus.Error."

private func evidence(_ change: (inout PairingEvidence) -> Void = { _ in }) -> PairingEvidence {
    var evidence = PairingEvidence(
        silence: .seconds(1), refusedHere: false, otherRequestRefused: false, agentCancelled: false,
        linkEnded: false, agentAsked: true,
        connect: ConnectEvidence(elapsed: .seconds(1), linkWasMade: true, wasBonded: false))
    change(&evidence)
    return evidence
}

struct `Errors of any call` {
    @Test(
        arguments: [
            (DBusError.connectionFailed(address: "a", reason: "r"), .machine(.noBus(address: "a", reason: "r"))),
            (.libraryUnusable(reason: "r"), .machine(.noBusLibrary(reason: "r"))),
            (.tooManyOpenFiles(errno: 24), .machine(.tooManyOpenFiles(errno: 24))),
            (.connectionRefused(address: "a", reason: "r"), .machine(.busNotPermitted(address: "a"))),
            (.disconnected, .machine(.noBus(address: "unix:path=/x", reason: "disconnected"))),
            (.deadline(.seconds(1)), .deadline(.write, after: .seconds(7))),
            (.cancelled, .cancelled),
            (remote(busError + "ServiceUnknown"), .machine(.noDaemon(.ended))),
            (remote(busError + "NameHasNoOwner"), .machine(.noDaemon(.ended))),
            (remote(busError + "Spawn.PermissionsInvalid"), .machine(.noDaemon(.ended))),
            (remote(busError + "Spawn.ExecFailed"), .machine(.noDaemon(.ended))),
            (remote(busError + "NoReply"), .deadline(.write, after: .seconds(7))),
            (remote(busError + "AccessDenied"), .notPermitted(operation: .write)),
            (remote("NotAuthorized"), .notPermitted(operation: .write)),
            (remote("NotPermitted"), .notPermitted(operation: .write)),
            (remote("NotReady", "Resource Not Ready"), .machine(.adapterOff(Ears.adapterName))),
            (remote("InProgress"), .busy(.write)),
            (remote("NotSupported"), .rejected(.write)),
            (remote("DoesNotExist"), .unknownDevice(Ears.address)),
            (remote(busError + "UnknownObject"), .unknownDevice(Ears.address)),
            (remote(busError + "UnknownMethod"), .unknownDevice(Ears.address)),
            (remote("NotConnected"), .linkLost(during: .write)),
            (remote("Novel", "text"), .unexpected(name: "org.bluez.Error.Novel", message: "text", during: .write)),
        ] as [(DBusError, BluetoothError)])
    func `each has its meaning`(_ failure: DBusError, _ error: BluetoothError) {
        #expect(BluetoothError(failure, situation) == error)
    }

    @Test func `a bus that does not answer is none`() {
        var opening = situation
        opening.operation = .openBus
        #expect(
            BluetoothError(.deadline(.seconds(7)), opening)
                == .machine(.busSilent(address: "unix:path=/x", after: opening.limit)))
    }

    @Test func `not ready on a blocked adapter is blocked`() {
        var blocked = situation
        blocked.adapterBlock = .unknown
        #expect(
            BluetoothError(remote("NotReady"), blocked) == .machine(.adapterBlocked(Ears.adapterName, by: .unknown)))
    }
}

struct `Errors of reads and writes` {
    @Test(
        arguments: [
            (remote("Failed", "Operation failed with ATT error: 0x0e"), .attribute(code: 0x0e, during: .write)),
            (remote("Failed", "Operation failed with ATT error: 0x80"), .attribute(code: 0x80, during: .write)),
            (remote("Failed", "Not connected"), .linkLost(during: .write)),
            (remote("NotConnected"), .linkLost(during: .write)),
            (remote(busError + "UnknownObject"), .linkLost(during: .write)),
            (remote(busError + "UnknownMethod"), .linkLost(during: .write)),
            (remote("NotPermitted", "Not paired"), .notBonded(Ears.address)),
            (remote("NotPermitted", "Read not permitted"), .attribute(code: 0x02, during: .write)),
            (remote("NotPermitted", "Write not permitted"), .attribute(code: 0x03, during: .write)),
            (remote("NotPermitted", "Write acquired"), .heldByOthers(Ears.address)),
            (remote("NotAuthorized"), .attribute(code: 0x08, during: .write)),
            (remote("InvalidArguments", "Invalid offset"), .attribute(code: 0x07, during: .write)),
            (remote("InvalidArguments", "Invalid Length"), .attribute(code: 0x0D, during: .write)),
            (remote("InvalidArguments", "Novel"), .rejected(.write)),
            (remote("InvalidValueLength"), .attribute(code: 0x0D, during: .write)),
            (remote("NotSupported"), .rejected(.write)),
            (remote("InProgress"), .busy(.write)),
            (remote("Failed", "Novel"), .unexpected(name: "org.bluez.Error.Failed", message: "Novel", during: .write)),
            (.deadline(.seconds(1)), .deadline(.write, after: .seconds(7))),
        ] as [(DBusError, BluetoothError)])
    func `each has its meaning while the link is up`(_ failure: DBusError, _ error: BluetoothError) {
        #expect(BluetoothError(gatt: failure, linkIsUp: true, situation) == error)
    }

    @Test(arguments: ["Operation failed with ATT error: 0x0e", "Not connected", "Operation failed"])
    func `failing with the link down is the link lost`(_ message: String) {
        let error = BluetoothError(gatt: remote("Failed", message), linkIsUp: false, situation)
        #expect(error == .linkLost(during: .write))
    }

    @Test(
        arguments: [
            ("Operation failed with ATT error: 0x0e", 0x0e), ("Operation failed with ATT error: 0xfF", 0xff),
            ("Operation failed with ATT error: 0x", nil), ("Operation failed with ATT error: 0x0e ", nil),
            ("Operation failed with ATT error: 0x+e", nil), ("Operation failed with ATT error: 0x0ee", nil), ("", nil),
            ("operation failed with ATT error: 0x0e", nil), ("Operation failed with ATT error: 0x１２", nil),
        ] as [(String, UInt8?)])
    func `an ATT code is read to the letter`(_ message: String, _ code: UInt8?) {
        #expect(ATTError.code(in: message) == code)
    }

    @Test func `only 0x0e and no code at all may be a dropped link`() {
        #expect(BluetoothError.mayBeDroppedLink(remote("Failed", "Operation failed with ATT error: 0x0e")))
        #expect(BluetoothError.mayBeDroppedLink(remote("Failed", "Operation failed")))
        #expect(!BluetoothError.mayBeDroppedLink(remote("Failed", "Operation failed with ATT error: 0x80")))
        #expect(!BluetoothError.mayBeDroppedLink(remote("NotSupported")))
    }
}

struct `Errors of connecting` {
    @Test(
        arguments: [
            (0.3, true, true, .staleBond(Ears.address)),
            (0.3, true, false, .connectFailed(.aborted(reason: abort))),
            (12, true, true, .connectFailed(.aborted(reason: abort))),
            (41, false, true, .connectFailed(.notInRange)),
            (41, false, false, .connectFailed(.notInRange)),
            (0.3, false, true, .connectFailed(.other(reason: abort))),
        ] as [(Double, Bool, Bool, BluetoothError)])
    func `one text is told apart by time and flicker`(
        _ seconds: Double, _ linkWasMade: Bool, _ wasBonded: Bool, _ error: BluetoothError
    ) {
        let evidence = ConnectEvidence(
            elapsed: .seconds(seconds), linkWasMade: linkWasMade, wasBonded: wasBonded)
        #expect(BluetoothError(connect: remote("Failed", abort), evidence, situation) == error)
    }

    @Test(arguments: ["le-connection-abort-by-local", "br-connection-canceled", "a text of another version"])
    func `a stale bond is known whatever BlueZ's text is`(_ text: String) {
        let evidence = ConnectEvidence(elapsed: .seconds(0.3), linkWasMade: true, wasBonded: true)
        #expect(BluetoothError(connect: remote("Failed", text), evidence, situation) == .staleBond(Ears.address))
    }

    @Test func `an unavailable profile is a failure with its text`() {
        let evidence = ConnectEvidence(elapsed: .zero, linkWasMade: false, wasBonded: false)
        let failure = remote("NotAvailable", "br-connection-profile-unavailable")
        #expect(
            BluetoothError(connect: failure, evidence, situation)
                == .connectFailed(.other(reason: "br-connection-profile-unavailable")))
        #expect(
            BluetoothError(connect: remote("NotReady"), evidence, situation) == .machine(.adapterOff(Ears.adapterName)))
    }
}

struct `Errors of pairing` {
    @Test(
        arguments: [
            (remote("AuthenticationFailed"), evidence { $0.refusedHere = true }, .pairing(.rejectedHere)),
            (remote("AuthenticationCanceled"), evidence { $0.refusedHere = true }, .pairing(.rejectedHere)),
            (remote("AuthenticationFailed"), evidence(), .pairing(.rejectedByPeripheral)),
            (remote("AuthenticationRejected"), evidence(), .pairing(.rejectedByPeripheral)),
            (remote("AuthenticationFailed"), evidence { $0.otherRequestRefused = true }, .pairing(.downgraded)),
            (remote("AuthenticationTimeout"), evidence(), .pairing(.timedOut)),
            (remote("AuthenticationCanceled"), evidence { $0.silence = .seconds(32) }, .pairing(.timedOut)),
            (
                remote("AuthenticationCanceled"),
                evidence {
                    $0.silence = .seconds(32)
                    $0.linkEnded = true
                    $0.agentCancelled = true
                }, .pairing(.timedOut)
            ),
            (remote("AuthenticationCanceled"), evidence { $0.linkEnded = true }, .pairing(.linkLost)),
            (remote("AuthenticationCanceled"), evidence { $0.agentCancelled = true }, .pairing(.rejectedByPeripheral)),
            (
                remote("AuthenticationCanceled"), evidence(),
                .unexpected(name: "org.bluez.Error.AuthenticationCanceled", message: "", during: .write)
            ),
            (remote("AlreadyExists"), evidence { $0.refusedHere = true }, .pairing(.alreadyPaired)),
            (remote("InProgress"), evidence(), .pairing(.inProgress)),
            (remote("NotConnected"), evidence(), .pairing(.linkLost)),
            (remote("Failed", "Input/output error"), evidence { $0.linkEnded = true }, .pairing(.linkLost)),
            (
                remote("ConnectionAttemptFailed", "Page Timeout"),
                evidence {
                    $0.agentAsked = false
                    $0.connect = ConnectEvidence(elapsed: .seconds(41), linkWasMade: false, wasBonded: false)
                }, .connectFailed(.notInRange)
            ),
            (remote(busError + "NameHasNoOwner"), evidence(), .machine(.noDaemon(.ended))),
            (.deadline(.seconds(1)), evidence(), .deadline(.write, after: .seconds(7))),
        ] as [(DBusError, PairingEvidence, BluetoothError)])
    func `is told by the evidence`(_ failure: DBusError, _ evidence: PairingEvidence, _ error: BluetoothError) {
        #expect(BluetoothError(pair: failure, evidence, situation) == error)
    }
}
