r"""Regular expressions of Java, as expressions of Sculpt's tokens.

In: a pattern of `java.util.regex`, which must match a whole cell. Out: an expression that matches
the same texts, or `JavaError`: the pattern is malformed, or it is not regular (look-around,
back-references, possessive quantifiers, anchors and word boundaries inside).

What differs: `.` does not match line ends in Java; classes may be nested and intersected; there are
POSIX names, `\Q…\E`, `\h`, `\R` and flags. Anchors at the ends say nothing, as cells match as a
whole. Letters that ignore case are those of Unicode, as CSV Schema says, not only ASCII's.

Invariant: the output has no blanks at its ends and nothing that Sculpt reads differently. Cost:
linear in the pattern, whose nesting is bounded.
"""

from __future__ import annotations

from typing import NoReturn

from sculpt.interchange.csv_schema.java.classes import (
    CATEGORIES,
    ESCAPES,
    POSIX,
    CharSet,
    JavaError,
    written,
)
from sculpt.interchange.csv_schema.java.nodes import (
    Alternatives,
    Anchor,
    Node,
    Repeat,
    Sequence,
    render,
    size,
    without_outer_blanks,
)

__all__ = ["JavaError", "escaped", "parse"]

MAX_DEPTH = 100
MAX_COUNT = 10_000
MAX_SIZE = 100_000


def parse(pattern: str, ignores_case: bool = False) -> str:
    """A pattern of Java as an expression of Sculpt; raises `JavaError`."""
    reader = _Reader(pattern)
    if pattern.startswith("(?i)"):
        ignores_case = True
        reader.at = len("(?i)")
    reader.is_folded = ignores_case
    node = reader.alternatives(0)
    if reader.at < len(pattern):
        reader.fail("there is no `(` for this `)`", "write `\\)` for the character")
    if size(node) > MAX_SIZE:
        message = f"the expression allows more than {MAX_SIZE:,} repetitions"
        raise JavaError(message, 0, len(pattern), is_valid_in_java=True)
    text = render(node, True, True)
    return f"(?i){text}" if ignores_case else text


