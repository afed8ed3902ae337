import Bluetooth
public import CommandLineTools
import ControlProtocol
public import EarsCommandLine
import Ears
import FirmwareUpdate
public import FoundationEssentials
import Glibc

/// Gathers what a report says. Whatever cannot be had is left out and said to be: the report comes about without ears,
/// without Bluetooth and without a bus.
public struct SupportCollector: Sendable {
    private let invocation: Invocation
    private let options: EarsOptions
    private let finder: EarsFinder

    public init(_ invocation: Invocation, _ options: EarsOptions) throws(CommandFailure) {
        self.invocation = invocation
        self.options = options
        finder = try EarsFinder(invocation)
    }

    /// - Throws: cancellation alone.
    public func document(at time: Date) async throws(CommandFailure) -> JSON {
        let machine = await machine()
        let ears = await ears()
        if Task.isCancelled { throw invocation.cancellation }
        let attempts = attempts()
        let identifiers = ownIdentifiers + machine.identifiers + ears.identifiers + attempts.identifiers
        let redacted = Redaction(identifiers)
        return SupportReport(
            program: invocation.program, time: time,
            system: SystemDescription(environment: invocation.environment).json, bluetooth: redacted(machine.json),
            ears: redacted(ears.json), attempts: redacted(attempts.json)
        ).document
    }

    /// A part of the report, and what must not be in any of it.
    private struct Part {
        var json: JSON
        var identifiers: [String] = []

        static func failed(_ failure: CommandFailure) -> Part { Part(json: .object([("failure", failure.coded)])) }
    }

    /// What `doctor` finds, without its sentences.
    private func machine() async -> Part {
        do throws(CommandFailure) {
            let examined = try await MachineExamination(invocation)(options.adapter)
            let findings = examined.findings + (try CatalogueDiagnosis(invocation).findings)
            let facts = examined.facts
            let adapters = facts.adapters.map { adapter -> JSON in
                .object([
                    ("name", .string("\(adapter.name)")), ("powered", .boolean(adapter.isPowered)),
                    ("blocked", .boolean(adapter.isBlocked)), ("discovering", .boolean(adapter.isDiscovering)),
                    ("used", .boolean(adapter.name == facts.used)),
                ])
            }
            let json = JSON.object([
                ("bluez_version", .optional(facts.adapters.lazy.compactMap(\.daemonVersion).first?.description)),
                ("adapters", .array(adapters)), ("bonded_ears", .integer(Int64(facts.bondedEars.count))),
                ("findings", .array(findings.map(\.coded))),
            ])
            let identifiers = facts.adapters.map(\.address.description) + facts.bondedEars.flatMap(\.identifiers)
            return Part(json: json, identifiers: identifiers)
        } catch {
            return .failed(error)
        }
    }

    private func ears() async -> Part {
        do throws(CommandFailure) {
            return try await finder.withSession(options) { owned throws(EarsError) in
                let device = try await owned.session.deviceInformation()
                let identifiers = owned.sighting.identifiers + [device.name]
                let capabilities = try? await owned.session.capabilities()
                let state = try? await owned.session.state()
                let update = try? await owned.session.updateReading().status
                let settings = owned.session.mode == .normal ? try? await owned.session.settings() : nil
                let described = DescribedFirmware(device: device, settings: settings ?? [])
                let json = JSON.object([
                    ("mode", .string(owned.session.mode.rawValue)),
                    ("described", described.report(capabilities, state, update, mode: owned.session.mode)),
                ])
                return Part(json: json, identifiers: identifiers)
            }
        } catch {
            return .failed(error)
        }
    }

    private func attempts() -> Part {
        do throws(AttemptLogError) {
            let contents = try AttemptLog(stateFolder: finder.directories.state).contents()
            return Part(json: contents.report(), identifiers: contents.attempts.map(\.device))
        } catch {
            return .failed(CommandFailure(error))
        }
    }

    /// What this machine and the person at it are called.
    private var ownIdentifiers: [String] {
        var name = [CChar](repeating: 0, count: 256)
        let host =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : ""
        let environment = invocation.environment
        let names = [environment["USER"], environment["LOGNAME"], environment["HOME"]].compactMap { $0 }
        let remembered = RememberedEars(stateFolder: finder.directories.state).address?.description
        return names + [host, String(host.prefix { $0 != "." })] + [remembered].compactMap { $0 }
    }
}

extension Sighting {
    fileprivate var identifiers: [String] { [address.description] + [name].compactMap { $0 } }
}

extension CommandFailure {
    /// Without its sentence, which may name things.
    fileprivate var coded: JSON { .object(codedMembers) }

    fileprivate var codedMembers: [(String, JSON)] {
        [("status", .integer(Int64(status.rawValue))), ("code", .string(code))]
    }
}

extension Finding {
    fileprivate var coded: JSON { .object([("weight", .string(weight.rawValue))] + failure.codedMembers) }
}
