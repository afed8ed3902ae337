/// The shells that can be told how to complete.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that a shell reads once. It holds no verb and no option: for each completion it asks the command
    /// itself, `PROGRAM --complete -- WORD…`, which answers from what its parser knows.
    ///
    /// The words that come back are data in all three: none is ever evaluated, and each is quoted as the shell needs it,
    /// which zsh and fish do by themselves.
    func script(for program: String) -> String {
        let function = "_" + program.replacing("-", with: "_")
        return switch self {
        case .bash: Self.bash(program, function)
        case .zsh: Self.zsh(program, function)
        case .fish: Self.fish(program, "_" + function)
        }
    }

    /// Readline breaks words at `:` and `=`; they are put together again, and what stands before the last break is
    /// taken off the candidates. bash gives the words as they were typed and inserts a candidate as it is: what quotes
    /// mean is read here, and what needs them is quoted as the word that is being typed is.
    private static func bash(_ program: String, _ function: String) -> String {
        #"""
        # bash completion for \#(program)
        # What a word means: text. The quote that it leaves open: quote. What it means before that: head.
        \#(function)_read() {
            local character i
            text='' quote='' head=''
            for ((i = 0; i < ${#1}; i++)); do
                character=${1:i:1}
                if [[ $character == "$quote" ]]; then
                    quote=''
                elif [[ $quote != \' && $character == \\ ]]; then
                    i=$((i + 1))
                    [[ $quote == \" && ${1:i:1} != [\"\\\$\`] ]] && text+=\\
                    text+=${1:i:1}
                elif [[ -z $quote && $character == [\'\"] ]]; then
                    quote=$character head=$text
                else
                    text+=$character
                fi
            done
        }
        # The word as it stands behind that quote: text. Readline closes it, but behind the same character; and in double
        # quotes nothing keeps a "!" from the history.
        \#(function)_write() {
            local LC_ALL=C character i
            text=''
            [[ $quote == \' && ( $1 == \'* || $1 == *\' ) || $quote == \" && ( $1 == *\" || $1 == *!* ) ]] && return 1
            for ((i = 0; i < ${#1}; i++)); do
                character=${1:i:1}
                if [[ $quote == \' ]]; then
                    [[ $character == \' ]] && character="'\\''"
                elif [[ $quote == \" ]]; then
                    [[ $character == [\"\\\$\`] ]] && character=\\$character
                elif [[ $character != [a-zA-Z0-9_./,:+@%=-] && $character < $'\x7f' ]]; then
                    character=\\$character
                fi
                text+=$character
            done
        }
        \#(function)() {
            local -a words=() lines=()
            local piece line current before='' last='' text quote head common
            for piece in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                \#(function)_read "$piece"
                if [[ ${#words[@]} -gt 0 && ( $piece == [:=] || $last == *[:=] ) ]]; then
                    before=${words[-1]}
                    words[-1]+=$text
                    [[ $piece == [:=] ]] && before=${words[-1]}
                else
                    words+=("$text")
                    before=''
                fi
                last=$piece
            done
            current=${words[-1]}
            before+=$head
            COMPREPLY=()
            mapfile -t lines < <("$1" --complete -- "${words[@]}" 2>/dev/null)
            case ${lines[0]} in
            files) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "${current#"$before"}") ;;
            folders) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "${current#"$before"}") ;;
            words)
                for line in "${lines[@]:1}"; do
                    line=${line%%$'\t'*}
                    [[ $line == "$current"* ]] || continue
                    [[ $line == *= ]] && compopt -o nospace
                    \#(function)_write "${line#"$before"}" && COMPREPLY+=("$text")
                done
                # What readline inserts of several is what they have in common: never a backslash without what it is for.
                common=${COMPREPLY[0]}
                for line in "${COMPREPLY[@]}"; do
                    while [[ $line != "$common"* ]]; do common=${common%?}; done
                done
                [[ $common == *\\ ]] && COMPREPLY+=("${common%\\}")
                ;;
            esac
        }
        complete -F \#(function) \#(program)
        """#
    }

    private static func zsh(_ program: String, _ function: String) -> String {
        """
        #compdef \(program)
        # zsh completion for \(program)
        \(function)() {
            local -a lines candidates descriptions open openly quoted
            local line current common
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
                # What zsh inserts of several is what they have in common as it quotes them: never a backslash without what
                # it is for.
                current=${(Q)words[CURRENT]}
                for line in "${open[@]}" "${candidates[@]}"; do
                    [[ $line == "$current"* ]] && quoted+=("${(q)line}")
                done
                common=${quoted[1]}
                for line in "${quoted[@]}"; do
                    while [[ $line != "$common"* ]]; do common=${common%?}; done
                done
                if [[ -z ${compstate[quote]} && $common == *\\\\ ]]; then
                    common=${common%\\\\}
                    compadd -n -S '' -- "${(Q)common}"
                fi
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
            # Quoted below: an empty word is a word.
            set -l current (commandline -ct)
            set -l lines (command $words[1] --complete -- $words[2..] "$current" 2>/dev/null)
            switch "$lines[1]"
                case files
                    __fish_complete_path "$current"
                case folders
                    __fish_complete_directories "$current" ''
                case words
                    string join -- \\n $lines[2..]
            end
        end
        complete -c \(program) -f -a '(\(function))'
        """
    }
}
