r"""The expressions of tokens as Python's `re` reads them, so that groups can be captured.

In: the text of a token's expression. Out: a pattern with the same groups that matches the same
texts: `\d`, `\w` and `\s` are ASCII, a quoted character stands for itself, `.` matches line ends.
What Python does not know (`\p{…}`) makes a pattern that does not compile; the caller says so.
"""

from __future__ import annotations

import re

_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " \\t\\n\\r\\f\\v"}


def python_pattern(text: str) -> str:
    """The expression of a token as Python's `re` reads it, groups kept."""
    flags = "si" if text.startswith("(?i)") else "s"
    body = text.removeprefix("(?i)")
    out: list[str] = []
    at, in_class = 0, False
    while at < len(body):
        char, after = body[at], body[at + 1 : at + 2]
        if char == "\\" and after.lower() in _CLASSES:
            inside = _CLASSES[after.lower()]
            is_bare = in_class and after.islower()
            out.append(inside if is_bare else f"[{'^' * after.isupper()}{inside}]")
            at += 2
        elif char == "\\" and (code := re.match(r"\\x\{([0-9A-Fa-f]+)\}", body[at:])):
            out.append(re.escape(chr(int(code[1], 16))))
            at += code.end()
        elif char == "\\":
            out.append(body[at : at + 2])
            at += 2
        elif not in_class and re.match(r'"[^"]"', body[at : at + 3]):
            out.append(re.escape(body[at + 1]))
            at += 3
        elif not in_class and body.startswith("(?<", at):
            out.append("(?P<")
            at += 3
        else:
            out.append("\\[" if in_class and char == "[" else char)
            in_class = char == "[" or (in_class and char != "]")
            at += 1
    return f"(?{flags}:{''.join(out)})"
