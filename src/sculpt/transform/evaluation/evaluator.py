"""Values of programs, many at once: expressions over Arrow arrays.

In: a `Frame`: the iterations of a loop, with their cells. Out: for each value of the program one
Arrow array with an entry for each iteration. What cannot be computed is null and a finding, if
somebody needs to know (`reporting`). Both values of an `if` are computed for all iterations.

Invariant: the values are those of `transform.reference`, cell by cell. Cost: a few array operations
per value; texts that occur often (headers that many cells look up) are processed once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.typed_values import DECIMAL, TEXT, ValueType, parse_value
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.conditions.text_functions import BAD_PERCENT, percent_decoded, stem_of
from sculpt.transform.evaluation.casts import captured, cast_texts, counted, mapped
from sculpt.transform.evaluation.findings import (
    Findings,
    finding,
    named,
    shown,
    single_look_up,
)
from sculpt.transform.evaluation.reporting import Collector, Recorded, Report, Reporter, Voice
from sculpt.transform.evaluation.tallies import Tally
from sculpt.transform.evaluation.truths import Truths, truths
from sculpt.transform.iris import entity
from sculpt.transform.writers.rendering import joined, texts_of
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend
    from sculpt.transform.conditions.files import Files
    from sculpt.transform.evaluation.token_casts import TokenReader

    Array = np.ndarray[Any, Any]

_BLANKS = " \t\r\n"


class Frame(ABC):
    """The iterations of a loop."""

    count: int
    width: int
    file: str
    backend: Backend

    @abstractmethod
    def place(self, ix: int) -> tuple[int | None, int | None]:
        """The row and column of an iteration, for people."""

    @abstractmethod
    def places(self) -> tuple[Array, Array]:
        """The rows and the columns of all iterations, for people; 0 where there is none."""

    @abstractmethod
    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """The cell of each iteration, by its number in the table; `NOWHERE` if there is none."""

    @abstractmethod
    def own(self, region: int) -> tuple[Array, Array]:
        """The first and a second cell of each row or column that is in a region."""

    @abstractmethod
    def all_own(self, region: int) -> list[list[int]]:
        """All cells of each row that are in a region."""

    @abstractmethod
    def only(self, region: int) -> tuple[int, int]:
        """The first and a second cell of a region of the table."""

    @abstractmethod
    def found(self, look_up: int, cells: Array) -> tuple[Array, Array]:
        """The first and a second cell that a look-up finds from cells."""

    @abstractmethod
    def all_found(self, look_up: int, cells: Array) -> list[list[int]]:
        """All cells that a look-up finds from cells."""

    @abstractmethod
    def texts(self, cells: Array, raw: bool) -> pa.Array:
        """The texts of cells."""

    @abstractmethod
    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in a region that a condition asks about?"""

    @abstractmethod
    def numbers(self, what: str) -> Array:
        """The number of the row or column of each iteration."""

    @abstractmethod
    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """The tally of each iteration."""

    @abstractmethod
    def region_tally(self, region: int) -> Tally:
        """The tally of a region of the table."""


