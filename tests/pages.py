"""What the tests of pages share: reports on disk, a large table that is made up, a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Never

import sculpt
from conftest import ROOT
from sculpt.verdict import Coverage, Heat, Tally, Unread, Verdict, Violation
from sculpt.views.html.report import report_html
from sculpt.views.model import Place, Window, region_specs
from sculpt.views.view import View

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOON = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
DRAFT = ROOT / "examples" / "statement" / "draft.sculpt"
STATEMENT = ROOT / "examples" / "statement" / "statement.csv"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SCRIPT = ROOT / "src" / "sculpt" / "views" / "static" / "page.js"
OPTIONS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--no-first-run",
    "--no-default-browser-check",
)

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    '<img src=x onerror="window.broken = 2">',
    "\"'><svg onload=window.broken=3>",
    "<!--<script>",
    "]]>&lt;&amp;&#60;script&#62;",
    "javascript:window.broken=4",
    "\u202egnp.exe\u202c",
    "zero\u200bwidth\ufeff",
    "nul\0bell\x07esc\x1b[31mred",
    "line\u2028paragraph\u2029",
    "tag\U000e0041",
    "soft\xadhyphen\x85next",
    "`tick` ``",
    "{{constructor}} ${x} \\u003c",
    "ﷺ".join("aaa"),
    "y" * 500,
)


def browser_path() -> str:
    """Where Chromium is; Debian's package puts it on the path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("SCULPT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert found, "Chromium was not found: `make .chromium` installs it"
    return found


def view_of(schema: str | Path, data: str | bytes | Path, folder: Path | None = None) -> View:
    """The view of a schema and data, each a file or a text."""
    loaded = sculpt.Schema.load(schema) if isinstance(schema, Path) else sculpt.Schema.parse(schema)
    if isinstance(data, Path):
        return sculpt.view(loaded, data, engine="reference")
    assert folder is not None
    path = folder / f"data{len(list(folder.iterdir()))}.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return sculpt.view(loaded, path, engine="reference")


def written(folder: Path, html: str, name: str = "report.html") -> Path:
    """A page on disk."""
    path = folder / name
    path.write_bytes(html.encode())
    return path


def statement_report() -> str:
    """The report that the README shows."""
    return report_html([view_of(DRAFT, STATEMENT)], made=NOON)


def hostile_view(folder: Path) -> View:
    """A table of hostile texts, in a file with a hostile name, under a hostile schema."""
    name = "<b>'\"&\u202e.csv"
    text = "\n".join(f'{at},"{each}"' for at, each in enumerate(map(_quoted, HOSTILE), 1))
    path = folder / name
    path.write_bytes(text.encode() + b'\n99,"\xff\xfe"\n')
    schema = sculpt.Schema.parse(
        "% <script>window.broken = 5</script> \u202e documentation.\n"
        'col(2) -> "</style><script>window.broken = 6</script>" | y\n'
        "% Numbers.\ncol(1) -> Integer\n",
        name="</title><script>window.broken = 7</script>.sculpt",
    )
    return sculpt.view(schema, path, engine="reference")


def _quoted(text: str) -> str:
    return text.replace('"', '""')


def unread() -> Unread:
    """An input that could not be read, with a hostile name and message."""
    return Unread("<i>gone</i>\udcff.csv", "<img src=x onerror='window.broken=8'> \x1b[31m")


# ------------------------------------------------------------- a table that is made up


class MadeUp:
    """A source of any number of rows and columns, all of which violate the first rule."""

    def __init__(self, rows: int, columns: int, narrated: int = 1_000) -> None:
        self.rows, self.columns = rows, columns
        shown = tuple(self._violation(row) for row in range(1, min(rows, narrated) + 1))
        step = 1
        while step * 256 < rows:
            step *= 2
        heat = Heat(
            step, 1, tuple((at, 1, min(step, rows - at * step)) for at in range(-(-rows // step)))
        )
        self.verdict = Verdict(
            "made-up.csv",
            "local",
            rows,
            columns,
            rows,
            shown,
            (),
            (Tally("row-content", 1, 1, "col(1) -> Date", rows, rows, rows),),
            (),
            Coverage(rows * columns, rows),
            heat,
        )
        self.counts: Mapping[str, int] = {"rule:1": rows}
        self.windows_read = 0

    def _violation(self, row: int) -> Violation:
        return Violation(
            "row-content", 1, 1, row, 1, row * 10, f"text {row}", ("Text",), ("Date",),
            f"found `text {row}`, expected Date",
        )  # fmt: skip

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        self.windows_read += 1
        down = range(row, min(row + rows, self.rows + 1))
        across = range(column, min(column + columns, self.columns + 1))
        return Window(
            row,
            column,
            self.rows,
            self.columns,
            tuple(tuple(f"text {r}" if c == 1 else f"{r}×{c}" for c in across) for r in down),
            tuple(tuple(("rule:1",) if c == 1 else () for c in across) for _ in down),
            tuple(tuple(c == 1 for c in across) for _ in down),
            frozenset(),
            tuple(self._violation(r) for r in down) if column == 1 else (),
        )

    def find(self, what: str, after: Place) -> Place | None:
        return (after[0] + 1, 1) if after[0] < self.rows else None

    def marked(self, *_: object) -> Never:
        raise sculpt.UnsupportedByEngine("a table that is made up has no tokens")

    def close(self) -> None:
        pass


def made_up_view(rows: int, columns: int) -> tuple[View, MadeUp]:
    """A view of a table that is made up."""
    schema = sculpt.Schema.parse("col(1) -> Date")
    source = MadeUp(rows, columns)
    return View(schema, region_specs(schema, ())[1], source), source


# ------------------------------------------------------------- a page in a browser


@dataclass
class Seen:
    """What a page did while it was open."""

    page: Page
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Only the file itself was asked for, and nothing was complained about."""
        assert len(self.requests) == 1, self.requests
        assert self.requests[0].startswith("file:")
        assert not self.messages


def until(page: Page, expression: str) -> None:
    """Wait until an expression is true.

    `wait_for_function` evaluates its text in the page, where the policy of the page forbids that if
    it is not true at once.
    """
    for _ in range(500):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {expression}")


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    *,
    dark: bool = False,
    scripts: bool = True,
    width: int = 1280,
) -> Iterator[Seen]:
    """A page in a context of its own."""
    context = browser.new_context(
        java_script_enabled=scripts,
        color_scheme="dark" if dark else "light",
        viewport={"width": width, "height": 900},
        accept_downloads=True,
        reduced_motion="reduce",
    )
    try:
        page = context.new_page()
        seen = Seen(page)
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.goto(path.as_uri())
        if scripts:
            until(page, "document.documentElement.dataset.script === 'ready'")
        yield seen
    finally:
        context.close()
