import Bluetooth
import ControlProtocol
import Ears
import EarsInVirtualTime
import Firmware
import FirmwareUpdate
import Foundation
import Simulator
import Synchronization

/// How one command ended, as far as it said so.
enum Outcome: Sendable {
    case verdict(Verdict, UpdateTarget)
    /// Refused before anything was sent, or no session could be opened.
    case notBegun(String)
    case died
    /// It waits for something that never comes.
    case hangs
    /// It had nothing to say.
    case nothing
}

extension Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .verdict(let verdict, let target): "\(verdict) (slot \(target.slot))"
        case .notBegun(let reason): "not begun: \(reason)"
        case .died: "killed"
        case .hangs: "hangs"
        case .nothing: "nothing"
        }
    }
}

/// Which ears: normal or in recovery, with the stream form of an upload or without.
struct EarsKind: Hashable, Sendable, CustomStringConvertible {
    let mode: EarsConfiguration.Mode
    let hasStream: Bool

    static let all = [true, false].flatMap { hasStream in
        [EarsConfiguration.Mode.normal, .recovery].map { EarsKind(mode: $0, hasStream: hasStream) }
    }

    var description: String { "\(mode.rawValue) mode, \(hasStream ? "stream" : "exchange") form" }
}

/// One pair of ears and this machine, from command to command.
final class Bench {
    static let oldImage = BuiltImage(family: .esp32, version: "1.4.0", length: 640)
    static let newImage = BuiltImage(family: .esp32, version: "1.5.0", length: 1200)
    static let slotOffsets = [0x1_0000, 0x1C_0000]

    /// Fresh ears of the family `esp32` with the small old image in their first slot.
    static let factory: Flash = {
        let configuration = EarsConfiguration(family: .esp32, address: address, seed: 1)
        var bytes = SimulatedEars(configuration: configuration).flash.bytes
        let slot = slotOffsets[0]
        bytes.replaceSubrange(slot..<slotOffsets[1], with: repeatElement(0xFF, count: slotOffsets[1] - slot))
        bytes.replaceSubrange(slot..<slot + oldImage.bytes.count, with: oldImage.bytes)
        return Flash(bytes: bytes)
    }()

    static let address = "F0:00:00:00:00:01"

    let time = VirtualTime()
    let world: World
    private let folder: String
    private var commands = 0

    init(kind: EarsKind, folder: String) {
        var configuration = EarsConfiguration(
            family: .esp32, address: Self.address, mode: kind.mode,
            faults: kind.hasStream ? [] : [.without(.updateStream)], seed: 1)
        // Small as the image: credit has to be given several times.
        configuration.streamWindow = 600
        world = World(configuration, flash: Self.factory, time: time)
        self.folder = folder
    }

    /// Nothing of it is left.
    func end() {
        world.end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func install(_ image: SoundImage) -> Outcome {
        run { command in
            let result = try await Installation(
                of: image, release: nil, on: command.session, holding: command.lock, in: command.surroundings,
                deadlines: Self.deadlines, report: command.report
            ).run()
            return .verdict(result.verdict, result.attempt.target)
        }
    }

    /// `status --wait`; nil where there was nothing to settle.
    func settle() -> Outcome? {
        let outcome = run { command in
            let situation = try await UpdateSituation.read(
                over: command.session, in: command.surroundings, waiting: true, deadlines: Self.deadlines,
                report: command.report)
            guard let verdict = situation.verdict, let attempt = situation.attempt else { return .nothing }
            return .verdict(verdict, attempt.target)
        }
        if case .nothing = outcome { return nil }
        return outcome
    }

    private func run(_ body: @escaping @Sendable (Command) async throws -> Outcome) -> Outcome {
        commands += 1
        let start = CommandStart(world: world, folder: folder, number: commands)
        let task = Task { await start.run(body) }
        world.state.withLock { state in
            state.stretch = .opening
            state.cancel = { task.cancel() }
        }
        let world = world
        let outcome = time.run(
            task, nextEvent: { world.nextEvent }, happen: { world.advance(to: $0) }, isDead: { world.hasDead })
        defer { world.forgetDead() }
        return outcome ?? (world.hasDead ? .died : .hangs)
    }

    /// Polls less often than the product does: the same steps, fewer times.
    private static let deadlines = PhaseDeadlines(pollInterval: .seconds(2))
}

/// What a command has once it is connected.
private struct Command: Sendable {
    let session: EarsSession
    let lock: EarsLock
    let surroundings: Installation.Surroundings
    let report: @Sendable (InstallationEvent) -> Void
}

private struct CommandStart: Sendable {
    let world: World
    let folder: String
    let number: Int

    func run(_ body: @Sendable (Command) async throws -> Outcome) async -> Outcome {
        do {
            let command = try await command()
            let outcome = try await body(command)
            try? await command.session.disconnect()
            return outcome
        } catch {
            return .notBegun("\(error)")
        }
    }

    private func command() async throws -> Command {
        guard let address = BluetoothAddress(Bench.address), let adapter = WorldCentral.adapter else {
            preconditionFailure("the matrix's own addresses are malformed")
        }
        let (world, number) = (world, number)
        let central = WorldCentral(world: world)
        // Of each command its own: a killed one's is let go of by the kernel, which this process does not ask.
        let lock = try EarsLock(adapter: adapter, address: address, in: "\(folder)/runtime-\(number)")
        let peripheral = try await central.connect(to: address, on: adapter, deadline: .seconds(60))
        let session = try await EarsSession.open(on: peripheral, clock: world.time)
        let surroundings = Installation.Surroundings(
            central: central, clock: world.time, log: AttemptLog(stateFolder: "\(folder)/state"),
            now: { Date(timeIntervalSince1970: 1_800_000_000 + Double(world.time.elapsed.components.seconds)) },
            random: { UInt32(number) })
        return Command(session: session, lock: lock, surroundings: surroundings) { world.follow($0) }
    }
}

extension World {
    fileprivate func follow(_ event: InstallationEvent) {
        guard case .phase(let phase) = event else { return }
        switch phase {
        case .erasing: enter(.erasing)
        case .sending: enter(.sending)
        case .verifying: enter(.verifying)
        case .restarting: enter(.restarting)
        case .reconnecting: enter(.reconnecting)
        case .watching: enter(.watching)
        }
    }
}
