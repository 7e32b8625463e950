"""Needs as edits: the content of a rule, the definitions that it uses, new definitions.

In: `Needs` of some rules. Out: edits of the text, and changes in words. Invariant: an edit only
adds: an alternative to a letter, to a content or to a definition, `?` to a letter, a further cell
that may be there. So what a rule accepted before, it accepts afterwards. Cost: small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sculpt.diagnostics import Source
from sculpt.inference.columns.learn import is_mark
from sculpt.inference.update.model import Cell, Change, shown
from sculpt.inference.update.needs import Needs
from sculpt.inference.update.places import Draft, Edit, Spot, fragments, right_side
from sculpt.inference.update.uses import Definition
from sculpt.inference.update.widen import general, parsed, right_sides, texts_of, with_other_numbers
from sculpt.inference.update.words import Reader
from sculpt.interchange.builder import NamePool, is_reserved, legal_name, literal
from sculpt.schema import Schema
from sculpt.syntax import ast
from sculpt.syntax.names import is_plain_name
from sculpt.syntax.printer import print_selector
from sculpt.syntax.regular import Choice

Cells = Sequence[tuple[Cell, frozenset[int]]]
_SHOWN = 3


class Editor:
    """Collects the edits of one round."""

    def __init__(
        self,
        schema: Schema,
        draft: Draft,
        readers: Sequence[Reader],
        free: Mapping[str, Definition],
    ) -> None:
        self.schema, self.draft, self.readers, self.free = schema, draft, readers, free
        source = Source(schema.source.name, schema.source.text)
        self.fragments = fragments(source)
        self.requests: dict[str, list[Cell]] = {}
        self.changes: list[Change] = []
        self.edits: list[Edit] = []
        self._definitions: list[str] = []
        self._known: dict[str, str] = {}
        named = {each.name for each in schema.statements if isinstance(each, ast.TypeDefinition)}
        self._pool = NamePool({*schema.core.tokens, *named})
        self._programs = "\n".join(
            x for each in schema.statements if isinstance(each, ast.Program) for x in each.lines
        )

    # ------------------------------------------------------------- rules

    def rule(self, needs: Needs) -> None:
        """Edit the content of a rule, or ask for wider definitions."""
        span = needs.rule.span
        right = right_side(self.fragments[span.start])
        content = right.span()
        edits: list[Edit] = []
        said: list[tuple[str, Cell]] = []
        top: list[str] = []
        for spot in needs.letters:
            edits += self._letter(needs, spot, top, said)
        top = list(dict.fromkeys(top))
        tail = needs.extra.get(None)
        if top:
            edits.append(Edit(content.end, content.end, "".join(f" | {each}" for each in top)))
        elif tail:
            more = self._further(tail, needs, None)
            said.append((f"{more.rstrip('?*')} may follow", tail[0][0]))
            wraps = isinstance(needs.rule.content, Choice)
            if wraps:
                edits.append(Edit(content.start, content.start, "("))
            edits.append(Edit(content.end, content.end, f"{')' if wraps else ''}, {more}"))
        if edits:
            selector = shown(print_selector(needs.rule.selector), 40)
            named = [(f"{selector}: {what}", cell) for what, cell in said]
            self._changed(span.start, span.end, edits, named)

    def _letter(
        self, needs: Needs, spot: Spot, top: list[str], said: list[tuple[str, Cell]]
    ) -> list[Edit]:
        """The edits at a letter; alternatives of the whole content go to `top`."""
        span = spot.symbol.span
        text = self.draft.text
        own = written = text[span.start : span.end]
        found = self._others(needs, spot, said)
        is_whole = spot.at_top and (spot.in_choice or len(needs.letters) == 1)
        if is_whole:
            top += found
        elif found and not spot.in_choice:
            written = f"({' | '.join((written, *found))})"
        if (cell := needs.absent.get(spot.number)) is not None:
            said.append((f"{own} may be absent", cell))
            if written == own and text[span.end : span.end + 1] == "+":
                return [Edit(span.end, span.end + 1, "*")]
            written = f"({written}?)" if spot.has_count else f"{written}?"
        if found and spot.in_choice and not is_whole:
            written = " | ".join((written, *found))
        if extra := needs.extra.get(spot.number):
            more = self._further(extra, needs, spot.number)
            said.append((f"{more.rstrip('?*')} may stand before {own}", extra[0][0]))
            is_loose = spot.in_choice or not spot.has_count
            written = f"{more}, {written}" if is_loose else f"({more}, {written})"
        return [] if written == own else [Edit(span.start, span.end, written)]

    def _others(self, needs: Needs, spot: Spot, said: list[tuple[str, Cell]]) -> list[str]:
        """The alternatives that a letter gains; what its token gains is asked for."""
        cells = needs.others.get(spot.number, ())
        symbol = spot.symbol
        if isinstance(symbol, ast.Name) and symbol.name in self.free:
            widened = [each for each in cells if self._fits(symbol.name, each[0].text)]
            if widened:
                self.requests.setdefault(symbol.name, []).extend(cell for cell, _ in widened)
            cells = tuple(each for each in cells if not self._fits(symbol.name, each[0].text))
        if not cells:
            return []
        old = symbol.text if isinstance(symbol, ast.Literal) else symbol.name
        is_text = isinstance(symbol, ast.Literal) or old not in self._declared
        found = self._alternatives(cells, needs, old if is_text else None)
        own = self.draft.text[symbol.span.start : symbol.span.end]
        said += [(f"{own} or {each}", cell) for each, cell in found.items()]
        return list(found)

    @property
    def _declared(self) -> set[str]:
        return {name for name, each in self.schema.core.tokens.items() if each.literal is None} | {
            *self.schema.core.types
        }

    def _fits(self, name: str, text: str | None) -> bool:
        """Should a definition gain a text, or the rule?"""
        if not text:
            return False
        found = texts_of(self.free[name])
        return not is_mark(text) or (bool(found) and all(map(is_mark, found or ())))

    def _further(self, cells: Cells, needs: Needs, at: int | None) -> str:
        """What may stand at a place: `X?`, `(X | Y)*`."""
        found = list(self._alternatives(cells, needs, None))
        several = at in needs.several
        whole = found[0] if len(found) == 1 else f"({' | '.join(found)})"
        return f"{whole}{'*' if several else '?'}"

    def _alternatives(self, cells: Cells, needs: Needs, old: str | None) -> dict[str, Cell]:
        """What reads some cells, each with the first of them; `old` is the letter, if a text."""
        found: dict[str, Cell] = {}
        rest: dict[str, Cell] = {}
        for cell, reads in cells:
            if cell.text is None:
                found.setdefault("Missing", cell)
            elif not cell.text:
                found.setdefault("Empty", cell)
            elif reads:
                found.setdefault(print_selector(needs.letters[min(reads)].symbol), cell)
            elif (name := self._marks(cell.text)) is not None:
                found.setdefault(name, cell)
            else:
                rest.setdefault(cell.text, cell)
        if not rest:
            return found
        pattern = None if old is None else with_other_numbers(old, list(rest))
        if old is not None and pattern is not None and parsed(pattern) is not None:
            return found | {self._define(old, "=", pattern): next(iter(rest.values()))}
        return found | self._written(rest)

    def _marks(self, text: str) -> str | None:
        """A token of the schema that is a list of marks, with this one."""
        if not is_mark(text):
            return None
        for name, each in self.free.items():
            texts = texts_of(each) or ()
            if text in texts and all(map(is_mark, texts)):
                return name
        return None

    def _written(self, cells: Mapping[str, Cell]) -> dict[str, Cell]:
        texts = list(cells)
        form = general(texts)
        if form.level == "list":
            return {self._literal(text): cells[text] for text in texts}
        if not form.sign:
            return {form.written: cells[texts[0]]}
        kind = form.written.partition("(")[0] if form.level == "picture" else texts[0]
        return {self._define(kind, form.sign, form.written): cells[texts[0]]}

    def _literal(self, text: str) -> str:
        is_bare = is_plain_name(text) and not is_reserved(text) and not text[0].isdigit()
        return text if is_bare and text not in self._declared else literal(text)

    def _define(self, wish: str, sign: str, written: str) -> str:
        """The name of a new definition."""
        if written not in self._known:
            words = [word for word in legal_name(wish.lower()).split() if not word[0].isdigit()]
            wish = " ".join(words)[:28].rstrip("-: ")
            name = self._pool.name(wish, "value")
            while name in self._programs:  # there, the name would mean something else
                name = self._pool.name(wish, "value")
            self._known[written] = name
            self._definitions.append(f"{name} {sign} {written}")
        return self._known[written]

    # ------------------------------------------------------------- definitions

    def definitions(self) -> None:
        """Widen the definitions that were asked for, and add the new ones."""
        for name, cells in self.requests.items():
            definition = self.free[name]
            right = right_side(self.fragments[definition.span.start])
            span = right.span()
            texts = list(dict.fromkeys(cell.text for cell in cells if cell.text))
            known = dict.fromkeys(text for each in self.readers for text in each.known(name))
            for side in right_sides(definition, right.text, list(known), texts):
                edit = self._right(side, right.text, span.start, span.end)
                is_derived = isinstance(definition, ast.DerivedDefinition)
                if edit is not None and (is_derived or parsed(side) is not None):
                    what = f"{name} gains {_list(texts)}"
                    place = definition.span
                    self._changed(place.start, place.end, [edit], [(what, cells[0])])
                    break
        if self._definitions:
            self.edits.insert(0, self._added(self._definitions))

    def _right(self, new: str, old: str, start: int, end: int) -> Edit | None:
        """The edit of a right side; none if comments within it would be lost."""
        if new.startswith(old):
            return Edit(end, end, new[len(old) :])
        return Edit(start, end, new) if self.draft.text[start:end] == old else None

    def _added(self, definitions: Iterable[str]) -> Edit:
        """New definitions, below those that are there."""
        eol, text = self.draft.line_end, self.draft.text
        lines = eol.join(definitions)
        own = [each for each in self.schema.document.statements if each.span.source.text == text]
        tokens = [e for e in own if isinstance(e, ast.TokenDefinition | ast.DerivedDefinition)]
        if tokens:
            return Edit(tokens[-1].span.end, tokens[-1].span.end, f"{eol}{lines}")
        directives = [each for each in own if isinstance(each, ast.Directive)]
        if directives:
            end = directives[-1].span.end
            return Edit(end, end, f"{eol}{eol}{lines}")
        start = "" if text.endswith("\n") or not text else eol
        return Edit(len(text), len(text), f"{start}{eol}{lines}{eol}")

    def _changed(
        self, start: int, end: int, edits: Sequence[Edit], said: Sequence[tuple[str, Cell]]
    ) -> None:
        self.edits += edits
        before = self.draft.text[start:end]
        moved = [Edit(each.start - start, each.end - start, each.text) for each in edits]
        after = Draft.of(before).edited(moved).text
        line = self.line(start)
        self.changes += [Change(line, what, before, after, cell) for what, cell in said]

    def line(self, offset: int) -> int:
        """The line of the first text that an offset was on."""
        return self.draft.lines[self.draft.text.count("\n", 0, offset)]


def _list(texts: Sequence[str]) -> str:
    found = ", ".join(shown(text, 40) for text in texts[:_SHOWN])
    return found + (f", … ({len(texts):,} in all)" if len(texts) > _SHOWN else "")