class Evaluator:
    """Evaluates the values of a program in a frame."""

    def __init__(
        self,
        program: CoreProgram,
        frame: Frame,
        findings: Findings | None,
        reader: Callable[[], TokenReader] | None = None,
        reporter: Reporter | None = None,
        files: Files | None = None,
    ) -> None:
        self.program = program
        self._reader = reader
        """Who reads texts by derived tokens; made when it is needed."""
        self.frame = frame
        self.findings = findings
        self.reporter = reporter or Reporter(findings, frame.place)
        self.files = files
        self.noted: dict[int, Truths] | None = None
        self.compared: dict[int, pa.Array] = {}
        self._sources: dict[int, Array] = {}
        """By `id` of a cell whose text is wrong somewhere: the cells."""
        self._named: dict[int, tuple[Any, Recorded]] = {}
        """By number of a `let`: the cells or values, and what is wrong with them."""

    # ------------------------------------------------------------- values

    def array(self, value: c.Value) -> pa.Array:
        """The value in each iteration."""
        match value:
            case c.Constant(text, kind):
                return constant(parse_value(text, kind), kind, self.frame.count)
            case c.CellValue(cell, what, _):
                return self._cell_value(cell, what)
            case c.LoopValue(what, _):
                return self._loop_value(what)
            case c.AllFound():
                return self._all_found(value)
            case c.AllOwn(region, separator, _):
                return self._contents(list(self.frame.all_own(region)), separator)
            case c.GroupAggregate(function, line, kind):
                tallies = self.frame.group_tallies(function == "Median")
                return self._results(tallies, function, line, kind)
            case c.RegionAggregate(function, region, line, kind):
                tally = self.frame.region_tally(region)
                return self._region_result(tally, function, line, kind)
            case c.Joined(parts, _):
                return self._joined(parts)
            case c.Cast():
                return self._cast(value)
            case c.Call():
                return self._call(value)
            case c.Optional(inner, default, kind):
                return self._optional(inner, default, kind)
            case c.One(inner, _):
                with self.reporter.voice(Voice.LOUD):
                    return self.array(inner)
            case c.LetValue(number, inner, _):
                return self._let(number, lambda: self.array(inner))
            case c.If():
                return self._chosen(value)

    def _let(self, number: int, compute: Callable[[], Any]) -> Any:
        """What has a name, computed once."""
        if number not in self._named:
            with self.reporter.recording() as recorded:
                found = compute()
            self._named[number] = found, recorded
        found, recorded = self._named[number]
        self.reporter.replay(recorded)
        return found

    def _optional(self, inner: c.Value, default: c.Value | None, kind: ValueType) -> pa.Array:
        with self.reporter.voice(Voice.QUIET):
            found = self.array(inner)
        if default is None:
            return found
        if isinstance(default, c.Constant):
            return filled(found, parse_value(default.text, default.type), default.type)
        missing = found.is_null().to_numpy(zero_copy_only=False)
        with self.reporter.only(missing):
            others = self.array(default)
        return _either(~missing, found, others, kind)

    def _chosen(self, value: c.If) -> pa.Array:
        import pyarrow as pa

        taken = truths(value.condition, self).true
        with self.reporter.only(taken):
            one = self.array(value.then)
        if value.otherwise is None:
            return _either(taken, one, pa.nulls(len(taken), arrow_type(value.type)), value.type)
        with self.reporter.only(~taken):
            other = self.array(value.otherwise)
        return _either(taken, one, other, value.type)

    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in the region? The cells exist."""
        return self.frame.holds(cells, region)

    def mapping(self, name: str) -> Mapping[str, str]:
        """A mapping."""
        return self.program.mappings[name]

    def has_file(self, path: str) -> bool:
        """Is there a file with this path?"""
        assert self.files is not None
        return self.files.is_file(path)

    def _joined(self, parts: tuple[c.Value, ...]) -> pa.Array:
        pieces = [
            text_of(part) if isinstance(part, c.Constant) else texts_of(self.array(part))
            for part in parts
        ]
        if all(isinstance(piece, str) for piece in pieces):
            return constant("".join(pieces), TEXT, self.frame.count)
        return joined(*pieces, missing="")

    def _cell_value(self, cell: c.Cell, what: str) -> pa.Array:
        import numpy as np
        import pyarrow as pa

        frame = self.frame
        if what == "file":
            return constant(frame.file, TEXT, frame.count)
        cells = self.cells(cell)
        if what in ("row", "column"):
            numbers = cells // frame.width + 1 if what == "row" else cells % frame.width + 1
            missing = cells == NOWHERE
            return pa.array(np.where(missing, 0, numbers), pa.int64(), mask=missing)
        return frame.texts(cells, raw=what == "raw")

    def _loop_value(self, what: str) -> pa.Array:
        import pyarrow as pa

        if what == "file":
            return constant(self.frame.file, TEXT, self.frame.count)
        return pa.array(self.frame.numbers(what), pa.int64())

    # ------------------------------------------------------------- cells

    def cells(self, cell: c.Cell) -> Array:
        """The cell of each iteration; a missing one is a finding."""
        match cell:
            case c.LoopCell():
                return self.frame.cells(cell)
            case c.ItemCell(index, line):
                found = self.frame.cells(cell)
                problem = f"has no cell {index} in the region"
                self._missing("no-cell", line, found == NOWHERE, problem)
                return found
            case c.OwnCell(region, text, line):
                return self._own(region, text, line)
            case c.OnlyCell(region, text, line):
                return self._only(region, text, line)
            case c.FoundCell(look_up, origin, line):
                return self._found(look_up, origin, line)
            case c.OneCell(inner):
                with self.reporter.voice(Voice.LOUD):
                    return self.cells(inner)
            case c.LetCell(number, inner):
                named: Array = self._let(number, lambda: self.cells(inner))
                return named

    def _own(self, region: int, text: str, line: int) -> Array:
        """The cell of each row or column that is in a region."""
        first, second = self.frame.own(region)

        def where(ix: int) -> str:
            row, column = self.frame.place(ix)
            return f" in row {row}" if row is not None else f" in column {column}"

        return self._single(first, second, text, line, where)

    def _only(self, region: int, text: str, line: int) -> Array:
        """The only cell of a region, for each iteration."""
        import numpy as np

        one, other = self.frame.only(region)
        first, second = (np.full(self.frame.count, each, np.int64) for each in (one, other))
        return self._single(first, second, text, line, lambda _: "")

    def _single(
        self, first: Array, second: Array, text: str, line: int, where: Callable[[int], str]
    ) -> Array:
        """The first of two cells, where there is no second one."""
        import numpy as np

        def none(ix: int) -> Violation:
            return self._at("lookup-none", line, ix, None, f"`{text}` finds no cell{where(ix)}")

        def several(ix: int) -> Violation:
            one, other = (shown(*self._coordinate(each[ix])) for each in (first, second))
            message = f"`{text}` finds several cells{where(ix)}: {one} and {other}"
            return self._at("lookup-several", line, ix, None, message)

        self._report(first == NOWHERE, none)
        many = second != NOWHERE
        if not many.any():
            return first
        self._report(many, several)
        return np.where(many, NOWHERE, first)

    def _found(self, look_up: int, origin: c.Cell, line: int) -> Array:
        import numpy as np

        frame = self.frame
        start = self.cells(origin)
        known = start != NOWHERE
        if known.all():
            first, second = frame.found(look_up, start)
        else:
            first = np.full(len(start), NOWHERE, dtype=np.int64)
            second = first.copy()
            first[known], second[known] = frame.found(look_up, start[known])
        text = self.program.look_ups[look_up].text

        def none(ix: int) -> Violation:
            message = f"`{text}` finds no cell from {shown(*self._coordinate(start[ix]))}"
            return self._at_cell("lookup-none", line, int(start[ix]), message)

        def several(ix: int) -> Violation:
            places = [self._coordinate(each[ix]) for each in (start, first, second)]
            origin, one, other = (shown(*place) for place in places)
            message = f"`{text}` finds several cells from {origin}: {one} and {other}"
            hint = single_look_up(self.program.look_ups[look_up], *places)
            return self._at_cell("lookup-several", line, int(start[ix]), message, hint)

        many = second != NOWHERE
        self._report((first == NOWHERE) & known, none, lambda: start)
        if not many.any():
            return first
        self._report(many, several, lambda: start)
        return np.where(many, NOWHERE, first)

    def _coordinate(self, cell: int) -> tuple[int, int]:
        return int(cell) // self.frame.width + 1, int(cell) % self.frame.width + 1

    def _all_found(self, value: c.AllFound) -> pa.Array:
        import numpy as np

        start = self.cells(value.origin)
        known = start != NOWHERE
        lists: list[list[int] | None] = [None] * len(start)
        for ix, cells in zip(
            np.flatnonzero(known).tolist(),
            self.frame.all_found(value.look_up, start[known]),
            strict=True,
        ):
            lists[ix] = cells
        return self._contents(lists, value.separator)

    def _contents(self, lists: list[list[int] | None], glue: str | None) -> pa.Array:
        """The texts of cells, as lists or joined."""
        import numpy as np
        import pyarrow as pa

        flat = np.array([cell for cells in lists for cell in cells or ()], dtype=np.int64)
        order = np.unique(flat)
        by_cell = dict(
            zip(order.tolist(), texts_of(self.frame.texts(order, False)).to_pylist(), strict=True)
        )
        texts = [
            None if cells is None else [by_cell[n] for n in cells if by_cell[n] is not None]
            for cells in lists
        ]
        if glue is None:
            return pa.array(texts, pa.list_(pa.string()))
        return pa.array([None if each is None else glue.join(each) for each in texts], pa.string())

    # ------------------------------------------------------------- aggregates

    def _results(self, tallies: list[Tally], function: str, line: int, kind: ValueType) -> pa.Array:
        import pyarrow as pa

        if function != "Count":
            self._report_texts(tallies, function, line)
        values = [
            self._fitting(tally, function, line, range(ix, ix + 1))
            for ix, tally in enumerate(tallies)
        ]
        return pa.array(values, arrow_type(kind))

    def _report_texts(self, tallies: list[Tally], function: str, line: int) -> None:
        """Report the texts that are not numbers."""
        import numpy as np

        def add(places: list[int]) -> None:
            for ix in places:
                report_bad(self.findings, tallies[ix], function, line, self.frame, ix)

        def first(ix: int) -> Violation:
            return self._bad_text(tallies[ix], line)

        def cells() -> Array:
            found = (tally.bad[0][0] if tally.bad else NOWHERE for tally in tallies)
            return np.fromiter(found, np.int64, len(tallies))

        bad = np.fromiter((bool(tally.bad) for tally in tallies), np.bool_, len(tallies))
        if bad.any():
            self.reporter.report(Report(bad, add, first, cells))

    def _bad_text(self, tally: Tally, line: int) -> Violation:
        """The first text of a tally that is not a number."""
        cell, text = tally.bad[0]
        place = self._coordinate(cell)
        return finding("not-a-number", line, *place, text, f"`{text}` is not a number")

    def _region_result(self, tally: Tally, function: str, line: int, kind: ValueType) -> pa.Array:
        import numpy as np
        import pyarrow as pa

        if not self.frame.count:
            return pa.array([], arrow_type(kind))
        if isinstance(self.reporter, Collector) and tally.bad and function != "Count":
            count, cell = self.frame.count, tally.bad[0][0]
            self._report(
                np.ones(count, np.bool_),
                lambda _: self._bad_text(tally, line),
                lambda: np.full(count, cell, np.int64),
            )
        value = self._fitting(tally, function, line, range(self.frame.count))
        return constant(value, kind, self.frame.count)

    def _fitting(self, tally: Tally, function: str, line: int, iterations: range) -> Any:
        """The result for some iterations, if a column can hold it."""
        if tally.bad and function != "Count":
            return None
        value = tally.result(function)
        if value is None or function == "Count":
            return value
        text = f"{value:f}"
        try:
            return parse_value(text, DECIMAL)
        except ValueError as error:
            message = f"{named(text)} {error}"

            def describe(ix: int) -> Violation:
                return self._at("bad-cast", line, ix, text, message)

            self._report(self._mask(iterations), describe)
            return None

    # ------------------------------------------------------------- casts and functions

    def _cast(self, cast: c.Cast) -> pa.Array:
        import pyarrow as pa

        array = self.array(cast.value)
        is_text = pa.types.is_string(array.type) or pa.types.is_dictionary(array.type)
        texts = array if is_text else texts_of(array)
        to, reading = cast.type, cast.reading
        parse: Callable[[str], object] = partial(parse_value, to=to)
        if reading is None:
            values, bad = cast_texts(texts, to, self.frame.backend)
        else:
            assert self._reader is not None, "only for cells"
            reader = self._reader()
            values, bad = reader.values(texts, reading, to, self.frame.backend)
            parse = partial(reader.value, reading=reading, to=to)
        if len(bad):
            source = c.source_cell(cast.value)

            def describe(place: int) -> Violation:
                text = texts[place].as_py()
                try:
                    parse(text)
                    reason = "cannot be read"
                except ValueError as error:
                    reason = str(error)
                message = f"{named(text)} {reason}"
                hint = None if reading is None else reader.hint(text, reading)
                return self._at("bad-cast", cast.line, place, text, message, source, hint)

            self._report(self._mask(bad), describe, self._cells_of(source))
        return values

    def _call(self, call: c.Call) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.array(call.value)
        if call.function == "length" and pa.types.is_list(array.type):
            return pc.list_value_length(array).cast(pa.int64())
        is_text = pa.types.is_string(array.type) or pa.types.is_dictionary(array.type)
        texts = array if is_text else texts_of(array)
        arguments: tuple[Any, ...] = call.arguments
        match call.function:
            case "trim":
                return mapped(texts, lambda text: text.strip(_BLANKS))
            case "upper":
                return mapped(texts, str.upper)
            case "lower":
                return mapped(texts, str.lower)
            case "length":
                return pc.utf8_length(texts_of(texts)).cast(pa.int64())
            case "stem":
                return mapped(texts, stem_of)
            case "replace":
                old, new = arguments
                return pc.replace_substring(texts_of(texts), pattern=old, replacement=new)
            case "iri":
                prefix = arguments[0]
                return mapped(texts, lambda text: entity(prefix, text)) if prefix else texts
            case "count-files":
                assert self.files is not None
                return counted(texts, self.files.count)
        code, problem, change = self._partial(call.function, arguments)
        changed = change(texts)
        missing = changed.is_null().to_numpy(zero_copy_only=False)
        missing &= ~texts.is_null().to_numpy(zero_copy_only=False)

        source = c.source_cell(call.value)

        def describe(place: int) -> Violation:
            text = texts[place].as_py()
            return self._at(code, call.line, place, text, f"{named(text)} {problem}", source)

        self._report(missing, describe, self._cells_of(source))
        return changed

    def _partial(
        self, function: str, arguments: tuple[Any, ...]
    ) -> tuple[str, str, Callable[[pa.Array], pa.Array]]:
        """A function that is not defined for every text: code, message, and the function."""
        match function:
            case "split":
                separator, number = arguments
                problem = f"has no part {number} when split at `{separator}`"
                return (
                    "no-part",
                    problem,
                    lambda texts: mapped(texts, lambda text: _part_of(text, separator, number)),
                )
            case "capture":
                token, group = arguments
                pattern = self.program.patterns[token]
                problem = f"does not match `{token}`"
                return "no-match", problem, lambda texts: captured(texts, pattern, group)
            case "percent-decode":
                return "bad-percent", BAD_PERCENT, lambda texts: mapped(texts, percent_decoded)
            case "checksum":
                files, (algorithm,) = self.files, arguments
                assert files is not None
                return (
                    "no-file",
                    "is not a file",
                    lambda texts: mapped(texts, lambda text: files.checksum(text, algorithm)),
                )
        name = arguments[0]
        table: Mapping[str, str] = self.program.mappings[name]
        return "unmapped", f"is not in the mapping `{name}`", lambda texts: mapped(texts, table.get)

    # ------------------------------------------------------------- findings

    def _at(
        self,
        code: str,
        line: int,
        ix: int,
        text: str | None,
        message: str,
        source: c.Cell | None = None,
        hint: str | None = None,
    ) -> Violation:
        """A finding at the cell whose text it is about, or else where the iteration is."""
        row, column = self.frame.place(ix)
        if source is not None:
            cells = self.source_cells(source)
            if cells[ix] != NOWHERE:
                row, column = self._coordinate(cells[ix])
        return finding(code, line, row, column, text, message, hint)

    def source_cells(self, source: c.Cell) -> Array:
        """The cells whose texts a value is made from; what is wrong with them was reported."""
        if id(source) not in self._sources:
            quiet = Evaluator(self.program, self.frame, None, self._reader)
            self._sources[id(source)] = quiet.cells(source)
        return self._sources[id(source)]

    def _cells_of(self, source: c.Cell | None) -> Callable[[], Array] | None:
        return None if source is None else lambda: self.source_cells(source)

    def _at_cell(
        self, code: str, line: int, cell: int, message: str, hint: str | None = None
    ) -> Violation:
        import numpy as np

        text = self.frame.texts(np.array([cell]), raw=False)[0].as_py()
        return finding(code, line, *self._coordinate(cell), text, message, hint)

    def _missing(self, code: str, line: int, missing: Array, problem: str) -> None:
        def describe(ix: int) -> Violation:
            row, column = self.frame.place(ix)
            what = f"row {row}" if row is not None else f"column {column}"
            return self._at(code, line, ix, None, f"{what} {problem}")

        self._report(missing, describe)

    def _report(
        self,
        mask: Array,
        describe: Callable[[int], Violation],
        cells: Callable[[], Array] | None = None,
    ) -> None:
        self.reporter.mask(mask, describe, cells)

    def _mask(self, places: Any) -> Array:
        """By iteration: is it one of these?"""
        import numpy as np

        mask = np.zeros(self.frame.count, dtype=np.bool_)
        mask[places] = True
        return mask


def _either(mask: Array, one: pa.Array, other: pa.Array, kind: ValueType) -> pa.Array:
    """The entries of one array where the mask holds, those of another elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = arrow_type(kind)
    sides = (
        texts_of(each) if pa.types.is_dictionary(each.type) else each.cast(wanted)
        for each in (one, other)
    )
    return pc.if_else(pa.array(mask), *sides)


