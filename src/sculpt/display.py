"""How values are shown as HTML: the way from a value to the code that renders it.

Values are at the bottom of the layers, and what makes HTML of them is near the top. So a value does
not import its renderer: the renderers are named here, and found when somebody asks for HTML.
Nothing else may use this way up.
"""

from __future__ import annotations

from importlib import import_module

_NOTEBOOK = "sculpt.views.html.notebook"
_REPORT = "sculpt.views.html.report"


def html_of(value: object) -> str:
    """The value for a notebook: HTML without scripts, at most 200 kB of it."""
    rendered: str = import_module(_NOTEBOOK).render(value)
    return rendered


def report_of(views: list[object], **options: bool) -> str:
    """The report on some views: a page."""
    page: str = import_module(_REPORT).report_html(views, **options)
    return page


def shortened(text: str, limit: int = 60) -> str:
    """A text for a `repr`: its beginning, if it is long, without control characters."""
    if not text[:limit].isprintable():
        text = "".join(c if c.isprintable() else "\ufffd" for c in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
