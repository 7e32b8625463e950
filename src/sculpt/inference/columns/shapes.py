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
from itertools import chain, groupby

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
    families = _joined(groups) if is_exact else [members for _, members in groups]
    shapes = [_pieces(members, is_exact) for members in families]
    written = "|".join(ended("".join(map(_written, shape))) for shape in shapes)
    twin = "|".join("".join(f"{each.twin}{_suffix(each)}" for each in shape) for shape in shapes)
    if len(written) > LINE:
        return
    yield Guess(Form(level, written, twin, "="), once / count, len(groups))


@frozen
class _Piece:
    """A run: what it is made of, for a schema and for Python, and how long it is."""

    written: str
    twin: str
    low: int
    high: int | None


def _pieces(members: Sequence[Runs], is_exact: bool) -> list[_Piece]:
    """What texts with the same sequence of runs have in common."""
    found: list[_Piece] = []
    for place in range(len(members[0])):
        kind = members[0][place][0]
        texts = [runs[place][1] for runs in members]
        if len(set(texts)) == 1 and (kind not in (*_CLASSES, "ULDP") or len(members) >= _FIXED):
            found.append(_Piece(escaped(texts[0]), re.escape(texts[0]), 1, 1))
            continue
        lengths = sorted(set(map(len, texts)))
        is_known = is_exact or (len(lengths) == 1 and len(members) >= _FIXED)
        low, high = (lengths[0], lengths[-1]) if is_known else (1, None)
        if kind not in (*_CLASSES, "ULDP"):
            found.append(_Piece(escaped(kind), f"(?:{re.escape(kind)})", low, high))
            continue
        kinds = {_kind(char) for text in texts for char in text} if kind == "ULDP" else {kind}
        found.append(_Piece(f"[{_ranges(kinds)}]", _twin(kinds), low, high))
    return found


def _joined(groups: Sequence[tuple[object, list[Runs]]]) -> list[list[Runs]]:
    """The groups; those that differ in the length of one run are one, if no length is missing.

    So `[0-9]{1,3}` stands for `[0-9]`, `[0-9]{2}` and `[0-9]{3}`.
    """
    families: dict[object, list[list[Runs]]] = {}
    for _, members in groups:
        kinds = tuple((kind, _if_other(kind, part)) for kind, part in members[0])
        families.setdefault(kinds, []).append(members)
    found: list[list[Runs]] = []
    for family in families.values():
        shapes = [[len(part) for _, part in members[0]] for members in family]
        varying = [sorted(set(each)) for each in zip(*shapes, strict=True) if len(set(each)) > 1]
        if len(varying) == 1 and varying[0][-1] - varying[0][0] + 1 == len(family):
            found.append([*chain.from_iterable(family)])
        else:
            found += family
    return found


def _written(piece: _Piece) -> str:
    return f"{piece.written}{_suffix(piece)}"


def _suffix(piece: _Piece) -> str:
    """How often what a piece is made of occurs."""
    if piece.high is None:
        return "+"
    if piece.low < piece.high:
        return f"{{{piece.low},{piece.high}}}"
    return "" if piece.high == 1 else f"{{{piece.high}}}"


def _ranges(kinds: set[str]) -> str:
    """The characters of some kinds, as an expression has them; all letters have those of ASCII."""
    said = kinds - {"U", "L"} if "P" in kinds else kinds
    return "".join(_CLASSES[each] for each in _ORDER if each in said)


def _twin(kinds: set[str]) -> str:
    ranges = "".join(_CLASSES[each] for each in _ORDER if each in kinds and each != "P")
    if "P" in kinds:
        return f"(?:[^\\W\\d_]|[{ranges}])" if ranges else r"[^\W\d_]"
    return f"[{ranges}]"


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
