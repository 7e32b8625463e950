"""All weights of the score of a dialect, in one place.

The score of a candidate is the sum of its features, each times its weight, plus the priors of its
parts; shares are `exp(score)`, divided by the sum of all. So a weight of 1 means: a table that has
this feature is 2.7 times as likely as one without it. `benchmarks/infer.py dialects` measures
what a change does.
"""

from __future__ import annotations

FEATURES = {
    "shape": 6.0,
    "columns": 2.0,
    "coverage": 4.0,
    "plausible": 6.0,
    "coherent": 3.0,
    "faults": -12.0,
    "leftovers": -7.0,
    "quoted": 2.5,
    "needed": 2.5,
    "split": -1.5,
    "sentences": -4.0,
}
"""Each is between 0 and 1:

- `shape`: neighbouring rows of equal width;
- `columns`: 1 - 1/width;
- `coverage`: how much of the text is in rows of the table;
- `plausible`: how much cells look like values;
- `coherent`: how alike the kinds in a column are;
- `faults`: broken quotes for each row;
- `leftovers`: cells that keep a quote or a delimiter that should have gone;
- `quoted`: cells in proper quotes;
- `needed`: whether there are quotes around delimiters, line ends or quotes;
- `split`: whether there are cells with an opening quote only;
- `sentences`: cells that go on like a sentence.
"""

ONE_COLUMN_SHAPE = 0.55
"""The shape of one column, which is always even: a reason for no other dialect."""

ONE_ROW_SHAPE = 0.2
"""The shape of a single row of several cells, if other rows have one."""

DELIMITERS = {
    ",": 0.0,
    "\t": 0.0,
    ";": -0.2,
    "|": -0.5,
    "\x01": -0.2,
    "\x1e": -0.2,
    "\x1f": -0.2,
    "||": -1.0,
    "::": -1.5,
    "~": -1.5,
    "^": -1.5,
    "¦": -1.0,
    "§": -1.0,
    "#": -3.0,
    "&": -3.0,
    "*": -3.0,
    "!": -4.0,
    "@": -4.5,
    "=": -4.0,
    ":": -4.5,
    "/": -6.0,
    " ": -4.4,
}
"""The prior of each delimiter; the order breaks ties."""
OTHER_MARK = -2.0
"""The prior of any other mark: hardly ever in texts, so hardly there for another reason."""
BLANKS = -5.0
"""The prior of blanks as a pattern."""
WIDE_BLANKS = -5.1
"""The prior of two or more blanks."""
WIDTHS = -5.3
"""The prior of fixed widths."""
ONE_COLUMN = -1.0
"""The prior of no delimiter at all."""

QUOTES = {'"': 0.0, "'": -1.5, None: -1.5}
ESCAPE = -1.0
BARE_ESCAPE = -0.5
STRAY_QUOTES = -1.5
ESCAPES = -1.5
"""The priors of readings of quotes that differ from the default."""
ROW_DELIM = -1.5
"""The prior of one kind of line ends where several occur."""

PLAUSIBLE = {
    "empty": 0.6,
    "missing": 0.9,
    "integer": 1.0,
    "decimal": 1.0,
    "grouped": 1.0,
    "currency": 1.0,
    "percent": 1.0,
    "year": 1.0,
    "date": 1.0,
    "time": 0.95,
    "code": 0.8,
    "word": 0.85,
    "text": 0.7,
    "long": 0.65,
    "list": 0.8,
}
"""How much a cell of each kind looks like a value."""
LIST_LEFTOVER = 0.1
"""How much a list of one kind of items looks as if it should have been split."""
CURABLE = frozenset({"faults", "leftovers", "split", "needed", "quoted"})
"""Features that other quotes can cure: they do not decide which delimiters are tried further."""
SAMPLE_ROWS = 80
SAMPLE_CELLS = 1_500
"""At most this many rows and cells are looked at closely."""
