import Bluetooth
import Catalogue
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

/// This machine's side of Bluetooth, of which an installation needs the reconnect alone; whatever else is asked of it
/// fails the test.
struct FakeCentral: Central {
    let ears: FakeUpdateEars

    func connect(
        to device: BluetoothAddress, on adapter: AdapterName, deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        guard !Task.isCancelled else { throw .cancelled }
        guard device == ears.address, adapter == ears.adapter, deadline > .zero else {
            Issue.record("connected to \(device) on \(adapter) within \(deadline)")
            throw .unknownDevice(device)
        }
        let isGone = ears.state.withLock { $0.isGone }
        if isGone {
            ears.clock.pass(deadline)
            throw .connectFailed(.notInRange)
        }
        return ears.connect()
    }

    func adapters() async throws(BluetoothError) -> [Adapter] { try untouched([]) }

    func known(with service: BluetoothUUID, on adapter: AdapterName?) async throws(BluetoothError) -> [Sighting] {
        try untouched([])
    }

    func discover(_ service: BluetoothUUID, on adapter: AdapterName) -> AsyncThrowingStream<Sighting, any Error> {
        Issue.record("discovered")
        return AsyncThrowingStream { $0.finish() }
    }

    func pair(
        with device: BluetoothAddress, on adapter: AdapterName, deadline: Duration,
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(BluetoothError) -> BluetoothAddress {
        try untouched(device)
    }

    func removeBond(of device: BluetoothAddress, on adapter: AdapterName) async throws(BluetoothError) {
        try untouched(())
    }

    private func untouched<Value>(_ value: Value, function: String = #function) throws(BluetoothError) -> Value {
        Issue.record("\(function) was called")
        throw .cancelled
    }
}

/// One pair of fake ears, an image for them, and a folder for the record.
struct Bench: Sendable {
    let clock = LeapingClock()
    let image: SoundImage
    let ears: FakeUpdateEars
    let folder: TemporaryFolder
    let file: String
    let log: AttemptLog
    let wake = WakeWatch()

    /// - Parameter isInFile: the image is sent from a file, which is ``file``.
    init(
        _ faults: Set<EarsFault> = [], mtu: Int = 517, version: String = "1.5.0", isInFile: Bool = false
    ) throws {
        let sent = try soundImage(version: version)
        ears = try FakeUpdateEars(expecting: sent, clock: clock, faults: faults, mtu: mtu)
        folder = try TemporaryFolder()
        file = "\(folder.path)/image.bin"
        log = AttemptLog(stateFolder: "\(folder.path)/state")
        if isInFile { try Data(try sent.bytes(in: 0..<sent.size)).write(to: URL(filePath: file)) }
        image = isInFile ? try ImageInspection(of: ImageFile(file)).verdict.get() : sent
    }

    var surroundings: Installation.Surroundings {
        let clock = clock
        return Installation.Surroundings(
            central: FakeCentral(ears: ears), clock: clock, log: log,
            now: {
                Date(timeIntervalSince1970: 1_800_000_000 + Double(clock.now.offset.components.seconds))
            },
            random: { 0xBEEF },
            keepAwake: { [wake, ears] in
                wake.note(.awake(after: ears.requests.count))
                return { wake.note(.mayFallAsleep(after: ears.requests.count)) }
            })
    }

    func session() async throws -> EarsSession { try await EarsSession.open(on: ears.connect(), clock: clock) }

    /// What an installation did and how it ended.
    struct Run: Sendable {
        var result: InstallationResult
        var events: [InstallationEvent]
        var verdict: Verdict { result.verdict }

        /// The events without the bytes.
        var course: [InstallationEvent] {
            events.filter { if case .progress = $0 { false } else { true } }
        }
    }

    /// - Parameters:
    ///   - cancellingAt: the first Ctrl-C comes while the ears have this request.
    ///   - cancelling: the first event for which it is true is where the first Ctrl-C comes.
    func install(
        cancellingAt request: RequestKind? = nil,
        cancelling: @escaping @Sendable (InstallationEvent) -> Bool = { _ in false }
    ) async throws -> Run {
        // Of its own: what the task of an earlier installation captured may outlive the wait for its value.
        let runtime = "\(folder.path)/runtime-\(UUID().uuidString)"
        let lock = try EarsLock(adapter: ears.adapter, address: ears.address, in: runtime)
        let session = try await session()
        let release = try release(of: image)
        let events = Mutex<[InstallationEvent]>([])
        // A task of its own: it is the installation that is cancelled, not the test.
        let start = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in start.stream {}
            return try await Installation(
                of: image, release: release, on: session, holding: lock, in: surroundings
            ) { event in
                events.withLock { $0.append(event) }
                if cancelling(event) { withUnsafeCurrentTask { $0?.cancel() } }
            }.run()
        }
        ears.state.withLock { $0.onRequest = { if $0 == request { task.cancel() } } }
        start.continuation.finish()
        let result = try await task.value
        let violations = ears.state.withLock { $0.peripheral?.violations }
        #expect(violations == [])
        #expect(ears.isBootable)
        return Run(result: result, events: events.withLock { $0.self })
    }

    func situation(
        waiting: Bool = false, report: @escaping @Sendable (InstallationEvent) -> Void = { _ in }
    ) async throws -> UpdateSituation {
        try await UpdateSituation.read(over: session(), in: surroundings, waiting: waiting, report: report)
    }
}

/// When the machine was kept awake, by how many requests the ears had had by then.
final class WakeWatch: Sendable {
    enum Change: Hashable {
        case awake(after: Int)
        case mayFallAsleep(after: Int)
    }

    private let log = Mutex<[Change]>([])

    var changes: [Change] { log.withLock(\.self) }

    func note(_ change: Change) { log.withLock { $0.append(change) } }
}
