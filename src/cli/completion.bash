# Completion for nestbed in bash, and in zsh after `autoload -U bashcompinit && bashcompinit`. The program says what is possible.
_nestbed() {
    local IFS=$'\n'
    COMPREPLY=($("${1:-nestbed}" completion "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _nestbed nestbed
