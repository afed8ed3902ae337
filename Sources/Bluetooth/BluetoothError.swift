/// Everything that can go wrong between this process and a peripheral. Words for people are made at the edge.
public enum BluetoothError: Error, Equatable, Sendable {
    /// What is the matter with this machine.
    case machine(MachineState)
    /// D-Bus or BlueZ does not let this user do it.
    case notPermitted(operation: Operation)

    /// BlueZ knows no such device on the adapter.
    case unknownDevice(BluetoothAddress)
    /// The link could not be made.
    case connectFailed(ConnectFailure)
    /// The link ended while the operation was under way, or was down already.
    case linkLost(during: Operation)
    /// No answer within the operation's deadline.
    case deadline(Operation, after: Duration)

    /// The peripheral answered with an ATT error (Core specification, Vol 3 Part F 3.4.1.1).
    case attribute(code: UInt8, during: Operation)
    /// The operation is not supported by the characteristic, or the value is too long for it.
    case rejected(Operation)
    /// More notifications came than were fetched: those that the stream could hold were given, at least one is lost.
    case notificationsLost(limit: Int)
    /// The services were resolved and this one is not among them.
    case missingService(BluetoothUUID)
    case missingCharacteristic(BluetoothUUID)

    case pairing(PairingFailure)
    /// One side forgot the bond; forgetting it here and pairing again mends it.
    case staleBond(BluetoothAddress)
    /// A protected operation on a link without a bond.
    case notBonded(BluetoothAddress)

    /// Another operation of the same kind is under way in BlueZ, perhaps of another program.
    case busy(Operation)
    /// Another program of this machine has acquired characteristics of the device.
    case heldByOthers(BluetoothAddress)
    /// Nothing of the operation is left to be known of: an exchange was not begun.
    case cancelled
    /// The task was cancelled while an exchange was under way, and its answer did not come in the time that is left then:
    /// what the peripheral did is not known.
    case abandoned(Operation)
    /// An answer that this build does not know, as BlueZ gave it.
    case unexpected(name: String, message: String, during: Operation)

    public enum Operation: Hashable, Sendable {
        case openBus, listAdapters, discover, connect, resolveServices, read, write, readDescriptor, openWrites,
            writeWithoutResponse, openNotifications, awaitNotification, pair, removeBond, disconnect
    }
}

/// A state of this machine in which no ears can be reached at all.
public enum MachineState: Equatable, Sendable {
    /// The library that speaks to the bus is not there, or is another one.
    case noBusLibrary(reason: String)
    /// This process, or with `ENFILE` the machine, has no descriptor left.
    case tooManyOpenFiles(errno: Int32)
    /// No message bus at the address.
    case noBus(address: String, reason: String)
    case busNotPermitted(address: String)
    /// Somebody listens at the address and does not answer.
    case busSilent(address: String, after: Duration)
    /// `org.bluez` has no owner.
    case noDaemon(DaemonAbsence)
    /// `org.bluez` has an owner that does not answer.
    case daemonSilent(after: Duration)
    case noAdapter
    case noSuchAdapter(AdapterName, present: [AdapterName])
    case adapterOff(AdapterName)
    /// By rfkill: as the kernel says it, or `PowerState` of Adapter1 (`off-blocked`).
    case adapterBlocked(AdapterName, by: RadioBlock)
    /// Older than ``BlueZVersion/minimum``.
    case daemonTooOld(BlueZVersion)
}

/// Why nobody owns `org.bluez`.
public enum DaemonAbsence: Hashable, Sendable {
    /// The bus knows no service of that name: nothing is installed that would bring it.
    case notInstalled
    /// The bus could start it: it is disabled, or did not come up.
    case notRunning
    /// It was there when this process began.
    case ended
}

public enum ConnectFailure: Equatable, Sendable {
    /// Nothing heard from the device within the deadline.
    case notInRange
    /// The link was made and ended at once; `reason` is BlueZ's text.
    case aborted(reason: String)
    case other(reason: String)
}

public enum PairingFailure: Equatable, Sendable {
    /// The digits were not confirmed on this side.
    case rejectedHere
    /// The peripheral refused, or the digits were not confirmed there.
    case rejectedByPeripheral
    /// Nobody confirmed on the peripheral in time (30 s).
    case timedOut
    /// The link ended during pairing.
    case linkLost
    /// BlueZ says a bond exists already.
    case alreadyPaired
    /// Another pairing is under way.
    case inProgress
    /// Just Works: our agent was not asked to compare digits. The bond was removed at once.
    case downgraded
    /// Paired, but the fresh connection or the protected read that proves it failed.
    case notProved
    /// BlueZ did not take our agent.
    case agentRefused(reason: String)
}
