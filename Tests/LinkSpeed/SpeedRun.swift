import Bluetooth
import ControlProtocol
import Ears
import EarsInVirtualTime
import Firmware
import FirmwareUpdate
import Foundation
import Glibc
import Simulator
import Synchronization

/// One installation over a modelled link, and what it took.
struct SpeedRun: Sendable {
    /// Bytes of the file.
    let size: Int
    /// From the moment at which the first byte could be sent until the ears' flash had the last one.
    var transfer = Duration.zero
    /// All of the phase *sending*: opening the stream and the last acknowledgement too.
    var phase = Duration.zero
    /// Of this process in that phase: the upload, the link and the ears.
    var processorTime = Duration.zero
    /// Bytes in memory beyond those at the start of the phase, at most.
    var memoryGrowth = 0
    var droppedWrites = 0
    /// nil: confirmed.
    var fault: String?

    init(_ speedCase: SpeedCase, image: SoundImage, seed: UInt64, folder: String) {
        size = image.size
        let world = LinkWorld(
            Self.configuration(speedCase), settings: speedCase.settings,
            writePath: speedCase.receiver.writePath, seed: seed)
        let marks = Mutex(Marks())
        let installation = Task {
            await Self.install(image, over: world, in: folder) { event in
                marks.withLock { $0.note(event, world) }
            }
        }
        let outcome = world.time.run(
            installation, nextEvent: { world.nextEvent }, happen: { world.advance(to: $0) }, isDead: { false })
        world.end()
        try? FileManager.default.removeItem(atPath: folder)
        let noted = marks.withLock(\.self)
        fault = outcome.flatMap { $0.isEmpty ? nil : $0 } ?? (outcome == nil ? "hangs" : nil)
        if fault == nil, noted.form != speedCase.form { fault = "took the other form" }
        transfer = noted.lastWrite - noted.formChosen
        phase = noted.sent - noted.began
        processorTime = noted.processorTime
        memoryGrowth = noted.memoryGrowth
        droppedWrites = world.state.withLock(\.ears.droppedWrites)
        if fault == nil, !speedCase.expectsDropped(droppedWrites) { fault = "\(droppedWrites) writes were dropped" }
    }

    private static func configuration(_ speedCase: SpeedCase) -> EarsConfiguration {
        var faults: [Fault] = [.maximumTransferUnit(speedCase.maximumTransmissionUnit)]
        if speedCase.form == .exchange { faults.append(.without(.updateStream)) }
        return EarsConfiguration(
            family: speedCase.board == .esp32 ? .esp32 : .v2With16MB, address: LinkWorld.address, faults: faults,
            seed: 1)
    }

    /// - Returns: empty where it was confirmed.
    private static func install(
        _ image: SoundImage, over world: LinkWorld, in folder: String,
        report: @escaping @Sendable (InstallationEvent) -> Void
    ) async -> String {
        guard let address = BluetoothAddress(LinkWorld.address), let adapter = LinkCentral.adapter else {
            return "the ears' address is malformed"
        }
        do {
            let central = LinkCentral(world: world)
            let lock = try EarsLock(adapter: adapter, address: address, in: "\(folder)/runtime")
            let peripheral = try await central.connect(to: address, on: adapter, deadline: .seconds(60))
            let session = try await EarsSession.open(on: peripheral, clock: world.time)
            let surroundings = Installation.Surroundings(
                central: central, clock: world.time, log: AttemptLog(stateFolder: "\(folder)/state"))
            let result = try await Installation(
                of: image, release: nil, on: session, holding: lock, in: surroundings, report: report
            ).run()
            try? await session.disconnect()
            return result.verdict == .confirmed ? "" : "\(result.verdict)"
        } catch {
            return "\(error)"
        }
    }
}

/// What was noted on the way.
private struct Marks: Sendable {
    var began = Duration.zero
    var formChosen = Duration.zero
    var form: UploadForm?
    var sent = Duration.zero
    var lastWrite = Duration.zero
    var processorTime = Duration.zero
    var memoryGrowth = 0
    private var memoryAtStart = 0

    mutating func note(_ event: InstallationEvent, _ world: LinkWorld) {
        switch event {
        case .phase(.sending):
            began = world.time.elapsed
            processorTime = Self.processorTime
            memoryAtStart = Self.memory
        case .uploadForm(let form):
            formChosen = world.time.elapsed
            self.form = form
        case .progress: memoryGrowth = max(memoryGrowth, Self.memory - memoryAtStart)
        case .sent:
            sent = world.time.elapsed
            lastWrite = world.state.withLock(\.ears.lastWrite) ?? .zero
            processorTime = Self.processorTime - processorTime
        default: break
        }
    }

    private static var processorTime: Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
    }

    /// Resident: the second number of the file, in pages.
    private static var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
