/// The shells that can be told how to complete.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that a shell reads once. It holds no verb and no option: for each completion it asks the command
    /// itself, `PROGRAM --complete -- WORD…`, which answers from what its parser knows.
    ///
    /// The words that come back are data in all three: none is ever evaluated.
    func script(for program: String) -> String {
        let function = "_" + program.replacing("-", with: "_")
        return switch self {
        case .bash: Self.bash(program, function)
        case .zsh: Self.zsh(program, function)
        case .fish: Self.fish(program, "_" + function)
        }
    }

    /// Readline breaks words at `:` and `=`; they are put together again, and what stands before the last break is
    /// taken off the candidates.
    private static func bash(_ program: String, _ function: String) -> String {
        """
        # bash completion for \(program)
        \(function)() {
            local -a words=() lines=()
            local word line current before
            for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                if [[ ${#words[@]} -gt 0 && ( $word == [:=] || ${words[-1]} == *[:=] ) ]]; then
                    words[-1]+=$word
                else
                    words+=("$word")
                fi
            done
            current=${words[-1]}
            before=
            [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && before=${current%:*}:
            [[ $COMP_WORDBREAKS == *=* && $current == *=* && ${#before} -eq 0 ]] && before=${current%%=*}=
            COMPREPLY=()
            mapfile -t lines < <("$1" --complete -- "${words[@]}" 2>/dev/null)
            case ${lines[0]} in
            files) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "${current#"$before"}") ;;
            folders) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "${current#"$before"}") ;;
            words)
                for line in "${lines[@]:1}"; do
                    line=${line%%$'\\t'*}
                    [[ $line == "$current"* ]] || continue
                    [[ $line == *= ]] && compopt -o nospace
                    COMPREPLY+=("${line#"$before"}")
                done
                ;;
            esac
        }
        complete -F \(function) \(program)
        """
    }

    private static func zsh(_ program: String, _ function: String) -> String {
        """
        #compdef \(program)
        # zsh completion for \(program)
        \(function)() {
            local -a lines candidates descriptions open openly
            local line
            lines=("${(@f)$("${(Q)words[1]}" --complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            case ${lines[1]} in
            files) _files ;;
            folders) _files -/ ;;
            words)
                for line in "${(@)lines[2,-1]}"; do
                    if [[ ${line%%$'\\t'*} == *= ]]; then
                        open+=("${line%%$'\\t'*}")
                        openly+=("${line/$'\\t'/  -- }")
                    else
                        candidates+=("${line%%$'\\t'*}")
                        descriptions+=("${line/$'\\t'/  -- }")
                    fi
                done
                compadd -S '' -l -d openly -a open
                compadd -l -d descriptions -a candidates
                ;;
            esac
        }
        if [[ ${funcstack[1]} == \(function) ]]; then
            \(function) "$@"
        else
            compdef \(function) \(program)
        fi
        """
    }

    private static func fish(_ program: String, _ function: String) -> String {
        """
        # fish completion for \(program)
        function \(function)
            set -l words (commandline -opc)
            set -l current (commandline -ct | string collect --allow-empty)
            set -l lines (command $words[1] --complete -- $words[2..] $current 2>/dev/null)
            switch "$lines[1]"
                case files
                    __fish_complete_path $current
                case folders
                    __fish_complete_directories $current ''
                case words
                    string join -- \\n $lines[2..]
            end
        end
        complete -c \(program) -f -a '(\(function))'
        """
    }
}
