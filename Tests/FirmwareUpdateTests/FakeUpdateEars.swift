import Bluetooth
import ControlProtocol
import Ears
import Firmware
import Synchronization
import TestSupport
import Testing

/// What can go wrong with the ears, by name.
enum EarsFault: Hashable, Sendable {
    /// The link ends during the write of the first chunk at or past this share of the file, in per cent.
    case linkDrops(atPercent: Int)
    /// It takes effect; the link ends before the reply is read.
    case replyLost(RequestKind)
    /// The link ends before the reply in which the new slot is selected.
    case linkEndsOnceSelected
    /// It takes effect; the reply cannot be read, with the link up. Once.
    case replyUnreadable(RequestKind)
    /// It takes no effect, with the link up. Once.
    case requestLost(RequestKind)
    /// No answer within the deadline, with the link up. Once.
    case silent(RequestKind)
    /// It takes effect; the reply does not come in the time that is left to a cancelled exchange. Once.
    case abandoned(RequestKind)
    /// Every `begin` fails at the level of ATT.
    case refusesBegin
    case refuses(RequestKind, UpdateRefusal, deviceError: UInt32)
    /// The ears' own check fails.
    case imageRefused
    case eraseNeverEnds
    case verifyNeverEnds
    /// The session is forgotten in the middle of the upload, with the link up.
    case sessionForgotten
    /// Over several bearers the read of a chunk's reply is answered before the chunk is taken.
    case readsFirst
    /// Chunks are refused as busy this often before each is taken.
    case busy(times: Int)
    /// Every chunk is answered with an offset beyond it.
    case asksAhead
    /// They go back by a chunk after every second one.
    case goesBack
    /// They say selected, and select nothing.
    case selectsNothing
    /// `restart` is acknowledged and nothing happens.
    case restartIgnored
    /// The link ends before the reply to `restart`; they restart after the next status only.
    case restartsLate
    /// The new image does not come up: the boot loader goes back.
    case bootFails
    /// The new image crashes while it is watched, and the boot loader goes back.
    case crashesOnTrial
    /// Stays on trial for good.
    case neverConfirms
    case noRollback
    /// Restarts by itself this many times after it was VALID.
    case restless(times: Int)
    /// Does not come back after the restart.
    case neverComesBack
    /// The link ends once while the new image is watched.
    case linkDropsOnTrial
    /// They come up in recovery mode again.
    case recoversAgain
}

enum RequestKind: Hashable, Sendable {
    case status, begin, chunk, finish, abort, restart
}

/// Ears at the level of the update endpoint's messages, on a clock that leaps. It keeps no flash and checks no image:
/// it holds what arrives against the image that the test means to send.
final class FakeUpdateEars: Sendable {
    struct State {
        var slots: [Slot]
        var running: UInt32 = 0
        var selected: UInt32 = 0
        var bootCount: UInt32 = 3
        var update = UpdateState.idle
        var session: UInt32 = 0
        var lastSession: UInt32 = 40
        var refusal: UpdateRefusal?
        var deviceError: UInt32 = 0
        var size: UInt32 = 0
        var sha256: [UInt8] = []
        var received: [UInt8] = []
        var since: Duration = .zero
        var busyLeft = 0
        var restlessLeft = 0
        var mayDropOnTrial = false
        var faults: Set<EarsFault>
        var requests: [RequestKind] = []
        var begins: [(family: String, version: String)] = []
        var peripheral: EndpointPeripheral?
        var connects = 0
        var isGone = false
        var isInRecovery = false
        var restartIsDue = false
        /// Told of each request before it is answered.
        var onRequest: @Sendable (RequestKind) -> Void = { _ in }
    }

    static let eraseTime: Duration = .seconds(9)
    static let verifyTime: Duration = .seconds(2)
    /// More than a leap over the wait for the end of the link.
    static let trialTime: Duration = .seconds(20)
    static let oldDigest = [UInt8](repeating: 0xA0, count: 32)

    let address: BluetoothAddress
    let adapter: AdapterName
    let clock: LeapingClock
    let image: SoundImage
    let mtu: Int
    let state: Mutex<State>

    init(expecting image: SoundImage, clock: LeapingClock, faults: Set<EarsFault> = [], mtu: Int = 517) throws {
        address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        adapter = try #require(AdapterName("hci0"))
        self.clock = clock
        self.image = image
        self.mtu = mtu
        let slots = [
            Slot(
                index: 0, capacity: 3072 * 1024, imageDigest: Self.oldDigest, version: "1.4.0", project: "espurr-s3",
                otaState: faults.contains(.noRollback) ? .undefined : .valid),
            Slot(index: 1, capacity: 3072 * 1024, imageDigest: [], version: "", project: "", otaState: .undefined),
        ]
        state = Mutex(State(slots: slots, faults: faults))
        state.withLock { state in
            for case .restless(let times) in faults { state.restlessLeft = times }
            state.mayDropOnTrial = faults.contains(.linkDropsOnTrial)
        }
    }

