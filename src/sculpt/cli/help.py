"""What `--help` shows: the table of commands as text.

In: a command, or `None` for all of them. Out: its usage, or its whole help, as wide as the terminal
but no wider than is comfortable to read. Invariant: no word is cut or left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from sculpt.cli.table import COMMANDS, COMPLETION, HELP, VERSION, Argument, Command, Option
from sculpt.cli.terminal import terminal_width

_ABOUT = "Validate the regions of messy tables: rules `selector -> content` over CSV-like files."
_NARROWEST, _WIDEST = 40, 88
_BLANK = "\N{NO-BREAK SPACE}"


def usage(command: Command | None) -> str:
    """How a command is called."""
    if command is None:
        return "Usage: sculpt [OPTIONS] COMMAND [ARGS]..."
    shown = " ".join(map(_placeholder, command.arguments))
    return f"Usage: sculpt {command.name} [OPTIONS] {shown}"


def _placeholder(argument: Argument) -> str:
    name = argument.name if argument.is_required else f"[{argument.name}]"
    return f"{name}..." if argument.is_list else name


def help_text(command: Command | None) -> str:
    """The full help of a command, or a short help of all of them."""
    return "\n".join(_lines(command)) + "\n"


def _lines(command: Command | None) -> Iterator[str]:
    width = max(_NARROWEST, min(terminal_width(), _WIDEST))
    yield usage(command)
    for paragraph in (command.help, command.details) if command else (_ABOUT,):
        if paragraph:
            yield ""
            yield from _wrapped(paragraph, width, 2)
    if command:
        yield from _section(
            "Arguments", [(each.name, each.help) for each in command.arguments], width
        )
    options = (*command.options, HELP) if command else (COMPLETION, VERSION, HELP)
    yield from _section("Options", [(_names(each), _about(each)) for each in options], width)
    if not command:
        yield from _section("Commands", [(each.name, each.help) for each in COMMANDS], width)
        yield from ("", "Run 'sculpt COMMAND --help' for the options of a command.")


def _section(title: str, entries: list[tuple[str, str]], width: int) -> Iterator[str]:
    """Entries in two columns."""
    yield from ("", f"{title}:")
    indent = 4 + max(len(name) for name, _ in entries)
    for name, about in entries:
        first, *rest = _wrapped(about, width, indent)
        yield f"  {name}".ljust(indent) + first.lstrip()
        yield from rest


def _names(option: Option) -> str:
    short = f"{option.short}, " if option.short else "    "
    return f"{short}{option.name} {option.value}".rstrip()


def _about(option: Option) -> str:
    about = option.help
    if option.choices is not None:
        about = f"{about.removesuffix('.')}: {', '.join(option.choices())}."
    if option.default is not None:
        about += f"  [default:{_BLANK}{option.default}]"
    return about


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    margin = " " * indent
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=margin,
        subsequent_indent=margin,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_BLANK, " ") for line in lines]
