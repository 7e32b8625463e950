"""The picture of the README: the report on `examples/statement`, as Chromium shows it.

    .venv/bin/python tools/make_picture.py           make docs/pictures/report.png
    .venv/bin/python tools/make_picture.py --check   fail if it does not show today's report

It needs Chromium and the script of reports (`make web`). The time in the report is fixed, so the
same sources give the same page; the pixels depend on the fonts of the machine, so what `--check`
compares is the page, by a hash that is kept in the picture.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import struct
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import sculpt
from sculpt.views.html.page import page_script
from sculpt.views.html.report import report_html

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "statement"
PICTURE = ROOT / "docs" / "pictures" / "report.png"
MADE = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
WIDTH, HEIGHT = 1200, 1400
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SHOWN = re.compile(
    r"<header.*?</header>|<dl.*?</dl>|<h3.*?</summary>|<sculpt-view.*?</sculpt-view>|<ol.*?</ol>",
    re.DOTALL,
)
"""The parts of the page that the picture shows."""
KEY = b"Sculpt report"
OPTIONS = ("--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run")


def report() -> str:
    """The report that is shown, with names as on a command line in the project's root."""
    schema = sculpt.Schema.parse(
        (EXAMPLE / "draft.sculpt").read_text(encoding="utf-8"), name="draft.sculpt"
    )
    with sculpt.view(schema, EXAMPLE / "statement.csv") as view:
        page = report_html([view], made=MADE)
    return page.replace(f"{EXAMPLE.as_posix()}/", "")


def fingerprint(page: str) -> bytes:
    """The hash of what the picture shows; style, script and version may change without it."""
    shown = "".join(SHOWN.findall(page)).replace(f"Sculpt {sculpt.__version__}", "Sculpt")
    return hashlib.sha256(shown.encode()).hexdigest().encode()


def take_picture(page: str) -> bytes:
    """The first screens of the report as a PNG."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None or page_script() is None:
        raise SystemExit("error: Chromium and the script of reports are needed: `make web`")
    with TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder) / "report.html"
        path.write_text(page, encoding="utf-8")
        browser = started.chromium.launch(executable_path=found, args=list(OPTIONS))
        shown = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.5
        )
        shown.goto(path.as_uri())
        shown.wait_for_function("document.documentElement.dataset.script === 'ready'")
        shown.get_by_role("button", name="Violated").click()
        box = shown.locator("sculpt-view").bounding_box()
        assert box is not None
        height = int(box["y"] + box["height"] + 24)
        picture = shown.screenshot(
            full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height}
        )
        browser.close()
    return picture


def with_mark(picture: bytes, mark: bytes) -> bytes:
    """A PNG with a text chunk after its header."""
    body = b"tEXt" + KEY + b"\0" + mark
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    header = 8 + 4 + 4 + 13 + 4
    return picture[:header] + chunk + picture[header:]


def main(arguments: list[str]) -> int:
    """Make the picture, or check it."""
    page = report()
    mark = fingerprint(page)
    if arguments == ["--check"]:
        is_there = PICTURE.is_file() and KEY + b"\0" + mark in PICTURE.read_bytes()
        if not is_there:
            print("docs/pictures/report.png does not show today's report", file=sys.stderr)
        return 0 if is_there else 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(with_mark(take_picture(page), mark))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
