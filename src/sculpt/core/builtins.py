"""The predefined tokens: the XSD 1.1 built-in types and the friendly names, as expressions.

In: nothing. Out: `XSD` (type name without `xs:`) and `FRIENDLY` (`Date`, `Number`, ...), both
map a name to a regular expression in text form; `Missing` has no text and is not here. `ASKED` has
the texts of the types that are not regular (`Json`) which must be read to be judged; those of
`FRIENDLY` are then the ones that need no reading.

An expression describes a whole value after XSD white-space collapse (XSD 1.1 Part 2, 4.3.6),
so only the types that keep blanks accept any at the ends. Invariant: nothing but literals,
escapes, classes, `.`, groups, `|` and greedy repeats occurs, and no double quote, so that our
own parser and `re` with `re.DOTALL` read the same language. `tests/core/test_builtins.py`
compares every type with an XSD processor.

Cost: strings built once on import.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final


def _one_of(*expressions: str) -> str:
    return f"(?:{'|'.join(expressions)})"


def _optional(expression: str) -> str:
    return f"(?:{expression})?"


def _list_of(item: str) -> str:
    return f"{item}(?: {item})*"


def _digit(low: int, high: int) -> str:
    return str(low) if low == high else f"[{low}-{high}]"


# --- Numbers -----------------------------------------------------------------------------------

_DIGITS = "[0-9]+"
_UNSIGNED_DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DECIMAL = rf"[+\-]?{_UNSIGNED_DECIMAL}"
_FINITE_DOUBLE = rf"{_DECIMAL}(?:[eE][+\-]?[0-9]+)?"
_DOUBLE = rf"{_FINITE_DOUBLE}|[+\-]?INF|NaN"
_INTEGER = rf"[+\-]?{_DIGITS}"
_POSITIVE = "0*[1-9][0-9]*"


def _same_length_up_to(digits: str, lowest: int = 0) -> str:
    """Numerals as long as `digits`, at most as large, whose first digit is at least `lowest`."""
    first, rest = int(digits[0]), digits[1:]
    if not rest:
        return _digit(lowest, first)
    tight = f"{first}{_same_length_up_to(rest)}"
    if first == lowest:
        return tight
    return _one_of(f"{_digit(lowest, first - 1)}[0-9]{{{len(rest)}}}", tight)


def _up_to(limit: int) -> str:
    """Numerals from 0 to `limit` (10 or more), with any number of leading zeros.

    Leading zeros are read separately from the digits that are counted: a numeral then has one
    reading, and the subset construction does not multiply zeros by lengths.
    """
    digits = str(limit)
    shorter = f"[1-9][0-9]{{0,{len(digits) - 2}}}"
    return f"0*{_one_of('0', shorter, _same_length_up_to(digits, lowest=1))}"


def _signed(bits: int) -> str:
    return rf"\+?{_up_to(2 ** (bits - 1) - 1)}|-{_up_to(2 ** (bits - 1))}"


def _unsigned(bits: int) -> str:
    # Zero may carry a minus sign: the bounds of XSD are bounds on values, and -0 is 0.
    return rf"\+?{_up_to(2**bits - 1)}|-0+"


# --- Dates and times ---------------------------------------------------------------------------

_MULTIPLE_OF_4 = "(?:[02468][048]|[13579][26])"
_MULTIPLE_OF_4_NOT_00 = "(?:0[48]|[2468][048]|[13579][26])"
_LEAP_YYYY = _one_of(f"[0-9]{{2}}{_MULTIPLE_OF_4_NOT_00}", f"{_MULTIPLE_OF_4}00")

# 10000 is a multiple of 400, so digits before the last four never change whether a year is leap.
_YEAR = "-?(?:[1-9][0-9]{3,}|0[0-9]{3})"
_LEAP_YEAR = f"-?(?:[1-9][0-9]*)?{_LEAP_YYYY}"

_TO_28 = "(?:0[1-9]|1[0-9]|2[0-8])"
_TO_29 = "(?:0[1-9]|[12][0-9])"
_TO_30 = "(?:0[1-9]|[12][0-9]|30)"
_TO_31 = "(?:0[1-9]|[12][0-9]|3[01])"
_MONTH = "(?:0[1-9]|1[0-2])"
_DAY_BUT_FEBRUARY = _one_of(f"(?:0[13578]|1[02])-{_TO_31}", f"(?:0[469]|11)-{_TO_30}")

_YEAR_MONTH_DAY = _one_of(
    f"{_YEAR}-{_one_of(_DAY_BUT_FEBRUARY, f'02-{_TO_28}')}", f"{_LEAP_YEAR}-02-29"
)
_TIME = _one_of(
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?",
    r"24:00:00(?:\.0+)?",
)
_ZONE = r"(?:Z|[+\-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))"
_DATE = f"{_YEAR_MONTH_DAY}{_ZONE}?"
_DATE_TIME = f"{_YEAR_MONTH_DAY}T{_TIME}"


def _some_in_order(fields: Sequence[str]) -> str:
    """One or more of the fields, each at most once, in their order."""
    return _one_of(
        *(
            first + "".join(_optional(later) for later in fields[position + 1 :])
            for position, first in enumerate(fields)
        )
    )


# The recommendation contradicts itself on `PT1.S` and `PT.5S` (3.3.6.2): production [11] allows
# them, its regular expressions do not. We follow the expressions, as processors do.
_HOURS_TO_SECONDS = "T" + _some_in_order(
    (f"{_DIGITS}H", f"{_DIGITS}M", rf"{_DIGITS}(?:\.[0-9]+)?S")
)
_YEARS_MONTHS = _some_in_order((f"{_DIGITS}Y", f"{_DIGITS}M"))
_DAYS_TO_SECONDS = _some_in_order((f"{_DIGITS}D", _HOURS_TO_SECONDS))
_DURATION = "-?P" + _some_in_order((_YEARS_MONTHS, _DAYS_TO_SECONDS))


def _day_first(separator: str, months_31: str, months_30: str, february: str) -> str:
    """Day, month, year of two or four digits; a leading zero of the day may be missing.

    Two digits do not say which century: 29 February is valid if they are a multiple of 4.
    """
    other = _one_of(months_31, months_30)
    day_month = _one_of(
        f"(?:0?[1-9]|1[0-9]|2[0-8]){separator}{_one_of(months_31, months_30, february)}",
        f"(?:29|30){separator}{other}",
        f"31{separator}{months_31}",
    )
    leap_day = f"29{separator}{february}"
    return _one_of(
        f"{day_month}{separator}[0-9]{{2}}(?:[0-9]{{2}})?",
        f"{leap_day}{separator}{_one_of(_LEAP_YYYY, _MULTIPLE_OF_4)}",
    )


def _month_names(*names: str) -> str:
    return _one_of(*(spelt for name in names for spelt in (name.upper(), name, name.lower())))


_NUMERIC_DAY_FIRST = _day_first("/", "(?:0?[13578]|1[02])", "(?:0?[469]|11)", "0?2")
_NAMED_DAY_FIRST = _day_first(
    "-",
    _month_names("Jan", "Mar", "May", "Jul", "Aug", "Oct", "Dec"),
    _month_names("Apr", "Jun", "Sep", "Nov"),
    _month_names("Feb"),
)

# --- Names and other text ----------------------------------------------------------------------

# XML 1.0 (fifth edition), productions [4] NameStartChar and [4a] NameChar, without the colon.
_NAME_START = (
    r"A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D"
    r"\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD"
    f"{chr(0x10000)}-{chr(0xEFFFF)}"
)
_NAME_CHAR = rf"{_NAME_START}\-.0-9\xB7\u0300-\u036F\u203F-\u2040"
_NCNAME = f"[{_NAME_START}][{_NAME_CHAR}]*"
_NAME = f"[:{_NAME_START}][:{_NAME_CHAR}]*"
_NMTOKEN = f"[:{_NAME_CHAR}]+"
_QNAME = f"{_NCNAME}(?::{_NCNAME})?"

_STRING = ".*"
_TOKEN = _optional(_list_of(r"[^\t\n\r ]+"))
_BOOLEAN = "true|false|0|1"

# A blank may follow every character but the last (3.3.16.2); the last character before the
# padding has only as many free bits as the octets need.
_BASE64 = "[A-Za-z0-9+/]"
_BASE64_BINARY = _optional(
    f"(?:(?:{_BASE64} ?){{4}})*"
    + _one_of(
        f"(?:{_BASE64} ?){{3}}{_BASE64}",
        f"(?:{_BASE64} ?){{2}}[AEIMQUYcgkosw048] ?=",
        f"{_BASE64} ?[AQgw] ?= ?=",
    )
)

# --- Addresses and identifiers -----------------------------------------------------------------

_HEX = "[0-9A-Fa-f]"
# RFC 4122, section 3, the string form.
_UUID = f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"

# The HTML standard, "valid e-mail address": a willful violation of RFC 5322, and what forms accept.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])?"
_EMAIL = rf"[a-zA-Z0-9.!#$%&'*+/=?\^_`{{|}}~\-]+@{_LABEL}(?:\.{_LABEL})*"

# RFC 3986, production `URI`: a scheme is required.
_ENCODED = f"%{_HEX}{{2}}"
_REGISTERED_CHAR = r"A-Za-z0-9\-._~!$&'()*+,;="
_PATH_CHAR = rf"(?:[{_REGISTERED_CHAR}:@]|{_ENCODED})"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_GROUP = f"{_HEX}{{1,4}}"
_LAST_GROUPS = f"(?:{_GROUP}:{_GROUP}|{_IPV4})"
_IPV6 = _one_of(
    f"(?:{_GROUP}:){{6}}{_LAST_GROUPS}",
    f"::(?:{_GROUP}:){{5}}{_LAST_GROUPS}",
    f"(?:{_GROUP})?::(?:{_GROUP}:){{4}}{_LAST_GROUPS}",
    *(
        f"(?:(?:{_GROUP}:){{0,{before}}}{_GROUP})?::(?:{_GROUP}:){{{4 - before}}}{_LAST_GROUPS}"
        for before in range(1, 5)
    ),
    f"(?:(?:{_GROUP}:){{0,5}}{_GROUP})?::{_GROUP}",
    f"(?:(?:{_GROUP}:){{0,6}}{_GROUP})?::",
)
_LATER_IP = rf"[vV]{_HEX}+\.[{_REGISTERED_CHAR}:]+"
_HOST = _one_of(rf"\[{_one_of(_IPV6, _LATER_IP)}\]", f"(?:[{_REGISTERED_CHAR}]|{_ENCODED})*")
_AUTHORITY = f"(?:(?:[{_REGISTERED_CHAR}:]|{_ENCODED})*@)?{_HOST}(?::[0-9]*)?"
_ROOTLESS = f"{_PATH_CHAR}+(?:/{_PATH_CHAR}*)*"
_AFTER_PATH = rf"(?:{_PATH_CHAR}|[/?])*"
_URI = (
    r"[A-Za-z][A-Za-z0-9+\-.]*:"
    + _one_of(f"//{_AUTHORITY}(?:/{_PATH_CHAR}*)*", f"/(?:{_ROOTLESS})?", f"(?:{_ROOTLESS})?")
    + rf"(?:\?{_AFTER_PATH})?(?:#{_AFTER_PATH})?"
)

# --- JSON (RFC 8259) ---------------------------------------------------------------------------

_BLANKS = r"[ \t\n\r]*"
_JSON_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?"
_JSON_STRING = r"\x22(?:[^\x00-\x1F\x22\x5C]|\x5C(?:[\x22\x5C/bfnrt]|u[0-9A-Fa-f]{4}))*\x22"
_JSON_PLAIN = _one_of(_JSON_NUMBER, _JSON_STRING, "true", "false", "null")
_EMPTY_OBJECT = rf"{_BLANKS}\{{{_BLANKS}\}}{_BLANKS}"
_EMPTY_ARRAY = rf"{_BLANKS}\[{_BLANKS}\]{_BLANKS}"
# What is in an object begins with a quote; what is in an array does not begin with a bracket.
_LIKE_OBJECT = rf"{_BLANKS}\{{{_BLANKS}\x22.*\}}{_BLANKS}"
_LIKE_ARRAY = rf"{_BLANKS}\[{_BLANKS}[^ \t\n\r\]].*\]{_BLANKS}"

# --- The tables --------------------------------------------------------------------------------

XSD: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The 19 primitive types.
        "string": _STRING,
        "boolean": _BOOLEAN,
        "decimal": _DECIMAL,
        "float": _DOUBLE,
        "double": _DOUBLE,
        "duration": _DURATION,
        "dateTime": f"{_DATE_TIME}{_ZONE}?",
        "time": f"{_TIME}{_ZONE}?",
        "date": _DATE,
        "gYearMonth": f"{_YEAR}-{_MONTH}{_ZONE}?",
        "gYear": f"{_YEAR}{_ZONE}?",
        "gMonthDay": f"--{_one_of(_DAY_BUT_FEBRUARY, f'02-{_TO_29}')}{_ZONE}?",
        "gDay": f"---{_TO_31}{_ZONE}?",
        "gMonth": f"--{_MONTH}{_ZONE}?",
        "hexBinary": "(?:[0-9a-fA-F]{2})*",
        "base64Binary": _BASE64_BINARY,
        # XSD 1.1 does not require any URI syntax (3.3.17).
        "anyURI": _TOKEN,
        "QName": _QNAME,
        "NOTATION": _QNAME,
        # The 25 derived atomic types.
        "normalizedString": r"[^\t\n\r]*",
        "token": _TOKEN,
        "language": "[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
        "NMTOKEN": _NMTOKEN,
        "Name": _NAME,
        "NCName": _NCNAME,
        "ID": _NCNAME,
        "IDREF": _NCNAME,
        "ENTITY": _NCNAME,
        "integer": _INTEGER,
        "nonPositiveInteger": rf"-{_DIGITS}|\+?0+",
        "negativeInteger": f"-{_POSITIVE}",
        "long": _signed(64),
        "int": _signed(32),
        "short": _signed(16),
        "byte": _signed(8),
        "nonNegativeInteger": rf"\+?{_DIGITS}|-0+",
        "unsignedLong": _unsigned(64),
        "unsignedInt": _unsigned(32),
        "unsignedShort": _unsigned(16),
        "unsignedByte": _unsigned(8),
        "positiveInteger": rf"\+?{_POSITIVE}",
        "yearMonthDuration": f"-?P{_YEARS_MONTHS}",
        "dayTimeDuration": f"-?P{_DAYS_TO_SECONDS}",
        "dateTimeStamp": f"{_DATE_TIME}{_ZONE}",
        # The lists.
        "NMTOKENS": _list_of(_NMTOKEN),
        "IDREFS": _list_of(_NCNAME),
        "ENTITIES": _list_of(_NCNAME),
    }
)

FRIENDLY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Empty": "",
        "Text": ".+",
        "Any": ".*",
        "String": _STRING,
        "Number": _FINITE_DOUBLE,
        "Integer": _INTEGER,
        "Boolean": _BOOLEAN,
        "Date": _one_of(_DATE, _NUMERIC_DAY_FIRST, _NAMED_DAY_FIRST),
        "Null": "",
        "Uuid": _UUID,
        "Email": _EMAIL,
        "Uri": _URI,
        "Json": _one_of(f"{_BLANKS}{_JSON_PLAIN}{_BLANKS}", _EMPTY_OBJECT, _EMPTY_ARRAY),
        "JsonObject": _EMPTY_OBJECT,
        "JsonArray": _EMPTY_ARRAY,
    }
)

ASKED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Json": _one_of(_LIKE_OBJECT, _LIKE_ARRAY),
        "JsonObject": _LIKE_OBJECT,
        "JsonArray": _LIKE_ARRAY,
    }
)
