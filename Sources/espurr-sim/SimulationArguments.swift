import CommandLineTools
import Foundation
import Simulator

/// The options that say what is simulated.
struct SimulationArguments: Sendable {
    static let family = Option(
        "--family", value: "FAMILY",
        "board family: " + BoardFamily.allCases.map(\.rawValue).joined(separator: ", ") + " (v2-8m)")
    static let unpaired = Option("--unpaired", "ears and this machine do not know each other yet")
    static let recovery = Option("--recovery", "the ears are in recovery mode, which a reset leaves")
    static let ears = Option("--ears", value: "N", "how many pairs, 1 to \(SimulationOptions.earsLimit) (1)")
    static let adapters = Option(
        "--adapters", value: "N",
        "how many Bluetooth adapters, 1 to \(SimulationOptions.adaptersLimit) (1); the pairs are bonded with them by turns"
    )
    static let state = Option(
        "--state", value: "DIR", "keep flash, bonds, settings and the commands' own files there between runs")
    static let dumpFlash = Option(
        "--dump-flash", value: "FILE", "write the whole flash there at the end; of further pairs to FILE.2 and so on")
    static let fault = Option(
        "--fault", value: "[N:]NAME[=VALUE]", repeatable: true,
        "what goes wrong, with every pair or with pair N alone; the list is below")
    static let noClick = Option("--no-click", "nobody clicks the headset's button when a pairing needs it")

    static let all = [unpaired, family, recovery, ears, adapters, state, dumpFlash, fault, noClick]

    /// Paragraphs for the help.
    static let faultList =
        ["Faults:"]
        + FaultSelection.all.map { entry in
            entry.name + (entry.valueSyntax.map { "=" + $0 } ?? "") + ": " + entry.explanation
        }

    var options: SimulationOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = SimulationOptions()
        options.isPaired = !arguments.has(Self.unpaired)
        options.startsInRecovery = arguments.has(Self.recovery)
        options.clicksWhenNeeded = !arguments.has(Self.noClick)
        if let empty = [Self.state, Self.dumpFlash].first(where: { arguments.value(of: $0) == "" }) {
            throw .usage("“\(empty.name)” is empty")
        }
        options.stateFolder = arguments.value(of: Self.state).map(Self.absolute)
        options.flashDump = arguments.value(of: Self.dumpFlash)
        options.ears = try Self.count(Self.ears, arguments, limit: SimulationOptions.earsLimit)
        options.adapters = try Self.count(Self.adapters, arguments, limit: SimulationOptions.adaptersLimit)
        if let name = arguments.value(of: Self.family) { options.family = try Self.family(name) }
        for text in arguments.values(of: Self.fault) { try add(fault: text) }
        let pairs = options.faults.ofPair.keys.sorted()
        if let missing = pairs.first(where: { !(1...options.ears).contains($0) }) {
            throw .usage("there is no pair \(missing) to have a fault", remedy: "--ears says how many there are")
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func count(
        _ option: Option, _ arguments: ParsedArguments, limit: Int
    ) throws(CommandFailure) -> Int {
        guard let text = arguments.value(of: option) else { return 1 }
        guard let number = Int(text), (1...limit).contains(number) else {
            throw .usage("“\(option.name)” cannot be “\(text.printable)”", remedy: "a number from 1 to \(limit)")
        }
        return number
    }

    private static func family(_ name: String) throws(CommandFailure) -> BoardFamily {
        guard let family = BoardFamily(rawValue: name) else {
            let names = BoardFamily.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("no board family “\(name.printable)”", remedy: "one of \(names)")
        }
        return family
    }

    private mutating func add(fault text: String) throws(CommandFailure) {
        do throws(FaultSelection.Problem) {
            try options.faults.add(text)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ problem: FaultSelection.Problem) -> CommandFailure {
        switch problem {
        case .valueUnexpected(let fault): .usage("fault “\(fault.rawValue)” takes no value")
        case .notOfPair(let fault): .usage("fault “\(fault.rawValue)” is of this machine's side, and of no one pair")
        case .ears(.valueUnexpected(let name)): .usage("fault “\(name.rawValue)” takes no value")
        case .ears(.valueMissing(let name)):
            .usage("fault “\(name.rawValue)” needs a value: \(name.rawValue)=\(name.valueSyntax ?? "")")
        case .ears(.valueInvalid(let name, let value)):
            .usage("fault “\(name.rawValue)” takes \(name.valueSyntax ?? "no value"), not “\(value.printable)”")
        case .ears(.unknownName(let name)):
            .usage(
                "no fault “\(name.printable)”",
                remedy: "one of " + FaultSelection.all.map(\.name).joined(separator: ", "))
        }
    }
}
