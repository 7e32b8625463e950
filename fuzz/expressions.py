r"""Trees of token expressions: drawn, written for three engines, and sampled.

Out: a strategy of trees, the writers `in_sculpt` and `in_another` (RE2 and Python's `re`), and
`sample`, a text of a tree. Trees hold what `docs/language.md#4-tokens` lists: characters in all
their spellings, classes, escapes, categories, groups, counts, choices.

Invariant: the writers share no code with Sculpt, and the three texts of a tree mean the same under
the rules of their engines. RE2's `\s` lacks `\v`, so it is written as a class. Counts stay small,
because RE2 refuses more than 1,000 in total. Cost: linear in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

from hypothesis import strategies as st

Node: TypeAlias = tuple[Any, ...]
"""A kind of node, and its parts."""

TRICKY = "kK\u212asS\u017fiIİıßẞσςΣµμΜθϑΘϴåÅ\u212b\u01c4\u01c5\u01c6"
CASED = (
    f"{TRICKY}azAZÄäÖöÜüΩω\u2126βϐΐ\u1fd3ᾳᾼЖжѢѣ\u1c87\ua64b\u01c7\u01c8\u01c9\u0132\u0133"
    "ᏣꭳᏰᏸაᲐႠⴀ𐐀𐐨𞤀𞤢\ufb05\ufb06ⅣⅳⓀⓚ\ua7c4\ua794ɫⱢ"
)
"""Letters with case, of several scripts; most of the tricky ones have more than two forms."""
OTHERS = (
    "09_ \t\n\r\v\0-]^[{}()|*+?.$\"\\/%>=,;:#&~'é\u0301\u2028\ufeff漢😀\x7f\x80\u07ff\u0800\uffff"
)
CATEGORIES = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C",
    "Cc", "Cf", "Cs", "Co",
]  # fmt: skip
FOR_RE2, FOR_PYTHON = r"\x{%X}", r"\U%08X"
"""How a character is written by its code point."""
NAMED = {"\t": "t", "\n": "n", "\r": "r", "\f": "f", "\v": "v", "\a": "a", "\x1b": "e", "\0": "0"}
POOL = f"{CASED}{OTHERS}ab1"
SAMPLES = {"d": "0189", "w": "aZ_9", "s": " \t\v\f", "D": "aſ ", "W": "ſ\u212a-", "S": "a\x1c"}
GROUPS = ("(?:", "(", "(?P<n>", "(?<größe_2>")
NOT_SPACE = r"\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{10FFFF}"

# ----------------------------------------------------------------- trees

chars = st.tuples(
    st.just("char"),
    st.one_of(
        st.sampled_from("ab"),
        st.sampled_from("aAb1"),
        st.sampled_from(TRICKY),
        st.sampled_from(CASED),
        st.sampled_from(OTHERS),
        st.characters(exclude_categories=["Cs", "Cn"]),
    ),
    st.integers(0, 6),
)
ranges = st.tuples(chars, chars).map(
    lambda ends: ("range", *sorted(ends, key=lambda end: str(end[1])))
)
escapes = st.tuples(st.just("escape"), st.sampled_from("dwsDWS"))
some_categories = st.sampled_from(["L", "Lu", "Ll", "Lt", "Nd", "P"])


def categories(names: st.SearchStrategy[str]) -> st.SearchStrategy[Node]:
    r"""`\p{Lu}`, `\P{Lu}`, `\pL`."""
    return st.tuples(st.just("category"), names, st.sampled_from("pP"), st.booleans())


def classes(names: st.SearchStrategy[str], most: int) -> st.SearchStrategy[Node]:
    """Classes of characters, ranges, escapes, categories."""
    item = st.one_of(chars, chars, chars, ranges, escapes, categories(names))
    items = st.lists(item, min_size=1, max_size=most)
    return st.tuples(st.just("class"), st.booleans(), items, st.booleans())


letters = st.one_of(
    chars, chars, chars, classes(some_categories, 4), escapes, categories(some_categories),
    st.just(("dot",)), st.tuples(st.just("said"), st.sampled_from(["ab", "Kx", "ßs"])),
)  # fmt: skip
bounds = st.one_of(
    st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (0, 0), (1, 3), (2, None), (0, 4)]),
    st.tuples(st.integers(0, 2), st.integers(2, 5)),
)


def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """One step up in a tree."""
    several = st.lists(inner, max_size=4)
    repeated = st.tuples(st.just("repeat"), inner, bounds, st.booleans())
    captured = st.tuples(st.just("group"), st.sampled_from(GROUPS), repeated)
    return st.one_of(
        st.tuples(st.just("sequence"), several),
        st.tuples(st.just("sequence"), st.lists(captured, min_size=2, max_size=3)),
        st.tuples(st.just("choice"), st.lists(inner, min_size=2, max_size=4)),
        st.tuples(st.just("group"), st.sampled_from(GROUPS), inner),
        repeated,
    )


trees = larger(st.one_of(letters, larger(st.one_of(letters, letters, larger(letters)))))

# ----------------------------------------------------------------- writers


def in_sculpt(node: Node) -> str:
    """The expression in Sculpt's syntax."""
    match node:
        case ("char", char, spelling):
            return _spelt(char, spelling, r"()[{|*+?.^$\"" + "\r\n")
        case ("said", text):
            return f'"{text}\\"'  # a double quote before two characters is an ordinary one
        case ("class", negated, items, has_dash):
            members = "".join(_member(item) for item in items)
            return f"[{'^' * negated}{members}{'-' * has_dash}]"
        case ("category", name, sign, is_short):
            return f"\\{sign}{name}" if is_short and len(name) == 1 else f"\\{sign}{{{name}}}"
        case ("group", opening, inner):
            return f"{opening}{in_sculpt(inner)})"
        case ("repeat", inner, (low, high), is_lazy):
            text, suffix = in_sculpt(inner), f"{_count(low, high)}{'?' * is_lazy}"
            says_more = inner[0] == "repeat" and suffix[0] in "+?"  # `a*+`, `a*?`
            if says_more or inner[0] in ("sequence", "choice", "said"):
                text = f"(?:{text})"
            return f"{text}{suffix}"
        case _:
            return _joined(node, in_sculpt)


