import Bluetooth
import CommandLineTools
import Ears

/// What only a diagnosis says.
extension CommandFailure {
    /// In place of what other commands say after five seconds.
    static func daemonNotYetAnswering(after time: Duration) -> CommandFailure {
        CommandFailure(
            .machine, code: "daemon_silent", cause: "bluetoothd is not answering yet (\(time.inWords))",
            remedy: "try again in a moment; if it stays silent: systemctl restart bluetooth")
    }

    static func busNotYetAnswering(_ address: String, after time: Duration) -> CommandFailure {
        var failure = CommandFailure(BluetoothError.machine(.busSilent(address: address, after: time)))
        failure.cause = "the message bus at \(address.printable) is not answering yet (\(time.inWords))"
        return failure
    }

    static func radioSwitched(off radio: RadioSwitches.Switch) -> CommandFailure {
        let isHard = radio.block == .hard
        return CommandFailure(
            .machine, code: "radio_switched_off",
            cause: "the radio switch \(radio.name.printable) is \(isHard ? "off" : "blocked by software") (rfkill)",
            remedy: isHard ? "switch the radio on, by its key or in the firmware" : "rfkill unblock bluetooth")
    }

    static func severalAdapters(_ names: [AdapterName], used: AdapterName) -> CommandFailure {
        let list = names.map(\.description).joined(separator: ", ")
        return CommandFailure(
            .machine, code: "several_adapters", cause: "there are \(names.count) adapters (\(list)): \(used) is used",
            remedy: "--adapter hciN chooses another; each has bonds of its own")
    }

    static func discoveringElsewhere(_ adapter: AdapterName) -> CommandFailure {
        CommandFailure(
            .machine, code: "discovering_elsewhere", cause: "another program is looking for devices (\(adapter))",
            remedy: "nothing, as a rule; if ears are missed, close its Bluetooth window")
    }

    static func held(_ ears: Sighting, by process: Int32) -> CommandFailure {
        CommandFailure(.held(by: process), of: ears)
    }

    static func connectedElsewhere(_ ears: Sighting) -> CommandFailure {
        CommandFailure(
            .machine, code: "connected_elsewhere",
            cause: "\(ears.inWords) is connected already, by BlueZ itself or another program",
            remedy: "nothing, as a rule: commands share the link; to end it: bluetoothctl disconnect \(ears.address)")
    }

    static func defaultAgent(_ agent: AgentProgram) -> CommandFailure {
        let deed =
            agent.comparesNothing
            ? "answers pairings of this machine, without comparing digits" : "usually answers pairings of this machine"
        return CommandFailure(
            .pairing, code: "default_agent",
            cause: "\(agent.name.printable) (process \(agent.process)) \(deed)",
            remedy: "espurr-ctl pair asks here all the same; if digits appear there, end it while pairing")
    }

    static func unproved(_ device: BluetoothAddress) -> CommandFailure {
        CommandFailure(
            .pairing, code: "unproved_bond", cause: "a pairing with \(device) was cut off before its bond was proved",
            remedy: "espurr-ctl devices, or any other command, removes that bond; then: espurr-ctl pair")
    }

    static let nothingPaired = CommandFailure(
        .pairing, code: "nothing_paired", cause: "no ears are paired with this machine", remedy: "espurr-ctl pair")
}
