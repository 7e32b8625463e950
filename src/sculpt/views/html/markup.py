"""Text to HTML: nothing that comes from a file can become markup.

In: texts of cells, schemas, names and messages, all of which may be hostile. Out: `Html`, which is
a string to Python and a type of its own to the type checker: only `text`, `tag` and `joined` make
one of other values, so a text that was not escaped does not pass `mypy`.

Invariant: what `visible` returns has no control, no character that changes the direction of text,
none that is invisible, and no lone surrogate, so it can be encoded, and what is read is what is
there. `web/src/markup.ts` does the same; `tests/page/test_element.py` compares the two.
"""

from __future__ import annotations

import re
from typing import NewType

Html = NewType("Html", str)

EMPTY = Html("")
MESSAGE_LIMIT = 2_000
_QUOTED = re.compile(r"`([^`]*)`")
_REPLACEMENT = "\ufffd"
_HIDDEN = (
    (0x80, 0x9F),
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
"""Characters that are not seen, or that change how others are: shown by their numbers."""


def _visible_characters() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table |= {0x09: "→", 0x0A: "↵", 0x7F: "␡"}
    for first, last in _HIDDEN:
        table |= {code: f"⟨U+{code:04X}⟩" for code in range(first, last + 1)}
    return table | dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT)


_VISIBLE = _visible_characters()
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def visible(text: str, limit: int | None = None) -> str:
    """The text with a visible sign for each character that is not seen; `…` if it is cut."""
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return text if text.isprintable() else text.translate(_VISIBLE)


def text(value: str, limit: int | None = None) -> Html:
    """A text, escaped, for the content of an element."""
    return Html(visible(value, limit).translate(_ESCAPES))


def isolated(value: str, limit: int | None = None) -> Html:
    """A text in a sentence, which keeps its direction to itself."""
    return Html(f"<bdi>{text(value, limit)}</bdi>")


def code(value: str, limit: int | None = None) -> Html:
    """A text of a schema, a command or a name."""
    return Html(f"<code><bdi>{text(value, limit)}</bdi></code>")


def message_html(message: str) -> Html:
    """A message, with what it quotes as code."""
    parts: list[Html] = []
    end = 0
    message = message if len(message) <= MESSAGE_LIMIT else message[: MESSAGE_LIMIT - 1] + "…"
    for quoted in _QUOTED.finditer(message):
        parts += [isolated(message[end : quoted.start()]), code(quoted[1])]
        end = quoted.end()
    return joined(*parts, isolated(message[end:]))


def joined(*parts: Html) -> Html:
    """Parts, one after the other."""
    return Html("".join(parts))


def tag(name: str, /, *content: Html, **attributes: str | int | bool | None) -> Html:
    """An element; `class_` is `class`, `data_row` is `data-row`; `None` and `False` are absent."""
    return Html(f"<{name}{_attributes(attributes)}>{''.join(content)}</{name}>")


def void(name: str, /, **attributes: str | int | bool | None) -> Html:
    """An element without content and end."""
    return Html(f"<{name}{_attributes(attributes)}>")


def _attributes(given: dict[str, str | int | bool | None]) -> str:
    made = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        shown = "" if value is True else str(value)
        made.append(f' {name.rstrip("_").replace("_", "-")}="{text(shown)}"')
    return "".join(made)


def size(html: str) -> int:
    """How many bytes it takes in the page."""
    return len(html) if html.isascii() else len(html.encode())
