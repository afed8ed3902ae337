import Foundation
import Glibc
import Simulator

/// The simulated ears without a radio: JSON lines in, JSON lines out, for a Bluetooth stack that is not ours.
///
/// `espurr-ears-pipe FAMILY ADDRESS [recovery] [FAULT…]`. No rule of the ears is here: each request is one call of the model, and
/// what the model does by itself comes out as events. Time is the monotonic clock's.
@main
struct EarsPipe {
    static func main() {
        do throws(ArgumentError) {
            var pipe = EarsPipe(SimulatedEars(configuration: try EarsConfiguration(CommandLine.arguments.dropFirst())))
            pipe.run()
        } catch {
            FileHandle.standardError.write(Data("espurr-ears-pipe: \(error)\n".utf8))
            exit(2)
        }
    }

    private var ears: SimulatedEars
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    private init(_ ears: SimulatedEars) {
        self.ears = ears
        start = clock.now
    }

    private var now: Duration { clock.now - start }

    private mutating func run() {
        ears.powerOn(at: now)
        Event.ready(ears).send()
        var input = LineInput(descriptor: STDIN_FILENO)
        while true {
            switch input.next(within: ears.nextDeadline.map { $0 - now }) {
            case .line(let line): answer(line)
            case .nothingYet: break
            case .end: return
            }
            report()
        }
    }

    private mutating func report() {
        for effect in ears.advance(to: now) { Event(effect, of: ears).send() }
    }

    /// What the request brought about is told before its answer.
    private mutating func answer(_ line: [UInt8]) {
        guard let request = Request(line) else { return Answer(id: nil, failure: "no request").send() }
        var answer = Answer(id: request.id)
        carryOut(request, &answer)
        report()
        answer.send()
    }

    private mutating func carryOut(_ request: Request, _ answer: inout Answer) {
        do throws(GATTFailure) {
            switch request.action {
            case .connect(let peer): answer.isAccepted = ears.connect(from: peer, at: now)
            case .encrypt(let key): answer.isAccepted = ears.encrypt(with: key, at: now)
            case .disconnect: ears.disconnect(at: now)
            case .requestPairing: ears.requestPairing(at: now)
            case .confirmPairing(let isEqual): ears.confirmPairing(isEqual, at: now)
            case .clickButton: ears.clickButton(at: now)
            case .powerOn: ears.powerOn(at: now)
            case .powerOff: ears.powerOff(at: now)
            case .read(let endpoint): answer.value = try ears.read(endpoint, at: now).hexadecimal
            case .command(let endpoint, let value): ears.command(value, to: endpoint, at: now)
            case .subscribe(let isSubscribed): ears.subscribe(isSubscribed, at: now)
            case .write(let endpoint, let value): try ears.write(value, to: endpoint, at: now)
            }
        } catch {
            answer.fail(error)
        }
    }
}
