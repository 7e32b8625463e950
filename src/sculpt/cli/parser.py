"""One call of a command: arguments in, the parameters of its function out.

Options may come before, between and after the other arguments: `--format json`, `--format=json`,
`-f json`, `-fjson`. After `--` everything is an argument; `-` always is one. Names cannot be
abbreviated: what is clear today could become ambiguous with the next option.

`argparse` takes the options out of a call. This module assigns the rest, because `argparse` fails
on `SCHEMA DATA --strict DATA`. It also checks the values, so that the messages are our own and the
same in every version of Python.

Invariant: a wrong call raises a `WrongCallError` with one sentence. A call that asks for help gets
it, even if its values or arguments are wrong. Cost: 3 ms, most of it for `argparse`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from sculpt.cli.table import HELP, Command, Option


class WrongCallError(Exception):
    """A call that cannot be read."""


def parse(command: Command, call: Sequence[str]) -> dict[str, Any] | None:
    """The parameters of a command's function; `None` if the call asks for help."""
    options = (*command.options, HELP)
    end = call.index("--") if "--" in call else len(call)
    found, rest = _take_options(options, call[:end])
    if found.pop(HELP.parameter):
        return None
    for word in rest:
        if word.startswith("-") and word != "-":
            raise WrongCallError(unknown("option", word.partition("=")[0], names_of(options)))
    values = {each.parameter: _value(each, found[each.parameter]) for each in command.options}
    return {**_assign(command, [*rest, *call[end + 1 :]]), **values}


def _take_options(
    options: Iterable[Option], call: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The options of a call, as written, and the other words in it."""
    parser = argparse.ArgumentParser(
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
        # Never shown; but the default one looks for a terminal, and needs more imports to do so.
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
    )
    by_name = {}
    for option in options:
        names = [name for name in (option.short, option.name) if name]
        action = "append" if option.is_list else "store" if option.value else "store_true"
        added = parser.add_argument(*names, dest=option.parameter, action=action)
        by_name["/".join(added.option_strings)] = option
    try:
        found, rest = parser.parse_known_args(call)
    except argparse.ArgumentError as error:
        option = by_name[error.argument_name or ""]
        problem = "needs a value" if option.value else "takes no value"
        raise WrongCallError(f"`{option.name}` {problem}") from None
    return vars(found), rest


def _value(option: Option, written: Any) -> Any:
    """What an option stands for."""
    if written is None:
        return [] if option.is_list else option.default
    if option.choices is not None:
        known = {str(each): each for each in option.choices()}
        if written not in known:
            raise _wrong(option, f"one of {_quoted(known)}", written)
        return known[written]
    if option.least is not None:
        number = _number(written)
        if number is None or number < option.least:
            raise _wrong(option, f"a whole number, {option.least} or more", written)
        return number
    if option.read is not None:
        value = option.read(written)
        if value is None:
            raise _wrong(option, option.expected, written)
        return value
    return written


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _wrong(option: Option, expected: str, found: str) -> WrongCallError:
    return WrongCallError(f"`{option.name}` must be {expected}, not `{found}`")


def _assign(command: Command, words: list[str]) -> dict[str, Any]:
    """Assign the words of a call to the arguments of a command, in order."""
    values: dict[str, Any] = {}
    needed = sum(argument.is_required for argument in command.arguments)
    for argument in command.arguments:
        if argument.is_required and not words:
            raise WrongCallError(f"the argument {argument.name} is missing")
        if not argument.is_required and not argument.is_list and len(words) <= needed:
            values[argument.parameter] = None
            continue
        needed -= argument.is_required
        taken = len(words) if argument.is_list else 1
        values[argument.parameter] = words[:taken] if argument.is_list else words[0]
        words = words[taken:]
    if words:
        raise WrongCallError(f"too many arguments: {_quoted(words)}")
    return values


def names_of(options: Iterable[Option]) -> list[str]:
    """All names of some options."""
    return [name for option in options for name in (option.name, option.short) if name]


def unknown(kind: str, word: str, known: list[str]) -> str:
    """The message for an unknown word, with a suggestion if there is a close one."""
    from sculpt.diagnostics import Suggestions

    begun = [name for name in known if name.startswith(word)]
    meant = begun[0] if len(begun) == 1 else Suggestions(known).closest(word)
    return f"unknown {kind} `{word}`" + (f": did you mean `{meant}`?" if meant else "")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
