import ControlProtocol
import Crypto

@testable import Simulator

/// A bonded client of simulated ears, with a time of its own.
struct TestLink {
    static let peer = "02:00:00:00:00:01"

    var ears: SimulatedEars
    var now: Duration = .zero
    private let key: BondKey
    var effects: [Effect] = []

    /// Ears that run ``TestImage/oldVersion`` out of a small image, up and connected.
    init(
        _ faults: [Fault] = [], family: BoardFamily = .esp32, mode: EarsConfiguration.Mode = .normal
    ) {
        let configuration = EarsConfiguration(
            family: family, address: "C0:FF:EE:00:AB:CD", mode: mode, faults: faults, seed: 1)
        let firmware = TestImage.ears(TestImage.oldVersion, family: family)
        ears = SimulatedEars(configuration: configuration, flash: TestImage.flash(firmware, family: family))
        key = ears.provisionBond(with: Self.peer)
        ears.powerOn(at: now)
        wait(.seconds(2))
        connect()
    }

    mutating func connect() {
        guard ears.connect(from: Self.peer, at: now) else { return }
        _ = ears.encrypt(with: key, at: now)
        wait(.zero)
    }

    /// Lets time pass, deadline by deadline, as one does who waits for the ears.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let next = ears.nextDeadline, next <= end {
            now = max(now, next)
            effects += ears.advance(to: now)
        }
        now = end
        effects += ears.advance(to: now)
    }

    mutating func exchange(_ request: [UInt8], at endpoint: EndpointName) throws(GATTFailure) -> [UInt8] {
        try ears.write(request, to: endpoint, at: now)
        return try ears.read(endpoint, at: now)
    }

    mutating func update(_ request: UpdateRequest) throws -> UpdateReply {
        try UpdateReply(decoding: exchange(request.encoded(), at: .update))
    }

    mutating func status() throws -> UpdateStatus {
        guard let status = try update(.status).status else { throw MissingStatus() }
        return status
    }

    mutating func control(_ request: LocalControlRequest) throws -> LocalControlResponse {
        try LocalControlResponse(decoding: exchange(request.encoded(), at: .control))
    }

    mutating func begin(
        _ file: [UInt8]
    ) throws -> UpdateReply {
        let sha256 = HashAlgorithm.sha256.hash(of: file)
        let family = ears.configuration.family.rawValue
        return try update(
            .begin(size: UInt32(file.count), sha256: sha256, family: family, version: TestImage.newVersion))
    }

    /// From `begin` until the last byte is taken.
    mutating func send(_ file: [UInt8], chunk: Int = 480) throws -> UInt32 {
        let session = try begin(file).session
        wait(.seconds(1))
        for offset in stride(from: 0, to: file.count, by: chunk) {
            let data = Array(file[offset..<min(file.count, offset + chunk)])
            let reply = try update(.chunk(session: session, offset: UInt32(offset), data: data))
            if let refusal = reply.refusal { throw Refused(refusal: refusal, deviceError: reply.deviceError) }
        }
        return session
    }

    /// The whole way to *selected*, or to the refusal.
    mutating func install(_ file: [UInt8]) throws -> UpdateReply {
        let session = try send(file)
        _ = try update(.finish(session: session))
        wait(.seconds(1))
        return try update(.status)
    }

    /// Restarts, and connects again when they are back.
    mutating func restart(waiting duration: Duration = .seconds(2)) throws {
        _ = try update(.restart)
        wait(duration)
        connect()
    }

    struct MissingStatus: Error {}

    struct Refused: Error, Equatable {
        let refusal: UpdateRefusal
        let deviceError: UInt32
    }
}
