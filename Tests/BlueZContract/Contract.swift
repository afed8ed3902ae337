import Bluetooth
import DBus

/// Everything that the client asks of BlueZ, as one list of cases, for any `org.bluez` and the contract's peripheral:
/// real bluetoothd with Bumble behind it (Tests/RadioTests), and the simulated one (Tests/ContractTests).
///
/// `espurr-bluez-contract [--slow] [WORD…]`: the cases whose name holds each word; those of over half a minute only with
/// `--slow`. A line a case, `pass` or `FAIL`, its name, and what was wrong, with tabs between. Ends with 1 where one failed.
@main
struct Contract {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let words = arguments.filter { $0 != "--slow" }
        let cases = Case.all.filter { one in
            (!one.isSlow || arguments.contains("--slow")) && words.allSatisfy { one.name.contains($0) }
        }
        var failures = 0
        for one in cases where await !one.passes() { failures += 1 }
        exitProcess(failures == 0 && !cases.isEmpty ? 0 : 1)
    }
}