def escaped(text: str, ignores_case: bool = False) -> str:
    """An expression that matches exactly a text."""
    found = "".join(written(ord(char)) for char in text)
    return ("(?i)" if ignores_case else "") + without_outer_blanks(found)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.is_folded = False
        """Is case ignored in the whole pattern? Then letters need not be doubled."""
        self.flags: frozenset[str] = frozenset()

    def fail(self, message: str, hint: str | None = None, start: int | None = None) -> NoReturn:
        where = self.at if start is None else start
        raise JavaError(message, where, max(where + 1, self.at), hint)

    def refuse(self, what: str, start: int) -> NoReturn:
        """It is Java, but not regular."""
        raise JavaError(what, start, max(start + 1, self.at), is_valid_in_java=True)

    def sees(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def take(self, sign: str) -> bool:
        if not self.sees(sign):
            return False
        self.at += len(sign)
        return True

    # ------------------------------------------------------------- structure

    def alternatives(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.fail(f"the expression is nested more than {MAX_DEPTH} levels deep")
        before = self.flags
        branches = [self.sequence(depth)]
        while self.take("|"):
            branches.append(self.sequence(depth))
        self.flags = before
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            start = self.at
            if self.take("\\Q"):
                end = self.text.find("\\E", self.at)
                end = len(self.text) if end < 0 else end
                parts += [self.letter(ord(char)) for char in self.text[self.at : end]]
                self.at = min(end + 2, len(self.text))
                if not parts:
                    continue
                parts[-1] = self.repeated(parts[-1], start)
                continue
            part = self.part(depth)
            if part is not None:
                parts.append(self.repeated(part, start))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def part(self, depth: int) -> Node | None:
        """One part, without its quantifier; `None` for what stands for nothing."""
        start, char = self.at, self.text[self.at]
        self.at += 1
        match char:
            case "(":
                return self.group(start, depth)
            case "[":
                return self.char_class(depth)
            case ".":
                return CharSet.dot("s" in self.flags)
            case "^" | "$":
                if "m" in self.flags:
                    self.refuse("`^` and `$` at line ends inside a cell are not regular", start)
                return Anchor(char == "^", start)
            case "\\":
                return self.escape(start)
            case "*" | "+" | "?":
                self.fail(f"nothing to repeat before `{char}`", f"write `\\{char}`", start)
            case "{":
                self.fail("nothing to repeat before `{`", "write `\\{`", start)
        return self.letter(ord(char))

    def letter(self, code: int) -> CharSet:
        found = CharSet(((code, code),))
        return found.doubled() if "i" in self.flags and not self.is_folded else found

    def repeated(self, part: Node, start: int) -> Node:
        least, most, suffix = 0, None, ""
        if self.take("*"):
            suffix = "*"
        elif self.take("+"):
            least, suffix = 1, "+"
        elif self.take("?"):
            most, suffix = 1, "?"
        elif self.sees("{"):
            least, most, suffix = self.counts()
        else:
            return part
        if self.take("+"):
            self.refuse("a possessive quantifier is not regular", start)
        self.take("?")
        if self.at < len(self.text) and self.text[self.at] in "*+?":
            self.fail(f"two quantifiers one after the other: `{self.text[self.at]}`")
        return Repeat(part, suffix, least, most)

    def counts(self) -> tuple[int, int | None, str]:
        start = self.at
        end = self.text.find("}", start)
        inner = self.text[start + 1 : end] if end > 0 else ""
        low, comma, high = inner.partition(",")
        is_number = (
            low.isascii() and low.isdigit() and (not high or (high.isascii() and high.isdigit()))
        )
        if end < 0 or not is_number or len(inner) > 20:
            self.fail("expected a count such as `{2}` or `{2,5}`", "write `\\{`", start)
        self.at = end + 1
        least = int(low)
        most = int(high) if high else (None if comma else least)
        if most is not None and most < least:
            self.fail(f"the counts `{{{inner}}}` are in the wrong order", None, start)
        if max(least, most or 0) > MAX_COUNT:
            self.refuse(f"a count above {MAX_COUNT:,} is too large", start)
        return least, most, f"{{{least}{comma}{'' if most is None or not comma else most}}}"

    def group(self, start: int, depth: int) -> Node | None:
        outer = self.flags
        if self.take("?"):
            if self.sees("=") or self.sees("!") or self.sees("<=") or self.sees("<!"):
                self.refuse("look-around is not regular", start)
            if self.sees(">"):
                self.refuse("an atomic group is not regular", start)
            if self.take("<"):
                end = self.text.find(">", self.at)
                if end < 0 or not self.text[self.at : end].isalnum():
                    self.fail("expected the name of a group", None, start)
                self.at = end + 1
            elif not self.take(":") and not self.options(start):
                return None
        inner = self.alternatives(depth + 1)
        if not self.take(")"):
            self.fail("this `(` is not closed", "add `)`, or write `\\(`", start)
        self.flags = outer
        return inner

    def options(self, start: int) -> bool:
        """Flags; is there a group that they are about? If not, they are about what follows."""
        added, removed, target = set[str](), set[str](), 0
        while self.at < len(self.text) and self.text[self.at] not in ":)":
            char = self.text[self.at]
            self.at += 1
            if char == "-" and not target:
                target = 1
            elif char in "imsdux" or char == "U":
                (removed if target else added).add(char)
            else:
                self.fail(f"there is no flag `{char}`", None, start)
        if self.at >= len(self.text):
            self.fail("this `(` is not closed", "add `)`", start)
        for flag in ("x", "U", "d"):
            if flag in added:
                self.refuse(f"the flag `{flag}` is not taken over", start)
        if self.is_folded and "i" in removed:
            self.refuse("case cannot be ignored in only a part of it", start)
        self.flags = (self.flags | added) - removed
        self.at += 1
        return self.text[self.at - 1] == ":"

    # ------------------------------------------------------------- characters

    def escape(self, start: int) -> Node:
        if self.at >= len(self.text):
            self.fail("nothing follows the backslash", "write `\\\\`", start)
        char = self.text[self.at]
        if char in "bBG":
            self.refuse(f"`\\{char}`, a position inside a cell, is not regular", start)
        if char in "123456789" or char == "k":
            self.refuse("a back-reference is not regular", start)
        if char in "AzZ":
            self.at += 1
            return Anchor(char == "A", start)
        if char == "R":
            self.at += 1
            line_end = CharSet(((0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)))
            pair = Sequence((CharSet(((0x0D, 0x0D),)), CharSet(((0x0A, 0x0A),))))
            return Alternatives((pair, line_end))
        found = self.escaped_set(start)
        return found.doubled() if "i" in self.flags and not self.is_folded else found

    def escaped_set(self, start: int) -> CharSet:
        """What a backslash and the next characters stand for: a character, or a class."""
        char = self.text[self.at]
        self.at += 1
        if char in ESCAPES:
            return ESCAPES[char]
        if char in "pP":
            return self.category(start, char == "P")
        if char in "xu0c":
            return CharSet(((code := self.code(char, start), code),))
        if char.isascii() and char.isalpha():
            self.fail(f"`\\{char}` stands for nothing", f"write `{char}`", start)
        return CharSet(((ord(char), ord(char)),))

    def code(self, kind: str, start: int) -> int:
        r"""The character of a number, after `\x`, `\u`, `\0` or `\c`."""
        if kind == "c":
            if self.at >= len(self.text):
                self.fail("expected a letter after `\\c`", None, start)
            self.at += 1
            return ord(self.text[self.at - 1]) ^ 64
        digits, base, end = "0123456789abcdefABCDEF", 16, self.at + (4 if kind == "u" else 2)
        if kind == "0":
            digits, base, end = "01234567", 8, self.at + 3
            end -= self.text[self.at : self.at + 1] > "3"
        if kind == "x" and self.take("{"):
            close = self.text.find("}", self.at)
            body = self.text[self.at : close] if close > 0 else ""
            self.at = close + 1 if close > 0 else self.at
        else:
            body = self.text[self.at : end]
            if kind == "0":
                body = body[: len(body) - len(body.lstrip(digits))] or body[:0]
            self.at += len(body)
        ok = body and all(each in digits for each in body)
        ok = bool(ok) and (kind == "0" or kind == "x" or len(body) == 4)
        if not ok or len(body) > 6 or int(body, base) > 0x10FFFF:
            self.fail("expected the number of a character", None, start)
        return int(body, base)

    def category(self, start: int, is_negated: bool) -> CharSet:
        if self.take("{"):
            end = self.text.find("}", self.at)
            if end < 0:
                self.fail("expected `}` after the name of a class", None, start)
            name = self.text[self.at : end]
            self.at = end + 1
        else:
            name = self.text[self.at : self.at + 1]
            self.at += 1
        for prefix in ("general_category=", "gc=", "Is"):
            if name.startswith(prefix) and name[len(prefix) :] in CATEGORIES:
                name = name[len(prefix) :]
        if name in CATEGORIES:
            return CharSet((), (f"\\{'P' if is_negated else 'p'}{{{name}}}",))
        if name in POSIX:
            return POSIX[name].negated() if is_negated else POSIX[name]
        if not name.startswith(("In", "Is", "java", "script=", "block=", "sc=", "blk=")):
            hint = "general categories are such as `\\p{Lu}`"
            self.fail(f"there is no class `{name}`", hint, start)
        return self.refuse(f"the class `{name}` is not taken over", start)

    def char_class(self, depth: int) -> CharSet:
        """What is between brackets; the first one has been read."""
        start = self.at - 1
        if depth > MAX_DEPTH:
            self.fail(f"the expression is nested more than {MAX_DEPTH} levels deep", None, start)
        is_negated = self.take("^")
        found: CharSet | None = None
        parts = CharSet(())
        is_first = True
        while True:
            if self.at >= len(self.text):
                self.fail("this `[` is not closed", "add `]`, or write `\\[`", start)
            if self.sees("]") and not is_first:
                self.at += 1
                break
            if self.take("&&"):
                found = parts if found is None else found.common(parts, start)
                parts, is_first = CharSet(()), True
                if self.sees("]"):
                    is_first = False
                continue
            is_first = False
            if self.take("["):
                parts = parts.joined(self.char_class(depth + 1), start)
            else:
                parts = parts.joined(self.class_member(start), start)
        result = parts if found is None else found.common(parts, start)
        if "i" in self.flags and not self.is_folded:
            result = result.doubled()
        return result.negated() if is_negated else result

    def class_member(self, start: int) -> CharSet:
        """A character, a range or a class, between brackets."""
        low = self.class_char(start)
        code = low.single
        following = self.text[self.at + 1 : self.at + 2]
        if code is None or not self.sees("-") or following in ("]", "[", "") or self.sees("-&&"):
            return low
        self.at += 1
        high = self.class_char(start).single
        if high is None or high < code:
            self.fail("the ends of a range are in the wrong order", None, start)
        return CharSet(((code, high),))

    def class_char(self, start: int) -> CharSet:
        char = self.text[self.at]
        self.at += 1
        if char != "\\":
            return CharSet(((ord(char), ord(char)),))
        if self.at >= len(self.text):
            self.fail("nothing follows the backslash", "write `\\\\`", start)
        if self.text[self.at] in "QE":
            self.refuse("`\\Q` between brackets is not taken over", start)
        return self.escaped_set(self.at - 1)
