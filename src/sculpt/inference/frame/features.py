"""Features of lines: the yes-or-no facts that `weights` speaks about.

In: the facts of the lines that are not blank, in order. Out: for each of them the names of its
features, and for each two neighbours the names of the features of the step between them.

Invariant: a feature is named by what it says, `group=value`; the names are those of `weights`, and
one without weights counts nothing. Cost: a few dozen comparisons a line, and one pass over its
cells, of which the first `_MOST_LETTERS` letters are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sculpt.inference.frame.facts import BLANK, CODE, GAP, MOMENT, NUMBER, WORDS, YEAR, Facts
from sculpt.inference.frame.surroundings import Surroundings

_TOTAL = re.compile(
    r"(?:.*\W)?(?:sub-?\s?)?(?:totals?|sum|insgesamt|gesamt|summe)(?:\W.*)?",
    re.IGNORECASE | re.DOTALL,
)
_ALL = re.compile(r"\W*(?:all|overall|grand|both|entire|whole)\b.*", re.IGNORECASE | re.DOTALL)
_BARE_TOTAL = re.compile(
    r"\W*(?:grand |sub-? ?)?(?:totals?|all|overall|sum)\W*\d?\W*", re.IGNORECASE
)
_MEAN = re.compile(
    r"(?:.*\W)?(?:averages?|avg|mean|median|std\.?|s\.?d\.?|min|max|minimum|maximum"
    r"|change|difference|net)(?:\W.*)?",
    re.IGNORECASE | re.DOTALL,
)
_NOTE = re.compile(
    r"\W*(?:notes?\b|sources?\b|footnotes?\b|please\b|see\b|copyright|©|disclaimer|contact|for more"
    r"|data (?:source|from)|legend|key\b|abbreviations|definitions?|symbol|return to|back to|link"
    r"|go to|this table|these|figures|includes?\b|excludes?\b|based on|because)",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"(?:\\?\(?\d{1,2}[).:]?\s?\D|\\\d|\(?[a-z][).]\s|\[\w{1,2}\]|\([a-zA-Z0-9]{1,2}\)|[*†‡§¹²³•·]"
    r"|[-.:*]{1,3}\s?=?\s?\w|\w{1,3}\s?=|na\s)",
    re.IGNORECASE,
)
_LINK = re.compile(r".*(?:https?://|www\.|@\w+\.)", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(
    r"\W*(?:table|figure|fig|chart|annex|appendix|exhibit|sheet|section|chapter|report|title|contents"
    r"|index)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:\(.*\)|\[.*\]"
    r"|.*\b(?:percent|per cent|thousands?|millions?|billions?|%|units?|number|£|\$)\W*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = re.compile(
    r"\W*(?:name|year|date|month|number|no\.?|percent|%|id|code|type|category|description|country"
    r"|state|region|area|item|age|sex|unit|rank|rate|value|amount|quarter|status|title|total)\b.{0,20}",
    re.IGNORECASE | re.DOTALL,
)
_PLACED = ("figures=", "says=", "years=", "clash=", "total=", "ends=", "case=")
"""Features that mean one thing above the body of a table, and another inside or below it."""
_MOST_LETTERS = 200
_RULER = frozenset("-=_*~. \u2013\u2014")
_EDGES = ((0.0, "0"), (0.34, "few"), (0.67, "half"), (0.999, "most"))


def share(part: float, whole: float) -> str:
    """A share in words: 0, few, half, most, all."""
    ratio = part / whole if whole else 0.0
    for edge, name in _EDGES:
        if ratio <= edge:
            return name
    return "all"


def features_of(lines: Sequence[Facts], around: Surroundings) -> list[list[str]]:
    """The features of each line."""
    places = _places(lines, around)
    wholes = [_shape_features(line) for line in lines]
    words = [list(_word_features(line)) for line in lines]
    features = []
    for ix in range(len(lines)):
        own = [*wholes[ix], *words[ix]]
        own += _column_features(lines[ix], around, ix)
        own += _sum_features(around, ix, words[ix])
        own += _neighbour_features(lines, around, ix, places[ix])
        own += _joint_features(lines, around, ix, places[ix], own)
        features.append(own)
    return features


def step_of(earlier: Facts, later: Facts, around: Surroundings, ix: int) -> str:
    """What lies between a line and the one before it: blank rows, or a change of shape."""
    if later.row - earlier.row > 1:
        return "gap"
    likeness = alike(around.shapes[ix - 1], around.shapes[ix])
    return "same" if likeness > 0.8 else "change"


def alike(one: str, other: str) -> float:
    """The share of columns in which two lines have the same class, of those that either fills."""
    same = filled = 0
    for left, right in zip(one, other, strict=False):
        if left != BLANK or right != BLANK:
            filled += 1
            same += left == right
    longer = one if len(one) > len(other) else other
    rest = longer[min(len(one), len(other)) :]
    filled += len(rest) - rest.count(BLANK)
    return same / filled if filled else 0.0


def _places(lines: Sequence[Facts], around: Surroundings) -> list[str]:
    """Where each line is: before the first line that looks like a body, inside, or after."""
    bodies = [ix for ix, body in enumerate(around.body) if body]
    if not bodies:
        return ["nowhere"] * len(lines)
    first, last = bodies[0], bodies[-1]
    return [
        "before" if ix < first else "after" if ix > last else "inside" for ix in range(len(lines))
    ]


def fill_of(line: Facts) -> str:
    """How much of a row is filled: one cell, two, or many; and whether the one is the first."""
    if line.count == 1:
        return "first" if line.filled[0] == 0 else "one"
    return "two" if line.count == 2 else "many"


def _length(text: str) -> str:
    for limit in (8, 20, 40, 70, 120, 250):
        if len(text) <= limit:
            return str(limit)
    return "more"


def _shape_features(line: Facts) -> Iterator[str]:
    """What the cells of a line are."""
    yield f"fill={fill_of(line)}"
    classes = line.classes
    filled = len(line.filled)
    tail = [classes[ix] for ix in line.filled if ix > 0]
    figures = sum(letter in (NUMBER, GAP) for letter in tail)
    years = tail.count(YEAR)
    yield f"figures={share(figures, len(tail))}"
    yield f"words={share(classes.count(WORDS), filled)}"
    yield f"lead={classes[line.filled[0]]}"
    if years > 1:
        numbers = [
            line.numbers[ix] for ix in line.filled if classes[ix] == YEAR and ix in line.numbers
        ]
        rising = sum(low < high for low, high in pairwise(numbers))
        yield f"years={share(years, len(tail))}"
        if rising and rising >= len(numbers) - 2:
            yield "years=rising"
    elif years:
        yield "years=one"
    if tail.count(MOMENT) > 1:
        yield f"moments={share(tail.count(MOMENT), len(tail))}"
    if tail.count(GAP):
        yield f"gaps={share(tail.count(GAP), len(tail))}"
    if tail.count(CODE):
        yield f"codes={share(tail.count(CODE), len(tail))}"
    if all(_RULER.issuperset(line.texts[ix]) for ix in line.filled[:8]):
        yield "ruler"
    longest = max((line.texts[ix] for ix in line.filled), key=len)
    yield f"longest={_length(longest)}"
    if filled > 1:
        if line.filled[0] > 0:
            yield "starts=right"
        span = line.filled[-1] - line.filled[0] + 1
        yield f"dense={share(filled, span)}"
        texts = [line.texts[ix] for ix in line.filled if classes[ix] == WORDS]
        if len(texts) > len(set(texts)):
            yield "twins=words"


def _word_features(line: Facts) -> Iterator[str]:
    """What the words of a line say."""
    lead = line.lead[:_MOST_LETTERS]
    wordy = line.classes[line.filled[0]] in (WORDS, CODE)
    if wordy:
        if _TOTAL.fullmatch(lead) and len(lead) < 60:
            start = lead.lower().lstrip(" *-").startswith(("total", "sum", "subtotal", "sub"))
            yield "total=start" if start else "total=later"
        elif _ALL.fullmatch(lead) and len(lead) < 60:
            yield "total=all"
        elif _MEAN.fullmatch(lead) and len(lead) < 60:
            yield "total=mean"
        if _NOTE.match(lead):
            yield "says=note"
        if _MARK.match(lead):
            yield "says=mark"
        if _TITLE.match(lead):
            yield "says=title"
        if _UNIT.fullmatch(lead):
            yield "says=unit"
        if lead.endswith(":"):
            yield "ends=colon"
        elif lead.endswith((".", ";")):
            yield "ends=stop"
        letters = [letter for letter in lead if letter.isalpha()]
        if len(letters) > 3 and all(letter.isupper() for letter in letters):
            yield "case=upper"
        elif letters and letters[0].islower() and lead[0] == letters[0]:
            yield "case=lower"
    others = [line.texts[ix] for ix in line.filled[1:8] if line.classes[ix] == WORDS]
    if line.numbers and len(line.filled) > 1:
        yield from _label_features(line)
    elif any(len(text) < 60 and _TOTAL.fullmatch(text) for text in others):
        yield "total=other"
    if any(_LINK.match(line.texts[ix][:_MOST_LETTERS]) for ix in line.filled[:4]):
        yield "says=link"
    texts = [line.texts[ix] for ix in line.filled[:8]]
    if len(texts) > 1:
        yield f"headings={_matching(_HEADING, texts)}"
    if len(others) > 1:
        yield f"units={_matching(_UNIT, others)}"


def _matching(pattern: re.Pattern[str], texts: Sequence[str]) -> str:
    matches = [pattern.fullmatch(text[:_MOST_LETTERS]) is not None for text in texts]
    return share(sum(matches), len(matches))


def _label_features(line: Facts) -> Iterator[str]:
    """What the cells left of the numbers say."""
    first = min(line.numbers)
    labels = [line.texts[ix] for ix in line.filled if ix < first and line.classes[ix] == WORDS]
    yield f"labels={min(3, len(labels))}"
    for text in labels[-3:]:
        if _BARE_TOTAL.fullmatch(text[:_MOST_LETTERS]):
            yield "label=total"
            break
    else:
        if any(len(text) < 60 and _TOTAL.fullmatch(text) for text in labels[1:4]):
            yield "label=totals"
        elif labels and labels[0].lower().rstrip(" :*0123456789()").endswith(("total", "totals")):
            yield "label=ends"
        elif any(_ALL.fullmatch(text[:_MOST_LETTERS]) for text in labels[1:4]):
            yield "label=all"
    numbers = [line.numbers[ix] for ix in line.numbers if line.classes[ix] != YEAR]
    hundreds = sum(99.9 <= number <= 100.1 for number in numbers)
    if hundreds:
        yield f"hundreds={share(hundreds, len(numbers))}"


def _column_features(line: Facts, around: Surroundings, ix: int) -> Iterator[str]:
    """How a line fits what its columns mostly hold."""
    shape = around.shapes[ix]
    ratio = line.count / around.typical
    yield f"filled={share(ratio, 1.0) if ratio <= 1.1 else 'over'}"
    fits = sum(shape[at] == around.columns[at] for at in line.filled)
    yield f"fits={share(fits, len(line.filled))}"
    numeric = [at for at in line.filled if around.columns[at] == NUMBER]
    clashes = sum(shape[at] != NUMBER for at in numeric)
    if numeric:
        yield f"clash={share(clashes, len(numeric))}"
    count = around.shape_counts[shape]
    yield f"shape={'single' if count == 1 else 'rare' if count < 4 else 'common'}"
    if line.count > 1:
        texts = [at for at in line.filled if line.classes[at] in (WORDS, CODE, MOMENT)]
        again = sum(around.repeats[at][line.texts[at]] > 1 for at in texts)
        yield f"again={share(again, len(texts)) if texts else 'none'}"
    elif around.repeats[line.filled[0]][line.lead] > 1:
        yield "again=one"


def _sum_features(around: Surroundings, ix: int, words: Sequence[str]) -> Iterator[str]:
    """Whether a line adds up others, and says so."""
    sums = around.sums[ix]
    yield f"sum-above={sums.above}"
    yield f"sum-below={sums.below}"
    if sums.totals:
        yield f"sum-totals={sums.totals}"
    above, below, top = around.tops[ix]
    if above:
        yield f"tops-above={above}"
    if below:
        yield f"tops-below={below}"
    if top:
        yield "tops=all"
    best = max(sums.above, sums.below, sums.totals)
    said = next((word for word in words if word.startswith("total=")), "total=no")
    yield f"{said}&sum={best}"


def _neighbour_features(
    lines: Sequence[Facts], around: Surroundings, ix: int, place: str
) -> Iterator[str]:
    """How a line relates to the lines above and below it, and to the ends of the file."""
    line = lines[ix]
    count = len(lines)
    yield f"place={place}"
    if ix < 3:
        yield f"from-top={ix}"
    if count - ix < 3:
        yield f"from-end={count - 1 - ix}"
    if ix:
        above = lines[ix - 1]
        yield f"alike-above={share(alike(around.shapes[ix - 1], around.shapes[ix]), 1.0)}"
        yield f"fill-above={fill_of(above)}"
        if around.body[ix - 1]:
            yield "body-above"
        if line.row - above.row > 1:
            yield "gap-above"
        if line.row - above.row > 2:
            yield "gap-above=wide"
    if ix + 1 < count:
        below = lines[ix + 1]
        yield f"alike-below={share(alike(around.shapes[ix], around.shapes[ix + 1]), 1.0)}"
        yield f"fill-below={fill_of(below)}"
        if around.body[ix + 1]:
            yield "body-below"
        if below.row - line.row > 1:
            yield "gap-below"
        more = (
            "more" if below.count > line.count else "less" if below.count < line.count else "equal"
        )
        yield f"count-below={more}"
    if ix + 2 < count and around.body[ix + 2]:
        yield "body-below=2"


def _alone_features(line: Facts, below: Facts, around: Surroundings) -> Iterator[str]:
    """What the line below says about one that has a single cell."""
    if below.lead[0].islower():
        yield "alone&goes-on"
    if below.count > 1 and line.filled[0] <= below.filled[0]:
        often = around.repeats[below.filled[0]][below.lead]
        yield f"alone&below={'new' if often == 1 else 'again' if often < 4 else 'often'}"


def _joint_features(
    lines: Sequence[Facts], around: Surroundings, ix: int, place: str, own: Sequence[str]
) -> Iterator[str]:
    """Facts that only mean something together."""
    line = lines[ix]
    fill = fill_of(line)
    body = around.body[ix]
    before = ix > 0 and around.body[ix - 1]
    after = ix + 1 < len(lines) and around.body[ix + 1]
    yield f"{place}&fill={fill}"
    yield f"body={'yes' if body else 'no'}"
    if body:
        alone = ix > 0 and line.row - lines[ix - 1].row > 1
        alone = alone and ix + 1 < len(lines) and lines[ix + 1].row - line.row > 1
        edge = "first" if not before else "last" if not after else "inner"
        yield f"body-edge={edge}"
        if alone:
            yield f"body-alone={edge}"
    if not body:
        next_to = (
            "both" if before and after else "above" if before else "below" if after else "none"
        )
        yield f"{fill}&body-next={next_to}"
        yield f"{place}&body-next={next_to}"
    gap = "gap" if ix and line.row - lines[ix - 1].row > 1 else "near"
    if line.count == 1:
        yield f"alone&{place}&{gap}"
        yield f"alone&{place}&length={_length(line.lead)}"
        yield f"alone&prose={around.prose}"
        if ix and line.filled[0] > 0:
            under = around.shapes[ix - 1][line.filled[0] : line.filled[0] + 1]
            above = "words" if under == WORDS else "other" if under.strip(BLANK) else "blank"
            yield f"alone&under={above}"
        if ix + 1 < len(lines):
            yield from _alone_features(line, lines[ix + 1], around)
    for name in own:
        if name.startswith(_PLACED) and "&" not in name:
            yield f"{place}&{name}"
