import Bluetooth
import CommandLineTools
import Synchronization

/// Compares the six digits of a pairing, as ``DigitComparison`` asks for it.
enum DigitComparer: Sendable {
    case person(Console, any Clock<Duration>)
    case source(PasskeySource, Console, any Clock<Duration>)
    case nobody(Console)

    /// How a comparison ended.
    enum Verdict: Hashable, Sendable {
        case same
        case refused
        /// Nobody answered within ``limit``.
        case late
        case differ(here: Passkey, onEars: Passkey)
        case noDigits
    }

    /// How long the ears wait for the click, and the security manager for its peer (Core specification, Vol 3 Part H
    /// 3.4).
    static let limit = Duration.seconds(30)

    /// - Throws: where there is nobody at the terminal, or no such source.
    init(_ comparison: DigitComparison, console: Console, clock: any Clock<Duration>) throws(CommandFailure) {
        switch comparison {
        case .nobody: self = .nobody(console)
        case .source(let text): self = .source(try PasskeySource(opening: text), console, clock)
        case .person:
            guard console.input.isTerminal else {
                throw .usage(
                    "nobody is at the terminal to compare the six digits",
                    remedy: "--passkey-from FILE reads them from the ears' serial console")
            }
            self = .person(console, clock)
        }
    }

    /// What a source said before does not count.
    func begin() {
        if case .source(let source, _, _) = self { source.skipOld() }
    }

    func compare(_ passkey: Passkey, of sighting: Sighting) async -> Verdict {
        switch self {
        case .nobody(let console):
            console.note("accepting \(passkey) without comparing it")
            return .same
        case .person(let console, let clock):
            let question = "Does the serial console of \(sighting.name?.printable ?? "the ears") show \(passkey)?"
            switch await console.confirm(question, within: Self.limit, clock: clock) {
            case .yes: return .same
            case .no: return .refused
            case .late: return .late
            }
        case .source(let source, let console, let clock):
            guard let shown = await source.next(clock: clock) else { return .noDigits }
            console.note("here \(passkey), on the ears \(shown)")
            return shown == passkey ? .same : .differ(here: passkey, onEars: shown)
        }
    }
}

extension DigitComparer.Verdict {
    /// Nil where Bluetooth's own word for it is good enough.
    var failure: CommandFailure? {
        switch self {
        case .same, .refused: nil
        case .late: CommandFailure(BluetoothError.pairing(.timedOut))
        case .differ(let here, let onEars):
            CommandFailure(
                .pairing, code: "digits_differ",
                cause: "the digits differ (here \(here), on the ears \(onEars)): not paired",
                remedy: "pair again; if they differ again, somebody may be in between")
        case .noDigits:
            CommandFailure(
                .pairing, code: "no_digits", cause: "no digits came from the ears' serial console: not paired",
                remedy: "check what --passkey-from reads: “passkey” and six digits in one line")
        }
    }
}

/// What the comparison found, told across the pairing.
final class ComparisonVerdict: Sendable {
    private let value = Mutex<DigitComparer.Verdict?>(nil)

    var found: DigitComparer.Verdict? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension PasskeySource {
    fileprivate convenience init(opening text: String) throws(CommandFailure) {
        do throws(Failure) {
            try self.init(text)
        } catch {
            switch error {
            case .cannotOpen(let path, let number):
                throw .usage("--passkey-from: \(path.printable) cannot be opened: \(systemMessage(number))")
            case .noSuchDescriptor(let number): throw .usage("--passkey-from: descriptor \(number) is not open")
            case .notAConsole(let text):
                throw .usage("--passkey-from: \(text.printable) is neither a file nor a pipe, socket or terminal")
            }
        }
    }
}
