"""Scripts that complete calls of `sculpt` in a shell, made from the table of commands.

In: a shell. Out: the text of a script, for `eval "$(sculpt --completion bash)"` and the like. It
completes commands, options and the values of options with few; everything else is a file name.
Invariant: what a script offers is what `cli.table` declares, so it changes with the commands.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from sculpt.cli.table import COMMANDS, COMPLETION, HELP, VERSION, Command, Option, Shell

_GLOBAL = (COMPLETION, VERSION, HELP)


def script(shell: Shell) -> str:
    """The script for a shell."""
    match shell:
        case Shell.BASH:
            lines = _bash()
        case Shell.ZSH:
            lines = _zsh()
        case Shell.FISH:
            lines = _fish()
        case _:
            assert_never(shell)
    return "\n".join(lines) + "\n"


def _names(option: Option) -> list[str]:
    return [name for name in (option.name, option.short) if name]


def _values(option: Option) -> list[str]:
    return [str(value) for value in option.choices()] if option.choices is not None else []


def _of(command: Command) -> tuple[Option, ...]:
    return (*command.options, HELP)


# ------------------------------------------------------------- bash


def _bash() -> Iterable[str]:
    """Cases over the command, and over the word before: what it may be followed by.

    Bash splits `--format=json` into three words, so the word before may be an equals sign.
    """
    yield '# Completion of sculpt in bash: eval "$(sculpt --completion bash)"'
    yield "_sculpt() {"
    yield '    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    local command="" word'
    yield '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield f'        case "$word" in {"|".join(each.name for each in COMMANDS)})'
    yield '            command="$word"; break;; esac'
    yield "    done"
    yield '    if [[ "$current" == "=" ]]; then current=""'
    yield '    elif [[ "$before" == "=" ]]; then before="${COMP_WORDS[COMP_CWORD-2]}"; fi'
    yield '    local words="" takes_file=1'
    yield '    case "$command:$before" in'
    for name, option in [("", each) for each in _GLOBAL if each.value] + [
        (command.name, each) for command in COMMANDS for each in command.options if each.value
    ]:
        patterns = "|".join(f"{name}:{each}" for each in _names(option))
        values = " ".join(_values(option))
        if not option.is_file:
            yield f'        {patterns}) words="{values}"; takes_file=0;;'
        else:
            yield f"        {patterns}) ;;"
    yield '        *) case "$command" in'
    globals_ = " ".join(name for each in _GLOBAL for name in _names(each))
    commands = " ".join(each.name for each in COMMANDS)
    yield f'            "") words="{commands} {globals_}"; takes_file=0;;'
    for command in COMMANDS:
        names = " ".join(name for each in _of(command) for name in _names(each))
        yield f'            {command.name}) if [[ "$current" == -* ]]; then'
        yield f'                words="{names}"; takes_file=0; fi;;'
    yield "        esac;;"
    yield "    esac"
    yield "    COMPREPLY=()"
    yield '    if [[ "$takes_file" == 0 ]]; then'
    yield "        compopt +o bashdefault +o default 2>/dev/null"  # bash 3.2 has none
    yield '        COMPREPLY=( $(compgen -W "$words" -- "$current") )'
    yield "    fi"
    yield "}"
    # For files there are no replies: bash completes names of files itself, and quotes them.
    yield "complete -o bashdefault -o default -F _sculpt sculpt"


# ------------------------------------------------------------- zsh


def _zsh() -> Iterable[str]:
    """A function with `_arguments`, which zsh brings with it."""
    yield "#compdef sculpt"
    yield "# Completion of sculpt in zsh: source <(sculpt --completion zsh), after compinit"
    yield "_sculpt() {"
    yield "    local context state state_descr line"
    yield "    typeset -A opt_args"
    yield "    local -a commands"
    yield "    commands=("
    for command in COMMANDS:
        yield f"        {_quoted(f'{command.name}:{_plain(command.help)}')}"
    yield "    )"
    yield "    _arguments -C \\"
    for option in _GLOBAL:
        yield from (f"        {each} \\" for each in _zsh_option(option))
    yield "        '1:command:->command' '*::argument:->argument' && return 0"
    yield '    case "$state" in'
    yield "        command) _describe -t commands 'command' commands;;"
    yield "        argument)"
    yield '            case "$words[1]" in'
    for command in COMMANDS:
        yield f"                {command.name}) _arguments -s -S \\"
        for option in _of(command):
            yield from (f"                    {each} \\" for each in _zsh_option(option))
        yield "                    '*:file:_files';;"
    yield "            esac;;"
    yield "    esac"
    yield "}"
    # Either the file is a function that zsh has loaded by its name, or it is sourced.
    yield 'if [[ "$funcstack[1]" == "_sculpt" ]]; then _sculpt "$@"'
    yield "else compdef _sculpt sculpt; fi"


def _zsh_option(option: Option) -> Iterable[str]:
    about = _plain(option.help).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    values = _values(option)
    action = f"({' '.join(values)})" if values else "_files" if option.is_file else " "
    value = f":{option.value.lower()}:{action}" if option.value else ""
    repeated = "*" if option.is_list else ""
    for name in _names(option):
        glue = "" if not option.value else "=" if name.startswith("--") else "+"
        yield _quoted(f"{repeated}{name}{glue}[{about}]{value}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _plain(text: str) -> str:
    """A sentence without its full stop and its backquotes, which shells may read."""
    return text.removesuffix(".").replace("`", "")


# ------------------------------------------------------------- fish


def _fish() -> Iterable[str]:
    """One statement for each command and option."""
    yield "# Completion of sculpt in fish: sculpt --completion fish | source"
    yield "complete -c sculpt -e"
    none = "__fish_use_subcommand"
    yield f"complete -c sculpt -n {none} -f"
    for command in COMMANDS:
        about = _fish_quoted(_plain(command.help))
        yield f"complete -c sculpt -n {none} -f -a {command.name} -d {about}"
    for option in _GLOBAL:
        yield f"complete -c sculpt -n {none} {_fish_option(option)}"
    for command in COMMANDS:
        seen = _fish_quoted(f"__fish_seen_subcommand_from {command.name}")
        for option in _of(command):
            yield f"complete -c sculpt -n {seen} {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    parts = [f"-l {option.name.removeprefix('--')}"]
    if option.short:
        parts.append(f"-s {option.short.removeprefix('-')}")
    if option.value:
        parts.append("-r" if option.is_file else "-x")
    values = _values(option)
    if values:
        parts.append(f"-a {_fish_quoted(' '.join(values))}")
    return " ".join([*parts, f"-d {_fish_quoted(_plain(option.help))}"])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
