public import Bluetooth
public import CommandLineTools

extension CommandFailure {
    /// What the matter is between this machine and the ears: cause, remedy and status, the same for every command.
    public init(_ error: BluetoothError) {
        switch error {
        case .machine(let state): self.init(state)
        case .pairing(let failure): self.init(failure)
        case .connectFailed(let failure): self.init(failure)
        case .notPermitted(let operation):
            self.init(
                .notPermitted, code: "not_permitted",
                cause: operation == .openBus
                    ? "the message bus's policy keeps this user from bluetoothd (org.bluez)"
                    : "this user is not allowed to \(operation.inWords) (bluetoothd, or the message bus's policy)",
                remedy: BluetoothAccess.ofThisProcess.remedy)
        case .unknownDevice(let address):
            self.init(
                .earsNotFound, code: "ears_unknown", cause: "this machine does not know the ears \(address)",
                remedy: "espurr-ctl scan lists what is there")
        case .staleBond(let address):
            self.init(
                .pairing, code: "stale_bond", cause: "the bond with \(address) is stale: one side forgot it",
                remedy: "espurr-ctl repair-bond --device \(address)")
        case .notBonded(let address):
            self.init(
                .pairing, code: "not_paired", cause: "\(address) is not paired with this machine",
                remedy: "espurr-ctl pair --device \(address)")
        case .linkLost(let operation):
            self.init(
                .earsNotFound, code: "link_lost", cause: "the link to the ears was lost (\(operation.inWords))",
                remedy: "move closer and try again")
        case .deadline(let operation, let time): self.init(late: operation, after: time)
        case .attribute(let code, let operation): self.init(attribute: code, operation)
        case .busy(let operation):
            self.init(
                .machine, code: "busy", cause: "another program is busy with the ears (\(operation.inWords))",
                remedy: "close it, or wait, and try again")
        case .heldByOthers(let address):
            self.init(
                .machine, code: "held_elsewhere", cause: "another program holds the ears \(address)",
                remedy: "close it, or: bluetoothctl disconnect \(address)")
        case .missingService, .missingCharacteristic: self = .staleServices
        case .rejected(let operation):
            self.init(
                .protocolNotSupported, code: "rejected", cause: "the ears do not support it (\(operation.inWords))",
                remedy: "update them by USB")
        case .notificationsLost(let limit):
            self.init(
                .machine, code: "notifications_lost",
                cause: "this machine was too slow: more than \(limit) notifications of the ears waited",
                remedy: "let it do less meanwhile, and try again")
        case .unexpected(let name, let message, let operation):
            self.init(
                .machine, code: "bluez_unexpected",
                cause: "BlueZ failed to \(operation.inWords): \(name.printable): \(message.printable)",
                remedy: "the log may say more: journalctl -u bluetooth")
        case .cancelled, .abandoned: self = .interrupted
        }
    }

    static let staleServices = CommandFailure(
        .protocolNotSupported, code: "stale_services",
        cause: "the control service is missing among what BlueZ knows of the ears",
        remedy: "if they changed mode, BlueZ's cache is stale: espurr-ctl repair-bond; else update by USB")

    private init(late operation: BluetoothError.Operation, after time: Duration) {
        switch operation {
        case .connect: self = .notFound(nil, after: time)
        case .pair: self.init(.timedOut)
        case .resolveServices, .read, .write, .readDescriptor, .openNotifications, .awaitNotification:
            self.init(
                .earsNotFound, code: "no_answer",
                cause: "the ears did not answer within \(time.inWords) (\(operation.inWords))",
                remedy: "move closer and try again")
        case .openBus, .listAdapters, .discover, .openWrites, .writeWithoutResponse, .removeBond, .disconnect:
            self.init(
                .machine, code: "bluez_late",
                cause: "BlueZ did not answer within \(time.inWords) (\(operation.inWords))",
                remedy: "systemctl restart bluetooth")
        }
    }

    /// Insufficient authentication, insufficient encryption key size, insufficient encryption (Core specification,
    /// Vol 3 Part F 3.4.1.1).
    private static let missingBond: Set<UInt8> = [0x05, 0x0C, 0x0F]

    private init(attribute code: UInt8, _ operation: BluetoothError.Operation) {
        if Self.missingBond.contains(code) {
            self.init(
                .pairing, code: "not_authenticated", cause: "the ears ask for a bond that this link does not have",
                remedy: "espurr-ctl repair-bond")
        } else {
            self.init(
                .earsRefused, code: "attribute_error",
                cause: "the ears refused to \(operation.inWords) (ATT error 0x\(String(code, radix: 16)))")
        }
    }

    private init(_ failure: ConnectFailure) {
        switch failure {
        case .notInRange:
            self.init(
                .earsNotFound, code: "ears_not_found", cause: "the ears did not answer",
                remedy: "switch them on, in BLE mode, and let a phone or watch that holds them go")
        case .aborted(let reason):
            self.init(
                .earsNotFound, code: "connection_aborted",
                cause: "the connection was made and ended at once (\(reason.printable))",
                remedy: "try again; if it stays so: espurr-ctl repair-bond")
        case .other(let reason):
            self.init(
                .earsNotFound, code: "connection_failed", cause: "no connection: \(reason.printable)",
                remedy: "the log may say more: journalctl -u bluetooth")
        }
    }

    private init(_ failure: PairingFailure) {
        let (code, cause, remedy): (String, String, String?) =
            switch failure {
            case .rejectedHere:
                ("digits_refused", "the digits were not confirmed here: not paired", "compare them and pair again")
            case .rejectedByPeripheral:
                (
                    "refused_by_ears", "nobody clicked in time, or the ears refused the pairing",
                    "click the headset's button within 30 s after espurr-ctl pair asks for it"
                )
            case .timedOut:
                // Ears that wait for a click and ears that ignore whoever they hold a bond with are silent alike.
                (
                    "pairing_timed_out", "nobody confirmed in time, or the ears ignored the pairing",
                    "click the headset's button within 30 s after espurr-ctl pair asks for it"
                )
            case .linkLost: ("link_lost", "the link was lost during pairing", "move closer and try again")
            case .alreadyPaired:
                (
                    "already_paired", "BlueZ has a bond with these ears already",
                    "espurr-ctl info shows whether it works, and what mends it where it does not"
                )
            case .inProgress: ("pairing_in_progress", "another program is pairing", "finish or cancel it there")
            case .downgraded:
                (
                    "downgraded", "BlueZ paired without comparing digits (Just Works): the bond was removed",
                    "somebody may be in between, or this firmware is too old: update it by USB"
                )
            case .notProved:
                (
                    "bond_not_proved", "the bond did not carry a second connection: it was removed",
                    "move closer and pair again"
                )
            case .agentRefused(let reason):
                (
                    "agent_refused", "BlueZ did not take the pairing agent: \(reason.printable)",
                    "the log may say more: journalctl -u bluetooth"
                )
            }
        self.init(.pairing, code: code, cause: cause, remedy: remedy)
    }
}

extension BluetoothError.Operation {
    var inWords: String {
        switch self {
        case .openBus: "open the bus"
        case .listAdapters: "list the adapters"
        case .discover: "look for ears"
        case .connect: "connect"
        case .resolveServices: "read the services"
        case .read: "read"
        case .write: "write"
        case .readDescriptor: "read a descriptor"
        case .openWrites: "take the characteristic for writing"
        case .writeWithoutResponse: "write without a response"
        case .openNotifications: "subscribe to notifications"
        case .awaitNotification: "wait for a notification"
        case .pair: "pair"
        case .removeBond: "remove the bond"
        case .disconnect: "disconnect"
        }
    }
}
