"""A page as one file: its style and script inside, and a policy that allows nothing else.

In: the title and the parts of a page. Out: a document. Its Content-Security-Policy is `default-src
'none'` with the hashes of the style and of the script, so a browser runs nothing that came with the
data, and asks for nothing.

The style is themes.css and page.css with the colours of `views/colours.py`. The script is built
from `web/` into `views/static`, which is not in the repository; without it a page says so and is
complete.
"""

from __future__ import annotations

import base64
import hashlib
import pkgutil
from functools import cache

from sculpt.views.colours import PALETTE
from sculpt.views.html.markup import EMPTY, Html, code, joined, tag, text, void

SCRIPT_MISSING = (
    "The script of this page is not installed, so it has no search, no focus and no CSV files. "
    "Everything else is here. To build it from the sources of Sculpt, run "
)


def page_html(title: str, body: Html, data: Html, footer: Html, with_script: bool = True) -> Html:
    """A whole document."""
    style, script = stylesheet(), page_script() if with_script else None
    allowed = [f"style-src {_hash(style)}"]
    if script is not None:
        allowed.append(f"script-src {_hash(script)}")
    policy = "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])
    head = joined(
        void("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        void("meta", name="robots", content="noindex"),
        tag("title", text(title, 200)),
        Html(f"<style>{style}</style>"),
    )
    missing = EMPTY
    if with_script and script is None:
        missing = tag("p", text(SCRIPT_MISSING), code("make web"), text("."), class_="note")
    return joined(
        Html('<!doctype html>\n<html lang="en" class="sculpt">'),
        tag("head", head),
        Html("\n<body>"),
        tag("a", text("Skip to the rules"), href="#content", class_="skip"),
        tag("main", body, id="content", tabindex=-1),
        tag("footer", footer, missing),
        data if script is not None else EMPTY,
        Html(f"<script>{script}</script>") if script is not None else EMPTY,
        Html("</body></html>\n"),
    )


@cache
def stylesheet() -> str:
    """The style of a page."""
    return _file("themes.css") + _palette() + _file("page.css")


@cache
def scoped_stylesheet() -> str:
    """The same for a part of somebody else's page: nothing outside `.sculpt` is changed."""
    return f"{_file('themes.css')}.sculpt{{{_palette()}{_file('page.css')}}}"


def _file(name: str) -> str:
    written = pkgutil.get_data(__package__, name)
    assert written is not None
    return written.decode()


@cache
def page_script() -> str | None:
    """The script, if it has been built."""
    try:
        made = pkgutil.get_data("sculpt.views", "static/page.js")
    except OSError:
        return None
    return None if made is None else made.decode()


def _palette() -> str:
    """A rule for each colour, in light and dark."""
    light = "".join(
        f".c{ix}{{--tint:{each.light};--accent:{each.light_accent}}}"
        for ix, each in enumerate(PALETTE)
    )
    dark = "".join(
        f".c{ix}{{--tint:{each.dark};--accent:{each.dark_accent}}}"
        for ix, each in enumerate(PALETTE)
    )
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}@media print{{{light}}}\n"


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
