"""Shapes: expressions that some texts have in common.

In: distinct texts. Out: forms, each looser than the one before: exact shapes (`[A-Z]{2}[0-9]{4}`),
free lengths, blocks of letters and digits, character classes. Beside each form stands how much of
its evidence was seen only once: by Good and Turing, that is the share of new texts that it would
refuse, which is what leaving out one text after the other measures.

Invariant: a form accepts every text it was made from. Cost: linear in the characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from sculpt.inference.columns.forms import LINE, Form, ended, escaped
from sculpt.values import frozen

_CLASSES = {"U": "A-Z", "L": "a-z", "D": "0-9", "P": r"\p{L}"}
_ORDER = "PULD"
_FIXED = 10
"""How many different texts it takes to believe that a part is always the same."""


@frozen
class Guess:
    """A form, and the share of new texts that it is expected to refuse."""

    form: Form
    miss: float
    groups: int = 1
    """How many different forms it is made of."""


def _kind(char: str) -> str:
    if "0" <= char <= "9":
        return "D"
    if "A" <= char <= "Z":
        return "U"
    if "a" <= char <= "z":
        return "L"
    return "P" if char.isalpha() and ord(char) > 127 else char


def _merged_kind(char: str) -> str:
    kind = _kind(char)
    return "ULDP" if kind in "ULDP" else char


def _runs(text: str, kind_of: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    return tuple((kind, "".join(part)) for kind, part in groupby(text, kind_of))


Runs = tuple[tuple[str, str], ...]


def guesses(texts: Sequence[str]) -> Iterator[Guess]:
    """Forms from the tightest to the loosest that is still one; `Text` is not among them."""
    if not texts or max(map(len, texts)) > 80:
        return
    fine = [_runs(text, _kind) for text in texts]
    exact = _grouped(fine, lambda runs: tuple((kind, len(part)) for kind, part in runs))
    yield from _made("shape", exact, 4, len(texts), is_exact=True)
    free = _grouped(fine, lambda runs: tuple((kind, _if_other(kind, part)) for kind, part in runs))
    yield from _made("lengths", free, 4, len(texts))
    blocks = [_runs(text, _merged_kind) for text in texts]
    merged = _grouped(blocks, lambda runs: tuple((k, _if_other(k, part)) for k, part in runs))
    yield from _made("blocks", merged, 3, len(texts))
    yield from _class(texts)


def _if_other(kind: str, part: str) -> str:
    return part if kind not in _CLASSES and kind != "ULDP" else ""


def _grouped(
    all_runs: Sequence[Runs], signature: Callable[[Runs], object]
) -> list[tuple[object, list[Runs]]]:
    groups: dict[object, list[Runs]] = {}
    for runs in all_runs:
        groups.setdefault(signature(runs), []).append(runs)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), repr(item[0])))


def _made(
    level: str,
    groups: list[tuple[object, list[Runs]]],
    most: int,
    count: int,
    is_exact: bool = False,
) -> Iterator[Guess]:
    if len(groups) > most:
        return
    once = sum(1 for _, members in groups if len(members) == 1)
    parts, twins = zip(*(_expression(members, is_exact) for _, members in groups),
                                strict=True)  # fmt: skip
    written = "|".join(map(ended, parts))
    if len(written) > LINE:
        return
    yield Guess(Form(level, written, "|".join(twins), "="), once / count, len(groups))


def _expression(members: Sequence[Runs], is_exact: bool) -> tuple[str, str]:
    """An expression for texts with the same sequence of runs, and its twin in Python."""
    written, twin = "", ""
    for place in range(len(members[0])):
        kind = members[0][place][0]
        texts = [runs[place][1] for runs in members]
        if len(set(texts)) == 1 and (kind not in (*_CLASSES, "ULDP") or len(members) >= _FIXED):
            written += escaped(texts[0])
            twin += re.escape(texts[0])
            continue
        lengths = Counter(map(len, texts))
        if kind not in (*_CLASSES, "ULDP"):
            written += f"{escaped(kind)}{_count(lengths, is_exact, len(members))}"
            twin += f"(?:{re.escape(kind)}){_count(lengths, is_exact, len(members))}"
            continue
        kinds = {_kind(char) for text in texts for char in text} if kind == "ULDP" else {kind}
        count = _count(lengths, is_exact, len(members))
        written += f"[{_ranges(kinds)}]{count}"
        twin += f"{_twin(kinds)}{count}"
    return written, twin


def _ranges(kinds: set[str]) -> str:
    """The characters of some kinds, as an expression has them; all letters have those of ASCII."""
    said = kinds - {"U", "L"} if "P" in kinds else kinds
    return "".join(_CLASSES[each] for each in _ORDER if each in said)


def _twin(kinds: set[str]) -> str:
    ranges = "".join(_CLASSES[each] for each in _ORDER if each in kinds and each != "P")
    if "P" in kinds:
        return f"(?:[^\\W\\d_]|[{ranges}])" if ranges else r"[^\W\d_]"
    return f"[{ranges}]"


def _count(lengths: Counter[int], is_exact: bool, members: int) -> str:
    if len(lengths) == 1 and (is_exact or members >= _FIXED):
        only = next(iter(lengths))
        return "" if only == 1 else f"{{{only}}}"
    return "+"


def _class(texts: Sequence[str]) -> Iterator[Guess]:
    """Texts of some kinds of characters."""
    sets = [frozenset(map(_kind, text)) for text in texts]
    found = Counter(kind for each in sets for kind in each)
    marks_found = {kind for kind in found if kind not in _CLASSES}
    # Where one bound is written, the other one will be.
    others = sorted(marks_found | ({"<", ">"} if marks_found & {"<", ">"} else set()))
    if len(others) > 8 or any(not each.isprintable() for each in others):
        return
    rare = {kind for kind, count in found.items() if count == 1}
    miss = sum(1 for each in sets if each & rare) / len(texts)
    marks = "".join(("\\" if each in '\\]^-["%' else "") + each for each in others)
    marks = marks.replace("\\-", "") + ("\\-" if "-" in others else "")
    kinds = {kind for kind in found if kind in _CLASSES}
    # A blank is never first or last in a cell, but a class is easier to read without that.
    ranges = "".join(_CLASSES[each] for each in _ORDER if each in kinds and each != "P")
    python = "".join(re.escape(each) for each in others)
    twin = f"[{ranges}{python}]+" if ranges or python else ""
    written = f"[{ranges}{marks}]+"
    if "P" in kinds:
        written = f"[{_ranges(kinds)}{marks}]+"
        twin = f"(?:[^\\W\\d_]|[{ranges}{python}])+" if ranges or python else r"[^\W\d_]+"
    yield Guess(Form("classes", written, twin, "="), miss)