    var requests: [RequestKind] { state.withLock { $0.requests } }
    /// Every slot that could be booted now holds an image.
    var isBootable: Bool { state.withLock { !$0.slots[Int($0.running)].imageDigest.isEmpty } }

    func connect() -> EndpointPeripheral {
        let peripheral = EndpointPeripheral(
            address: address, adapter: adapter, mtu: mtu,
            handlers: [
                .version: { _ in .reply(Array(self.version.utf8)) }, .control: { self.control($0) },
                .update: { self.update($0) },
            ])
        state.withLock {
            if $0.faults.contains(.readsFirst) { peripheral.readFirst() }
            $0.peripheral = peripheral
            $0.connects += 1
        }
        return peripheral
    }

    private var version: String {
        let mode = state.withLock(\.isInRecovery) ? "recovery" : "normal"
        return #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"#
            + #""espurr":{"protocol":2,"mode":"\#(mode)","limits":{"espurr/update":512}}}"#
    }

    private func control(_ bytes: [UInt8]) -> EndpointPeripheral.Answer {
        let device = DeviceInformation(
            family: "s3", chip: "ESP32-S3", firmwareVersion: state.withLock { $0.slots[Int($0.running)].version },
            name: "espurr-0001", hardwareRevision: "A", applicationProtocol: 2)
        switch try? LocalControlRequest(decoding: bytes) {
        case .propertyCount: return .reply(LocalControlResponse.propertyCount(status: .success, count: 1).encoded())
        case .propertyValues(indices: [0]):
            let property = PropertyInfo(name: "device", type: .message, flags: .readOnly, value: device.encoded())
            return .reply(LocalControlResponse.propertyValues(status: .success, properties: [property]).encoded())
        default: return .writeFails(.attribute(code: 0x04, during: .write))
        }
    }

    private func update(_ bytes: [UInt8]) -> EndpointPeripheral.Answer {
        guard let request = try? UpdateRequest(decoding: bytes) else {
            return .writeFails(.attribute(code: 0x04, during: .write))
        }
        let now = clock.now.offset
        return state.withLock { state in
            state.requests.append(request.kind)
            state.onRequest(request.kind)
            state.advance(to: now, image)
            if state.linkDrops(on: request, image) {
                state.linkEnded()
                return .linkEnds
            }
            if state.faults.remove(.silent(request.kind)) != nil {
                return .writeFails(.deadline(.write, after: EarsDeadlines.updateStep))
            }
            if request.kind == .begin, state.faults.contains(.refusesBegin) {
                return .writeFails(.attribute(code: 0x04, during: .write))
            }
            if state.faults.remove(.requestLost(request.kind)) != nil {
                return .writeFails(.attribute(code: 0x0E, during: .write))
            }
            state.refusal = state.update == .failed ? state.refusal : nil
            let reply = state.answer(request, at: now)
            if state.faults.remove(.replyUnreadable(request.kind)) != nil {
                return .readFails(.attribute(code: 0x0E, during: .read))
            }
            if state.faults.remove(.abandoned(request.kind)) != nil {
                if request == .restart { state.boot(at: now, image) }
                return .readFails(.abandoned(.read))
            }
            if state.update == .selected, state.faults.remove(.linkEndsOnceSelected) != nil {
                state.linkEnded()
                return .linkEndsBeforeReply
            }
            if request == .restart, state.faults.remove(.restartsLate) != nil {
                state.restartIsDue = true
                return .linkEndsBeforeReply
            }
            if state.restartIsDue {
                state.restartIsDue = false
                state.boot(at: now, image)
                return .replyThenLinkEnds(reply.encoded())
            }
            if state.faults.remove(.replyLost(request.kind)) != nil {
                if request == .restart { state.boot(at: now, image) } else { state.linkEnded() }
                return .linkEndsBeforeReply
            }
            guard request == .restart, reply.refusal == nil, !state.faults.contains(.restartIgnored) else {
                return .reply(reply.encoded())
            }
            state.boot(at: now, image)
            return .replyThenLinkEnds(reply.encoded())
        }
    }
}

extension UpdateRequest {
    fileprivate var kind: RequestKind {
        switch self {
        case .status: .status
        case .begin: .begin
        case .chunk: .chunk
        case .finish: .finish
        case .abort: .abort
        case .restart: .restart
        }
    }
}