def text_of(value: c.Constant) -> str:
    """The canonical text of a constant."""
    text: str = texts_of(constant(parse_value(value.text, value.type), value.type, 1))[0].as_py()
    return text


def report_bad(
    findings: Findings | None, tally: Tally, function: str, line: int, frame: Frame, iteration: int
) -> None:
    """Report the cells of a tally that do not hold a number."""
    if findings is None or not tally.bad or function == "Count":
        return
    width = frame.width

    def describe(ix: int) -> Violation:
        cell, text = tally.bad[ix]
        message = f"`{text}` is not a number"
        return finding("not-a-number", line, cell // width + 1, cell % width + 1, text, message)

    findings.add(range(len(tally.bad)), tally.bad_count, describe, lambda _: frame.place(iteration))


def constant(value: object, kind: ValueType, count: int) -> pa.Array:
    """An array of `count` copies of a value."""
    import numpy as np
    import pyarrow as pa

    if kind.kind in ("string", "iri") and value is not None:
        indices = pa.array(np.zeros(count, dtype=np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))
    return pa.repeat(pa.scalar(value, arrow_type(kind)), count)


def filled(array: pa.Array, value: object, kind: ValueType) -> pa.Array:
    """The array with a value in place of null."""
    import pyarrow as pa

    if not array.null_count:
        return array
    if isinstance(array, pa.DictionaryArray):
        array = texts_of(array)
    return array.fill_null(pa.scalar(value, arrow_type(kind)))


def _part_of(text: str, separator: str, number: int) -> str | None:
    parts = text.split(separator)
    return parts[number - 1].strip(_BLANKS) if number <= len(parts) else None
