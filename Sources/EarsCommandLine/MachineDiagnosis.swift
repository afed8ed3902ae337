import Bluetooth
import CommandLineTools

/// What one look at this machine means: pure.
struct MachineDiagnosis: Sendable {
    var survey: MachineSurvey
    /// `--adapter`.
    var wanted: AdapterName?
    var switches: [RadioSwitches.Switch] = []
    /// The processes of our own commands that own ears, by the ears.
    var holders: [BluetoothAddress: Int32] = [:]
    var unfinished: [PairingRecords.Record] = []

    var findings: [Finding] {
        adapterFindings + survey.devices.flatMap(findings) + pairingFindings
    }

    // MARK: Adapters

    private var adapterFindings: [Finding] {
        guard let used = survey.adapters.usable(wanted) else { return obstacles }
        var findings: [Finding] = []
        if survey.adapters.count > 1, wanted == nil {
            findings.append(.caution(.severalAdapters(survey.adapters.map(\.name), used: used.name)))
        }
        if used.isDiscovering { findings.append(.caution(.discoveringElsewhere(used.name))) }
        return findings
    }

    private var obstacles: [Finding] {
        let considered = survey.adapters.filter { wanted == nil || $0.name == wanted }
        let states = considered.compactMap(\.obstacle)
        guard states.isEmpty else { return states.map { .obstacle(CommandFailure($0)) } }
        let held = switches.filter { $0.block != nil }
        return [.obstacle(CommandFailure(survey.adapters.obstacle(wanted)))]
            + (survey.adapters.isEmpty ? held.map { .obstacle(.radioSwitched(off: $0)) } : [])
    }

    // MARK: Ears

    private func findings(_ device: SurveyedDevice) -> [Finding] {
        let ears = device.sighting
        guard ears.isBonded else {
            return ears.isPaired ? [.obstacle(CommandFailure(BluetoothError.staleBond(ears.address)))] : []
        }
        if device.isServiceMissing { return [.obstacle(.staleServices)] }
        if let process = holders[ears.address] { return [.caution(.held(ears, by: process))] }
        if device.isHeld { return [.obstacle(CommandFailure(BluetoothError.heldByOthers(ears.address)))] }
        return ears.isConnected ? [.caution(.connectedElsewhere(ears))] : []
    }

    private var pairingFindings: [Finding] {
        let bonded = Set(survey.devices.map(\.sighting).filter(\.isBonded).map(\.address))
        let left = unfinished.filter { bonded.contains($0.device) && holders[$0.device] == nil }
        return left.map { .caution(.unproved($0.device)) } + survey.agents.map { .caution(.defaultAgent($0)) }
            + (bonded.isEmpty && !survey.adapters.isEmpty ? [.caution(.nothingPaired)] : [])
    }
}
