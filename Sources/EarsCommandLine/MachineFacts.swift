public import Bluetooth
import CommandLineTools

/// What a diagnosis saw that is nobody's fault.
public struct MachineFacts: Equatable, Sendable {
    public var adapters: [Adapter] = []
    /// The one that commands use.
    public var used: AdapterName?
    public var bondedEars: [Sighting] = []

    public init() {}

    init(_ survey: MachineSurvey, wanted: AdapterName?) {
        adapters = survey.adapters
        used = survey.adapters.usable(wanted)?.name
        bondedEars = survey.devices.map(\.sighting).filter(\.isBonded)
    }

    private var version: BlueZVersion? { adapters.lazy.compactMap(\.daemonVersion).first }

    var inWords: String {
        let parts = [version.map { "BlueZ \($0)" }, used.map { "adapter \($0)" }, ears].compactMap { $0 }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    }

    /// What nobody knows without the radio or a request, and the commands that show it.
    ///
    /// BlueZ keeps its side of a bond whatever became of the other: only a connection shows one that the ears forgot.
    var notLookedAtInWords: String {
        let (what, command) =
            switch bondedEars.count {
            case 0: ("whether ears are in reach", "espurr-ctl scan")
            case 1: ("whether the ears answer, and still know this machine", "espurr-ctl info")
            default: ("whether the ears answer, and still know this machine", "espurr-ctl info --device ADDRESS")
            }
        return "not looked at, for it takes the radio or the network: \(what) (\(command) shows it); "
            + "whether the catalogue can be reached (espurr-ota list)"
    }

    private var ears: String? {
        switch bondedEars.count {
        case 0: nil
        case 1: "paired with \(bondedEars[0].inWords)"
        default: "paired with \(bondedEars.count) pairs of ears"
        }
    }

    var members: [(String, JSON)] {
        let list = adapters.map { adapter -> JSON in
            .object([
                ("name", .string("\(adapter.name)")), ("address", .string("\(adapter.address)")),
                ("powered", .boolean(adapter.isPowered)), ("blocked", .optional(adapter.block?.code)),
                ("discovering", .boolean(adapter.isDiscovering)), ("used", .boolean(adapter.name == used)),
            ])
        }
        return [
            ("bluez_version", .optional(version?.description)), ("adapters", .array(list)),
            ("bonded_ears", .array(bondedEars.map { .string("\($0.address)") })),
            ("not_looked_at", .array(["bonds", "catalogue"].map(JSON.string))),
        ]
    }
}

extension RadioBlock {
    var code: String {
        switch self {
        case .soft: "soft"
        case .hard: "hard"
        case .unknown: "unknown"
        }
    }
}
