import CommandLineTools

/// The seconds that are left for the click, counted down on a terminal.
struct ClickCountdown: Sendable {
    private let console: Console
    private let task: Task<Void, Never>?

    /// Begins at once; elsewhere than on a terminal nothing is shown.
    init(_ console: Console, _ clock: any Clock<Duration>) {
        self.console = console
        guard console.messages.isTerminal else {
            task = nil
            return
        }
        task = Task {
            for left in stride(from: DigitComparer.limit.components.seconds, to: 0, by: -1) {
                console.progress("click the headset's button: \(left) s left")
                do { try await clock.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    /// Takes the line off, before anything else is asked or said.
    func end() async {
        guard let task else { return }
        task.cancel()
        await task.value
        console.endProgress()
    }
}
