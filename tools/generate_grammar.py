"""Write `src/sculpt/syntax/grammar.py`: the tables that `grammar.lark` compiles to.

`make docs` runs it; a test fails if the file differs from what this would write. Lark compiles
the grammar here, so that Sculpt reads schemas without Lark. The same grammar gives the same bytes:
states are numbered breadth-first from the starts, over the symbols in the order of their names.

Features that the grammar does not use are not supported; assertions check that.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule, Symbol, Terminal
from lark.lexer import BasicLexer
from lark.parsers.lalr_analysis import Shift

FOLDER = Path(__file__).parent.parent / "src" / "sculpt" / "syntax"
GRAMMAR = FOLDER / "grammar.lark"
TARGET = FOLDER / "grammar.py"
STARTS = ("selector", "content")
WIDTH = 100

PAGE = '''\
"""The grammar of expressions as tables, for `lalr.py` to run.

Generated from `grammar.lark` by tools/generate_grammar.py; run `make docs` to renew it.
"""

# fmt: off

TERMINALS = (
{terminals}
)
"""Each terminal with its expression; the first that matches is taken."""

IGNORED = frozenset({ignored})

RULES: tuple[tuple[str, int, tuple[int, ...], str | None], ...] = (
{rules}
)
"""Each rule: what it defines; how many symbols it has; which of them its tree keeps, where `~n`
means the children of symbol `n`; the name of its tree, where `None` returns the only symbol that is
kept."""

STARTS = {starts}
"""Where each start symbol begins."""

STATES: tuple[tuple[dict[str, int], dict[str, int]], ...] = (
{states}
)
"""Each state: what to do at a terminal, and where to go from here after a rule. At a terminal,
`n` shifts it and goes to state `n`, `~n` reduces by rule `n`, and `ACCEPT` accepts. The comments
have the items of a state: its rules, with a dot after what has been read."""

ACCEPT = 0
"""No state leads back to the first one, so its number is free for this."""
'''


def render() -> str:
    """The text of the module."""
    # `debug` keeps the items of the states, for the comments.
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "debug": True}
    lark = Lark(GRAMMAR.read_text(encoding="utf-8"), start=list(STARTS), **options)
    lexer, table = lark.parser.lexer, lark.parser.parser._parse_table
    assert isinstance(lexer, BasicLexer)
    numbers = _numbered(table)
    starts = {start: numbers[table.start_states[start]] for start in STARTS}
    return PAGE.format(
        terminals="\n".join(_terminals(lexer)),
        ignored=_tuple(_text(name) for name in sorted(lexer.ignore_types)),
        rules="\n".join(line for n, rule in enumerate(lark.rules) for line in _rule(n, rule)),
        starts=_mapping(starts),
        states="\n".join(_states(table, numbers, lark.rules)),
    )


def _terminals(lexer: BasicLexer) -> Iterable[str]:
    """The lines of the terminals."""
    assert lexer.scanner.terminals == lexer.terminals, "keywords that another terminal matches"
    assert not lexer.g_regex_flags, "flags for all terminals"
    for terminal in lexer.terminals:
        assert len(terminal.pattern.flags) <= 1, f"the order of the flags of {terminal.name}"
        regex = terminal.pattern.to_regexp()
        quote = "'" if '"' in regex else '"'
        written = f"r{quote}{regex}{quote}" if regex.isprintable() else _text(regex)
        line = f"    ({_text(terminal.name)}, {written}),"
        yield line if len(line) <= WIDTH else f"{line}  # noqa: E501"


def _rule(number: int, rule: Rule) -> Iterable[str]:
    """The lines of a rule."""
    origin, options = rule.origin.name, rule.options
    assert rule.expansion, f"{origin} has no symbols"
    assert not options.keep_all_tokens, f"{origin} is marked by `!`"
    assert not any(options.empty_indices), f"{origin} has parts in `[…]`"
    assert not options.template_source, f"{origin} is a template"
    kept = [
        ~ix if _is_spliced(symbol) else ix
        for ix, symbol in enumerate(rule.expansion)
        if not (isinstance(symbol, Terminal) and symbol.filter_out)
    ]
    # So a symbol with `~n` is never empty, and two kept symbols are at least two children.
    assert kept or not _is_spliced(rule.origin), f"{origin} keeps nothing"
    passed_on = options.expand1 and not rule.alias and len(kept) == 1
    assert not passed_on or kept[0] >= 0, f"{origin} passes on several children"
    name = None if passed_on else _text(rule.alias or origin)
    yield f"    # {number}: {origin}: {' '.join(symbol.name for symbol in rule.expansion)}"
    yield f"    ({_text(origin)}, {len(rule.expansion)}, {_tuple(map(_number, kept))}, {name}),"


def _is_spliced(symbol: Symbol) -> bool:
    """Does a tree have the children of a symbol in its place?"""
    return not symbol.is_term and symbol.name.startswith("_")


def _numbered(table: Any) -> dict[Any, int]:
    """The states of a table with their numbers, in order."""
    reached = {table.start_states[start]: number for number, start in enumerate(STARTS)}
    todo = list(reached)
    for state in todo:  # it grows meanwhile
        for _, (action, target) in sorted(table.states[state].items(), key=lambda item: item[0]):
            if action is Shift and target not in reached:
                reached[target] = len(reached)
                todo.append(target)
    return reached


def _states(table: Any, numbers: Mapping[Any, int], rules: list[Rule]) -> Iterable[str]:
    """The lines of the states."""
    for state, number in numbers.items():
        actions: dict[str, int] = {}
        targets: dict[str, int] = {}
        for symbol, (action, target) in table.states[state].items():
            entries = actions if symbol.isupper() else targets
            entries[symbol] = numbers[target] if action is Shift else ~rules.index(target)
        if state in table.end_states.values():
            actions["$END"] = 0  # `ACCEPT`
        for item in _items(state):
            yield f"    # {number}: {item}"
        row = f"    ({_mapping(actions)},", f" {_mapping(targets)}),"
        if len("".join(row)) <= WIDTH:
            yield "".join(row)
        else:
            yield _wrapped(row[0])
            yield _wrapped(f"    {row[1]}")


def _items(state: Any) -> list[str]:
    """The items of a state, with a dot at the current position."""
    found = []
    for item in state:
        origin, symbols = item.rule.origin.name, [each.name for each in item.rule.expansion]
        if item.index or origin.startswith("$root"):
            dotted = [*symbols[: item.index], ".", *symbols[item.index :]]
            found.append(f"{origin}: {' '.join(dotted)}")
    return sorted(found)


def _mapping(entries: Mapping[str, int]) -> str:
    return f"{{{', '.join(f'{_text(key)}: {_number(entries[key])}' for key in sorted(entries))}}}"


def _tuple(written: Iterable[str]) -> str:
    listed = list(written)
    return f"({', '.join(listed)}{',' * (len(listed) == 1)})"


def _number(number: int) -> str:
    return f"~{~number}" if number < 0 else str(number)


def _text(text: str) -> str:
    assert '"' not in text, text
    return f'"{repr(str(text))[1:-1]}"'  # Lark's names have their own class


def _wrapped(text: str) -> str:
    """A text wrapped into lines; a key stays with its value."""
    joined = text.replace(": ", ":\N{NO-BREAK SPACE}")
    lines = textwrap.fill(joined, WIDTH, subsequent_indent=" " * 6)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def main() -> None:
    """Write the module."""
    TARGET.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
