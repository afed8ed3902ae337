public import Bluetooth
public import CommandLineTools
import Ears

/// Looks at this machine, without a radio and in under a second.
public struct MachineExamination: Sendable {
    private let surveyor: any MachineSurveying
    private let radio: RadioSwitches
    private let directories: UserDirectories

    public init(surveyor: any MachineSurveying, radio: RadioSwitches, directories: UserDirectories) {
        self.surveyor = surveyor
        self.radio = radio
        self.directories = directories
    }

    public init(_ invocation: Invocation) throws(CommandFailure) {
        let radio = RadioSwitches(invocation.environment)
        self.init(
            surveyor: BlueZCentral(limits: .diagnosis, radio: radio), radio: radio,
            directories: try UserDirectories(environment: invocation.environment))
    }

    /// - Parameter wanted: `--adapter`.
    public func callAsFunction(_ wanted: AdapterName?) async -> Diagnosis {
        let survey: MachineSurvey
        do throws(BluetoothError) {
            survey = try await surveyor.survey(of: EarsSession.service)
        } catch {
            return Diagnosis(findings: [.obstacle(Self.failure(error))], facts: MachineFacts())
        }
        let diagnosis = MachineDiagnosis(
            survey: survey, wanted: wanted, switches: radio.all, holders: holders(of: survey),
            unfinished: PairingRecords(stateFolder: directories.state).all)
        return Diagnosis(findings: diagnosis.findings, facts: MachineFacts(survey, wanted: wanted))
    }

    private static func failure(_ error: BluetoothError) -> CommandFailure {
        switch error {
        case .machine(.daemonSilent(let time)): .daemonNotYetAnswering(after: time)
        case .machine(.busSilent(let address, let time)): .busNotYetAnswering(address, after: time)
        default: CommandFailure(error)
        }
    }

    private func holders(of survey: MachineSurvey) -> [BluetoothAddress: Int32] {
        survey.devices.map(\.sighting).reduce(into: [:]) { holders, ears in
            holders[ears.address] =
                EarsLock.holder(adapter: ears.adapter, address: ears.address, in: directories.runtime)
                ?? holders[ears.address]
        }
    }
}
