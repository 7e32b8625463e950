"""Pictures: numbers, dates and times as some format writes them.

In: the distinct texts of a column. Out: the pictures that all of them have, the likelier first; a
`note` if dates or numbers can be read in two ways. Invariant: each form that is returned accepts
every text that was given. Cost: linear in the texts, times the few dozen known pictures; a text
that no picture has ends the search for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sculpt.inference.columns.conventions import decimal_mark, is_open
from sculpt.inference.columns.forms import Form
from sculpt.interchange.builder import literal

_D, _DD = r"(?P<d>0?[1-9]|[12][0-9]|3[01])", r"(?P<d>0[1-9]|[12][0-9]|3[01])"
_M, _MM = r"(?P<m>0?[1-9]|1[0-2])", r"(?P<m>0[1-9]|1[0-2])"
_SHORT = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_MMM = f"(?P<m>{_SHORT}|{_SHORT.upper()}|{_SHORT.lower()})"
_LONG = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)  # fmt: skip
_MMMM = f"(?P<m>{_LONG})"
_Y, _YY = r"(?P<y>[0-9]{4})", r"(?P<y>[0-9]{2})"
_H, _HH, _MI = r"(?:[01]?[0-9]|2[0-3])", r"(?:[01][0-9]|2[0-3])", r"[0-5][0-9]"
_SIGNS = (
    ("yyyy", _Y), ("yy", _YY), ("MMMM", _MMMM), ("MMM", _MMM), ("MM", _MM), ("M", _M),
    ("dd", _DD), ("d", _D), ("HH", _HH), ("hh", r"(?:0[1-9]|1[0-2])"), ("H", _H),
    ("h", r"(?:0?[1-9]|1[0-2])"), ("mm", _MI), ("ss", _MI), ("SSS", "[0-9]{3}"),
    ("EEEE", r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"),
    ("EEE", r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"), ("a", r"(?:AM|PM|am|pm)"),
)  # fmt: skip
_NUMERIC = tuple(
    day
    for sep in "/-."
    for year in ("yyyy", "yy")
    for day in (
        f"dd{sep}MM{sep}{year}",
        f"d{sep}M{sep}{year}",
        f"MM{sep}dd{sep}{year}",
        f"M{sep}d{sep}{year}",
    )
)
_DAYS = (
    *_NUMERIC,
    "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyyMMdd", "dd MMM yyyy", "d MMM yyyy", "dd-MMM-yy",
    "d-MMM-yy", "dd-MMM-yyyy", "d-MMM-yyyy", "d MMMM yyyy", "MMMM d, yyyy", "MMM d, yyyy",
    "EEEE, MMMM dd, yyyy", "EEEE, MMMM d, yyyy", "EEEE, d MMMM yyyy", "EEE d/M/y",
)  # fmt: skip
_CLOCKS = ("HH:mm:ss", "HH:mm", "H:mm:ss", "H:mm", "h:mm a", "h:mm:ss a", "HH:mm:ss.SSS")
_MONTHS = ("MMM-yy", "MMM yyyy", "MMMM yyyy", "MM/yyyy", "MMM-yyyy", "yyyy/MM", "MMMM, yyyy")


def _form(kind: str, picture: str) -> Form:
    rest, pattern = picture, ""
    while rest:
        sign = next((sign for sign in _SIGNS if rest.startswith(sign[0])), None)
        if sign is None:
            pattern += re.escape(rest[0])
            rest = rest[1:]
        else:
            pattern += sign[1]
            rest = rest[len(sign[0]) :]
    return Form("picture", f"{kind}({literal(picture)})", pattern, ":=")


def _moments() -> tuple[Form, ...]:
    clocks = tuple(_form("xs:time", clock) for clock in _CLOCKS)
    months = tuple(_form("xs:gYearMonth", month) for month in _MONTHS)
    days = tuple(_form("Date", day) for day in _DAYS if day != "yyyyMMdd")
    numeric = (*_NUMERIC, "yyyy-MM-dd", "yyyy/MM/dd")
    both = tuple(
        _form("xs:dateTime", f"{day} {clock}") for day in numeric for clock in _CLOCKS
    )  # the longest list: only for texts with a colon
    return (*days, *clocks, *months, *both)


def _separators(text: str) -> frozenset[str]:
    """The marks and blanks of a moment, or of its picture: they are the same."""
    return frozenset(char for char in text if not char.isalnum())


@cache
def _all_moments() -> tuple[tuple[frozenset[str], Form], ...]:
    """All pictures, each with its separators."""
    return tuple((_separators(form.written.split('"')[1]), form) for form in _moments())


def moments(texts: Sequence[str]) -> tuple[Form, ...]:
    """The pictures of dates and times that all texts have, the likelier first."""
    if not texts or not any(char.isdigit() for char in texts[0]) or len(texts[0]) > 40:
        return ()
    marks = _separators(texts[0])  # most pictures end here, before they are compiled
    left = tuple(form for separators, form in _all_moments() if separators == marks)
    for text in texts:
        left = tuple(form for form in left if form.accepts(text))
        if not left:
            return ()
    first = left[0]
    other = next((each for each in left[1:] if _is_swapped(first, each)), None)
    if other is not None:
        note = f"the days could be months: {other.written} reads every cell too"
        first = Form(first.level, first.written, first.pattern, first.sign, note)
    return (first, *left[1:])


def _is_swapped(first: Form, other: Form) -> bool:
    places = [re.search(r"d|M", form.written.partition("(")[2]) for form in (first, other)]
    found = [place.group() for place in places if place]
    return len(found) == 2 and found[0] != found[1] and first.level == other.level


def _number(groups: str, points: str) -> re.Pattern[str]:
    return re.compile(
        r"(?P<open>\()?(?P<minus>-)?(?P<before>[£$€¥]\s?)?(?P<digits>"
        rf"[0-9]{{1,3}}(?:(?P<group>[{groups}])[0-9]{{3}})(?:(?P=group)[0-9]{{3}})*|[0-9]+)"
        rf"(?:(?P<point>[{points}])(?P<decimals>[0-9]+))?(?P<after>\s?[%€])?(?(open)\))"
    )


_NUMBERS = {"": _number(",.' ", ".,"), ".": _number(",' ", "."), ",": _number(".' ", ",")}
"""By the decimal mark; empty where that is not known."""
_MONEY = re.compile("[£$€¥]")


def numbers(texts: Sequence[str], decimal: str) -> tuple[Form, ...]:
    """A picture of numbers with groups, a currency or a percent sign, if all texts have one.

    `decimal` is the decimal mark of the file, if that is known. Where nothing decides, commas are
    groups and points are decimal marks, and a `note` says so. Money has no three decimals.
    """
    is_money = any(map(_MONEY.search, texts))
    if known := decimal_mark([texts]) or ("" if is_money else decimal):
        return _pictured(texts, known)
    if is_money or not any(map(is_open, texts)):
        return _pictured(texts, "")
    if not any("," in text for text in texts):
        return tuple(noted(form, texts) for form in _pictured(texts, "."))
    return tuple(noted(form, texts) for form in _pictured(texts, ""))


def noted(form: Form, texts: Sequence[str]) -> Form:
    """A form of numbers, with a note if they can be read in another way."""
    other = _pictured(texts, ",") if any(map(is_open, texts)) else ()
    if not other:
        return form
    is_comma = any("," in text for text in texts)
    what = "commas could be decimal marks" if is_comma else "points could separate thousands"
    note = f"the {what}: {other[0].written} reads every cell too"
    return Form(form.level, form.written, form.pattern, form.sign, note)


def _pictured(texts: Sequence[str], decimal: str) -> tuple[Form, ...]:
    found = [_NUMBERS[decimal].fullmatch(text) for text in texts]
    parts = [each for each in found if each is not None]
    if len(parts) < len(found) or not parts:
        return ()
    befores = {each["before"] or "" for each in parts}
    afters = {each["after"] or "" for each in parts}
    groups = {each["group"] for each in parts if each["group"]}
    points = {each["point"] for each in parts if each["point"]}
    if len(befores) > 1 or len(afters) > 1 or len(groups) > 1 or len(points) > 1 or groups & points:
        return ()
    if any(each["open"] and each["minus"] for each in parts):
        return ()
    group, point = next(iter(groups), ""), next(iter(points), "")
    if not group and not point and not (befores | afters) - {""}:
        return ()
    if group == "." and not decimal and not point and not (befores | afters) - {""}:
        return ()  # 1.234 is likelier a number with three decimals
    return (_number_form(parts, group, point),)


def _number_form(parts: Sequence[re.Match[str]], group: str, point: str) -> Form:
    lengths = [len(each["decimals"] or "") for each in parts]
    decimals = f".{'0' * min(lengths)}{'#' * (max(lengths) - min(lengths))}" if point else ""
    fixed = parts[0]["before"] or "", parts[0]["after"] or ""
    options = ""
    if (group and group != ",") or (point and point != "."):
        options = f', group "{group}"' if group else ""
        mark = point or ("," if group == "." else "")
        options += f', decimal "{mark}"' if mark else ""

    def picture(body: str) -> str:
        positive = f"{fixed[0]}{body}{decimals}{fixed[1]}"
        is_bracketed = any(each["open"] for each in parts)
        return f'Number("{positive}{f";({positive})" if is_bracketed else ""}"{options})'

    has_plain = any(len(each["digits"]) > 3 and not each["group"] for each in parts)
    bodies = (["#,##0"] if group else []) + (["0"] if has_plain or not group else [])
    written = " or ".join(picture(body) for body in bodies)
    digits = rf"(?:[0-9]{{1,3}}(?:{re.escape(group)}[0-9]{{3}})*" if group else "(?:[0-9]+"
    digits += "|[0-9]+)" if has_plain or not group else ")"
    low, high = min(lengths), max(lengths)
    tail = ""
    if point:
        tail = rf"{re.escape(point)}[0-9]{{{low},{high}}}"
        tail = f"(?:{tail})?" if low == 0 else tail
    core = f"{re.escape(fixed[0])}{digits}{tail}{re.escape(fixed[1])}"
    is_bracketed = any(each["open"] for each in parts)
    return Form("picture", written, rf"(?:-?{core}|\({core}\))" if is_bracketed else f"-?{core}",
                ":=")  # fmt: skip