def _joined(node: Node, write: Callable[[Node], str]) -> str:
    """What is written the same way for all engines."""
    match node:
        case ("dot",):
            return "."
        case ("escape", kind):
            return f"\\{kind}"
        case ("sequence", parts):
            written = (f"(?:{write(x)})" if x[0] == "choice" else write(x) for x in parts)
            return "".join(written)
        case ("choice", parts):
            return "|".join(write(part) for part in parts)
    raise AssertionError(node)


def _count(low: int, high: int | None) -> str:
    simple = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
    if simple is not None:
        return simple
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def _member(item: Node) -> str:
    match item:
        case ("char", char, spelling):
            return _spelt(char, spelling % 6, r"]\^-[" + "\r\n")
        case ("range", low, high):
            return f"{_member(low)}-{_member(high)}"
        case _:
            return in_sculpt(item)


def _spelt(char: str, spelling: int, special: str) -> str:
    """One of the ways to write a character; if one does not fit, the next that does."""
    code = ord(char)
    if spelling == 6 and char not in "\\\r\n":
        return f'"{char}"'
    if spelling in (0, 1, 6) and char not in special:
        return char
    if spelling in (0, 1, 2) and char in NAMED:
        return f"\\{NAMED[char]}"
    if spelling in (0, 2) and not char.isalnum() and char not in "\r\n":
        return f"\\{char}"
    if spelling == 3 and code < 0x100:
        return f"\\x{code:02x}"
    if spelling in (3, 4) and code < 0x10000:
        return f"\\u{code:04X}"
    return f"\\U{code:08x}" if spelling == 5 else f"\\x{{{code:X}}}"


def in_another(node: Node, hexadecimal: str, numbers: Iterator[int]) -> str:
    """The expression for RE2 or `re`, every character by code point; groups are named in order."""

    def write(inner: Node) -> str:
        return in_another(inner, hexadecimal, numbers)

    match node:
        case ("char", char, _):
            return hexadecimal % ord(char)
        case ("said", text):
            return "".join(hexadecimal % ord(char) for char in f'"{text}"')
        case ("range", low, high):
            return f"{write(low)}-{write(high)}"
        case ("class", negated, items, has_dash):
            members = "".join(
                {"s": r"\s\v", "S": NOT_SPACE}[item[1]]
                if hexadecimal == FOR_RE2 and item[0] == "escape" and item[1] in "sS"
                else write(item)
                for item in items
            )
            return f"[{'^' * negated}{members}{'-' * has_dash}]"
        case ("escape", "s" | "S") if hexadecimal == FOR_RE2:
            return r"[\s\v]" if node[1] == "s" else r"[^\s\v]"
        case ("category", name, sign, _):
            return f"\\{sign}{{{name}}}"
        case ("group", opening, inner):
            return f"{'(?:' if opening == '(?:' else f'(?P<g{next(numbers)}>'}{write(inner)})"
        case ("repeat", inner, (low, high), is_lazy):
            return f"(?:{write(inner)}){_count(low, high)}{'?' * is_lazy}"
        case _:
            return _joined(node, write)


# ----------------------------------------------------------------- samples


def sample(node: Node, random: Random) -> str:
    """A text that matches, except for case, negations and characters that are not listed."""
    match node:
        case ("char", char, _):
            return str(char)
        case ("said", text):
            return f'"{text}"'
        case ("range", low, high):
            first, last = ord(low[1]), ord(high[1])
            return chr(random.choice([first, last, random.randint(first, last)]))
        case ("class", False, items, _):
            return sample(random.choice(items), random)
        case ("escape", kind):
            return random.choice(SAMPLES.get(kind, POOL))
        case ("sequence", parts):
            return "".join(sample(part, random) for part in parts)
        case ("choice", parts):
            return sample(random.choice(parts), random)
        case ("group", _, inner):
            return sample(inner, random)
        case ("repeat", inner, (low, high), _):
            times = random.randint(low, low + 2 if high is None else high)
            return "".join(sample(inner, random) for _ in range(times))
        case _:
            return random.choice(POOL)
