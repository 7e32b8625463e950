"""One call of the command line.

In: the arguments of a call. Out: its exit status: the one the command returns, or 2 if the call or
the schema is wrong.

Invariant: every other exception passes through unchanged. The parser and the command are imported
when a command is called: the help needs only the table of commands.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from sculpt import __version__
from sculpt.cli.table import COMMANDS, COMPLETION, HELP, VERSION, Command, Shell
from sculpt.cli.terminal import StopError, print_error, remark, show_errors, write_text, writing
from sculpt.report.styled import styled

WRONG = 2
"""The exit status of a call or a schema that is wrong."""


def run(arguments: Sequence[str]) -> int:
    """Run one call; return its exit status."""
    try:
        status = _run(list(arguments))
        with writing():
            sys.stdout.flush()
        return status
    except StopError as stop:
        return stop.status


def _run(arguments: list[str]) -> int:
    match arguments:
        case []:
            from sculpt.cli.help import help_text

            remark(*map(styled, help_text(None).splitlines()))
            return WRONG
        case ["-h" | "--help", *_]:
            return _show_help(None)
        case ["--version", *_]:
            write_text(f"sculpt {__version__}\n")
            return 0
        case [word, *rest] if word.partition("=")[0] == COMPLETION.name:
            return _show_completion(word.partition("=")[2] or next(iter(rest), ""))
        case ["--", name, *rest] | [name, *rest]:
            command = next((each for each in COMMANDS if each.name == name), None)
            return _show_unknown(name) if command is None else _run_command(command, rest)
        case _:
            raise AssertionError(arguments)


def _run_command(command: Command, call: list[str]) -> int:
    from sculpt.cli.parser import WrongCallError, parse

    try:
        parameters = parse(command, call)
    except WrongCallError as error:
        return _show_wrong_call(command, str(error))
    if parameters is None:
        return _show_help(command)
    from sculpt.errors import SchemaError

    function = getattr(import_module(command.module), command.function or command.name)
    try:
        status: int = function(**parameters)
        return status
    except WrongCallError as error:
        return _show_wrong_call(command, str(error))
    except SchemaError as error:
        beside = parameters.get("data", [])
        others = [beside] if isinstance(beside, str) else beside
        show_errors(error, others, "discover" in parameters)
        return WRONG


def _show_help(command: Command | None) -> int:
    from sculpt.cli.help import help_text

    write_text(help_text(command))
    return 0


def _show_completion(shell: str) -> int:
    from sculpt.cli.completion.scripts import script

    known = {str(each): each for each in Shell}
    if shell not in known:
        listed = ", ".join(f"`{each}`" for each in known)
        found = f", not `{shell}`" if shell else ""
        return _show_wrong_call(None, f"`{COMPLETION.name}` must be one of {listed}{found}")
    write_text(script(known[shell]))
    return 0


def _show_unknown(word: str) -> int:
    """Say that there is no such command, or no such option before a command."""
    from sculpt.cli.parser import names_of, unknown

    if not word.startswith("-") or word == "-":
        return _show_wrong_call(None, unknown("command", word, [each.name for each in COMMANDS]))
    name, own = word.partition("=")[0], names_of((COMPLETION, VERSION, HELP))
    if name in own:
        return _show_wrong_call(None, f"`{name}` takes no value")
    if any(name in names_of(each.options) for each in COMMANDS):
        return _show_wrong_call(None, f"`{name}` must come after the name of its command")
    return _show_wrong_call(None, unknown("option", name, own))


def _show_wrong_call(command: Command | None, message: str) -> int:
    from sculpt.cli.help import usage

    name = "sculpt" if command is None else f"sculpt {command.name}"
    remark(styled(usage(command)), styled(f"Try '{name} --help' for help."), styled())
    print_error(message)
    return WRONG
