import Bluetooth
import Synchronization

/// What the person at the terminal was shown, and says.
final class Person: Sendable {
    /// Every passkey, as soon as it is shown.
    let shown: AsyncStream<Passkey>
    private let show: AsyncStream<Passkey>.Continuation
    private let answer: @Sendable () async -> Bool
    private let seen = Mutex<[Passkey]>([])

    private init(_ answer: @escaping @Sendable () async -> Bool) {
        self.answer = answer
        (shown, show) = AsyncStream.makeStream(of: Passkey.self)
    }

    convenience init(says answer: Bool) { self.init { answer } }

    /// Says nothing until the question is taken back, and then yes.
    static var absent: Person {
        Person {
            let (never, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            return true
        }
    }

    var passkeys: [String] { seen.withLock { $0.map(\.description) } }

    /// Returns once a passkey is shown.
    func isAsked() async {
        for await _ in shown { return }
    }

    func confirm(_ passkey: Passkey) async -> Bool {
        seen.withLock { $0.append(passkey) }
        show.yield(passkey)
        return await answer()
    }
}
