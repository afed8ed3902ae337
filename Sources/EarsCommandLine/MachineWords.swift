import Bluetooth
import CommandLineTools

extension CommandFailure {
    init(_ state: MachineState) {
        switch state {
        case .noBusLibrary(let reason):
            self.init(
                .machine, code: "no_libdbus", cause: "libdbus cannot be used: \(reason.printable)",
                remedy: "install it (Debian: apt install libdbus-1-3)")
        case .tooManyOpenFiles(let number): self.init(tooManyOpenFiles: number)
        case .noBus(let address, let reason):
            self.init(
                .machine, code: "no_bus", cause: "no message bus at \(address.printable): \(reason.printable)",
                remedy: address.hasSuffix("/run/dbus/system_bus_socket")
                    ? "start D-Bus (systemctl start dbus)"
                    : "DBUS_SYSTEM_BUS_ADDRESS asks for it: unset it, or start the bus there")
        case .busSilent(let address, let time):
            self.init(
                .machine, code: "bus_silent",
                cause: "the message bus at \(address.printable) does not answer (\(time.inWords))",
                remedy: "where it stays so: journalctl -u dbus says why, and a restart of the machine mends it")
        case .busNotPermitted(let address):
            self.init(
                .notPermitted, code: "bus_not_permitted",
                cause: "the message bus at \(address.printable) does not let this user in",
                remedy: "the bus's own policy decides it: /usr/share/dbus-1/system.conf and /etc/dbus-1/system.d")
        case .noDaemon(let absence): self.init(absence)
        case .daemonSilent(let time):
            self.init(
                .machine, code: "daemon_silent", cause: "bluetoothd does not answer (\(time.inWords))",
                remedy: "systemctl restart bluetooth")
        case .daemonTooOld(let version):
            self.init(
                .machine, code: "bluez_too_old",
                cause: "BlueZ \(version) is too old: \(BlueZVersion.minimum) or newer is needed",
                remedy: "update the package bluez (Debian 12 and Ubuntu 24.04 have it)")
        case .noAdapter, .noSuchAdapter, .adapterOff, .adapterBlocked: self.init(adapter: state)
        }
    }

    private init(_ absence: DaemonAbsence) {
        switch absence {
        case .notInstalled:
            self.init(
                .machine, code: "no_daemon",
                cause: "bluetoothd is not running, and nothing that is installed brings it",
                remedy: "install BlueZ (Debian: apt install bluez)")
        case .notRunning:
            self.init(
                .machine, code: "daemon_not_running", cause: "bluetoothd is installed and not running",
                remedy: "systemctl enable --now bluetooth; where it fails: journalctl -u bluetooth")
        case .ended:
            self.init(
                .machine, code: "daemon_ended", cause: "bluetoothd ended while it was in use",
                remedy: "journalctl -u bluetooth may say why; then try again")
        }
    }

    private init(adapter state: MachineState) {
        switch state {
        case .noSuchAdapter(let name, let present):
            let list = present.map(\.description).joined(separator: ", ")
            self.init(
                .machine, code: "no_such_adapter", cause: "there is no adapter \(name)",
                remedy: "there is: \(list)")
        case .adapterOff(let name):
            self.init(
                .machine, code: "adapter_off", cause: "Bluetooth is off (\(name))", remedy: "bluetoothctl power on")
        case .adapterBlocked(let name, .soft):
            self.init(
                .machine, code: "adapter_soft_blocked", cause: "Bluetooth is blocked by software (\(name), rfkill)",
                remedy: "rfkill unblock bluetooth")
        case .adapterBlocked(let name, .hard):
            self.init(
                .machine, code: "adapter_hard_blocked",
                cause: "Bluetooth is blocked by a switch of this machine (\(name), rfkill)",
                remedy: "the radio's switch or key, or the firmware's settings: no command unblocks it")
        case .adapterBlocked(let name, .unknown):
            self.init(
                .machine, code: "adapter_blocked", cause: "Bluetooth is blocked (\(name), rfkill)",
                remedy: "rfkill unblock bluetooth, or the machine's switch")
        default:
            self.init(
                .machine, code: "no_adapter", cause: "this machine has no Bluetooth adapter",
                remedy: "plug one in (Bluetooth 4.2 or newer); “rfkill” may show one that is switched off")
        }
    }
}
