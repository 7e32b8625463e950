"""What a column holds, learnt from its cells.

In: the texts of a column with their counts, for each file (`groups`). Out: `Learnt`: the ladder of
contents, from the tightest that new cells can be expected to have down to `Text`, the marks for
missing values, and the few texts that are likely errors.

Invariant: every step of the ladder, with marks, errors and empties, accepts every text that was
given. The order of the groups does not matter. Cost: linear in the distinct texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sculpt.inference.columns.forms import (
    INTEGER,
    NUMBER,
    TEXT,
    TYPES,
    Form,
    listed,
)
from sculpt.inference.columns.pictures import moments, numbers
from sculpt.inference.columns.shapes import guesses
from sculpt.inference.kinds import MISSING, kind_of
from sculpt.values import frozen

_MOST_TEXTS = 20_000
"""More distinct texts than this say nothing new about the form."""


@frozen
class Strictness:
    """Thresholds."""

    miss: float
    """The greatest share of new cells that a form may be expected to refuse."""
    list_size: int
    """The most values of a closed list."""
    list_repeats: float
    """How often a value of a closed list occurs at least, on average."""
    least: int
    """The fewest distinct texts for a shape."""
    errors: float
    """The greatest share of cells that are taken for errors."""


STRICTNESS = {
    "loose": Strictness(0.01, 6, 8.0, 20, 0.002),
    "normal": Strictness(0.03, 12, 4.0, 6, 0.01),
    "tight": Strictness(0.08, 24, 2.0, 3, 0.02),
}


@frozen
class Learnt:
    """What a column holds."""

    ladder: tuple[tuple[Form, ...], ...]
    """Contents as alternatives, the tightest first; the last one is `Text`, or empty."""
    missing: tuple[str, ...] = ()
    """Marks for values that are not there."""
    has_empty: bool = False
    errors: tuple[str, ...] = ()
    """Texts that do not fit, and are few."""
    cells: int = 0


def learn(groups: Sequence[Counter[str]], how: Strictness) -> Learnt:
    """What the cells of all groups have in common."""
    total: Counter[str] = Counter()
    for group in groups:
        total.update(group)
    has_empty = bool(total.pop("", 0))
    count = sum(total.values())
    marks = [text for text in total if kind_of(text) == MISSING]
    if len(marks) == len(total):
        marks = []
    values = {text: total[text] for text in sorted(total) if text not in marks}
    if not values:
        return Learnt(((),), (), has_empty, (), count)
    errors, kept = _errors(values, how)
    seen = Counter(text for group in groups for text in group)
    ladder = tuple(dict.fromkeys(_ladder(kept, seen, len(groups), how)))
    return Learnt(ladder, tuple(sorted(marks)), has_empty, errors, count)


def _ladder(
    values: dict[str, int], seen: Counter[str], groups: int, how: Strictness
) -> Iterator[tuple[Form, ...]]:
    texts = list(values)[:_MOST_TEXTS] if len(values) <= _MOST_TEXTS else _sample(values)
    is_numeric = all(NUMBER.accepts(text) for text in texts)
    if _is_closed(values, seen, groups, how, is_numeric):
        yield (listed(values),)
    if is_numeric:
        yield from _numeric(texts, how)
    else:
        yield from _other(texts, how)
    yield (TEXT,)


def _sample(values: dict[str, int]) -> list[str]:
    step = len(values) // _MOST_TEXTS + 1
    return list(values)[::step]


def _is_closed(
    values: dict[str, int], seen: Counter[str], groups: int, how: Strictness, is_numeric: bool
) -> bool:
    """Are these all the values there are? Then each was seen several times, and in most files."""
    count, once = sum(values.values()), sum(1 for each in values.values() if each == 1)
    if len(values) > (min(3, how.list_size) if is_numeric else how.list_size):
        return False
    if any(len(text) > 40 for text in values):
        return False
    if count < how.list_repeats * len(values) or once > how.miss * count:
        return False
    if is_numeric and count < 10 * len(values):
        return False
    return groups == 1 or all(seen[text] > 1 for text in values)


_YEAR = Form("shape", "(19|20)[0-9]{2}", "(19|20)[0-9]{2}", "=")


def _numeric(texts: Sequence[str], how: Strictness) -> Iterator[tuple[Form, ...]]:
    if any(re.fullmatch(r"0[0-9]+", text) for text in texts):  # a code: its zeros are meant
        yield from _shaped(texts, how)
        return
    if len(texts) >= 3 and all(_YEAR.accepts(text) for text in texts):
        yield (_YEAR,)
    if all(INTEGER.accepts(text) for text in texts):
        yield (INTEGER,)
    yield (NUMBER,)


def _other(texts: Sequence[str], how: Strictness) -> Iterator[tuple[Form, ...]]:
    known = [form for form in TYPES if all(form.accepts(text) for text in texts)]
    known += list(moments(texts))[:1] or list(numbers(texts))
    if known:
        yield (known[0],)
        yield from _shaped(texts, how, ("classes",))
        return
    yield from _mixed(texts, how)
    yield from _shaped(texts, how)


def _mixed(texts: Sequence[str], how: Strictness) -> Iterator[tuple[Form, ...]]:
    """Numbers or moments beside a few other texts, such as `Trace` and `<5`."""
    plain = [text for text in texts if NUMBER.accepts(text)]
    rest = [text for text in texts if not NUMBER.accepts(text)]
    if len(plain) < max(3, len(rest) / 2) or any(re.fullmatch(r"0[0-9]+", t) for t in plain):
        return
    number = INTEGER if all(INTEGER.accepts(text) for text in plain) else NUMBER
    others = next((form for form in _second(rest, how)), None)
    if others is not None:
        yield (number, others)
        if number is INTEGER:
            yield (NUMBER, others)


def _second(rest: Sequence[str], how: Strictness) -> Iterator[Form]:
    marked = [re.fullmatch(r"([<>~=*]{1,2}\s?)[0-9.,]+", text) for text in rest]
    if all(marked):
        firsts = sorted({each[1].strip() for each in marked if each})
        group = "|".join(re.escape(each) for each in firsts)
        group = f"({group})" if len(firsts) > 1 else group
        written = f"{group}[ ]?[0-9.,]+".replace("<", "<")
        yield Form("lengths", written.replace(">", r"\>").replace(r"\\>", r"\>"),
                   f"(?:{group}) ?[0-9.,]+", "=")  # fmt: skip
    yield from (found for found in numbers(rest))
    if len(rest) <= 4:
        yield listed(rest)
    for guess in guesses(rest):
        if guess.form.level in ("shape", "lengths") and guess.miss <= how.miss * 4:
            yield guess.form


def _shaped(
    texts: Sequence[str], how: Strictness, only: Iterable[str] = ()
) -> Iterator[tuple[Form, ...]]:
    few = len(texts) < how.least
    for guess in guesses(texts):
        if only and guess.form.level not in only:
            continue
        if few and guess.form.level in ("shape", "lengths"):
            continue
        if guess.miss <= how.miss or (few and guess.form.level == "blocks" and len(texts) > 2):
            yield (guess.form,)


def _errors(values: dict[str, int], how: Strictness) -> tuple[tuple[str, ...], dict[str, int]]:
    """The few texts without which the column is of one known kind; and the other texts."""
    count = sum(values.values())
    if count < 20:
        return (), values
    most = max(1, int(how.errors * count))
    for form in (INTEGER, NUMBER, *TYPES[:3]):
        odd = [text for text in values if not form.accepts(text)]
        if odd and len(odd) <= 4 and sum(values[text] for text in odd) <= most:
            if all(len(text) <= 40 and text.isprintable() for text in odd):
                return tuple(odd), {t: n for t, n in values.items() if t not in odd}
    return (), values
