"""Reports for tests: files that are checked, and what is hostile about the texts in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sculpt
from sculpt.errors import DataError
from sculpt.report.formats.checks import Report
from sculpt.verdict import Unread, Verdict, Verdicts

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "]]>&amp;<!--",
    "::error file=a::owned",
    "##[error]owned",
    "%0A::set-output name=x::y",
    "a|b\\|c",
    "`code` **bold** [link](http://x) @team #1 $x$ :+1: www.x.org",
    "=HYPERLINK(1)",
    "\x1b[31mred\x9b31m",
    "\u202eright to left\u2066",
    "nul\0bell\x07",
    "two\nlines\r\nand a tab\t",
    "quotes \" and ' and ,",
    "\ufffe\uffff\x85\u2028",
    "日本語 👍🏽 é",
    "",
    " ",
]
SCHEMA = """\
% The first row names the columns. There are two.
row(1) -> name, age
% Ages are numbers
col(age) -> Integer
col(name) -> Text
unique(name)
col(99) -> x
"""


def quoted_csv(texts: list[str]) -> bytes:
    """A table in which each text is a name whose age is wrong."""
    cells = ['"' + text.replace('"', '""') + '"' for text in texts]
    return ("name,age\n" + "".join(f"{cell},{cell}\n" for cell in cells)).encode()


def reported(
    files: Mapping[str, bytes | None],
    schema: str = SCHEMA,
    engine: str = "reference",
    limit: int = 1000,
    **more: Any,
) -> Report:
    """The report on some files of the current directory; one without content is missing."""
    Path("s.sculpt").write_text(schema, encoding="utf-8")
    loaded = sculpt.Schema.load("s.sculpt")
    outcomes: list[Verdict | Unread] = []
    for name, content in files.items():
        if content is not None:
            Path(name).write_bytes(content)
        try:
            outcomes.append(sculpt.validate(loaded, name, engine, max_violations=limit))
        except DataError as error:
            outcomes.append(Unread(name, str(error)))
    return Report(loaded, Verdicts(engine, tuple(outcomes), **more))
