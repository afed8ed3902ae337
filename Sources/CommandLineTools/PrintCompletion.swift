/// `completion`: how a shell completes the command's words.
public struct PrintCompletion: Verb {
    public static let usage = Usage(
        "completion", "print the completion script of a shell",
        operands: Operands("bash|zsh|fish", 1...1, completes: .words(CompletionShell.allCases.map(\.rawValue))),
        details: [
            "bash: source <(COMMAND completion bash), in ~/.bashrc. zsh: write it to a file _COMMAND in a folder of fpath, "
                + "or source <(COMMAND completion zsh) after compinit. fish: write it to "
                + "~/.config/fish/completions/COMMAND.fish.",
            "Verbs, options and files are completed from what the command knows; settings, their values and the parameters "
                + "of effects from what ears of this firmware said when they were last read, palettes by the names that "
                + "were read last. Nothing is asked of them, or of any machine, for it.",
            "Names come from the ears, and what a shell completes becomes a command line: those that hold a “$”, a backtick "
                + "or a “\\”, begin with “-”, have more than 64 characters or any that steer a terminal are never offered, "
                + "however well they could be quoted; typed between single quotes such a name works as any other. bash "
                + "completes none with a “!” behind a double quote, within which it means a line of the history.",
        ])

    private let shell: CompletionShell

    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        let name = arguments.operands[0]
        guard let shell = CompletionShell(rawValue: name) else {
            throw .usage("no completion for “\(name.printable)”", remedy: "there is one for bash, zsh and fish")
        }
        self.shell = shell
    }

    public func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let script = shell.script(for: invocation.program)
        if invocation.wantsJSON {
            let members: [(String, JSON)] = [("shell", .string(shell.rawValue)), ("script", .string(script))]
            invocation.console.print(JSON.document(invocation.schema, members))
        } else {
            invocation.console.print(script)
        }
        return .done
    }
}
