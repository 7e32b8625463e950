"""Values of programs, many at once: expressions over Arrow arrays.

In: a `Frame`: the iterations of a loop, with their cells. Out: for each value of the program one
Arrow array with an entry for each iteration. What cannot be computed is null and a finding, if
somebody needs to know (`reporting`). Both values of an `if` are computed for all iterations.

Invariant: the values are those of `transform.reference`, cell by cell. Cost: a few array operations
per value; texts that occur often (headers that many cells look up) are processed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.typed_values import TEXT, ValueType, parse_value
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.evaluation.casts import cast_texts
from sculpt.transform.evaluation.findings import Findings, named
from sculpt.transform.evaluation.reporting import Lets, Reporter, Voice
from sculpt.transform.evaluation.truths import Truths, truths
from sculpt.transform.evaluation.values.aggregates import Aggregates
from sculpt.transform.evaluation.values.arrays import constant, either, filled, text_of
from sculpt.transform.evaluation.values.cells import Cells
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.evaluation.values.functions import TextFunctions
from sculpt.transform.writers.rendering import joined, texts_of
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.transform.conditions.files import Files
    from sculpt.transform.evaluation.row_index import RowIndex
    from sculpt.transform.evaluation.token_casts import TokenReader
    from sculpt.transform.evaluation.values.rows import Rows

    Array = np.ndarray[Any, Any]


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
        indexes: Mapping[int, RowIndex] | None = None,
        given: tuple[c.FoundRow, Array] | None = None,
    ) -> None:
        """`indexes` are those of finds; `given` is the row of one of them, by iteration."""
        self.program = program
        self._indexes, self._given = indexes or {}, given
        self._reader = reader
        """Who reads texts by derived tokens; made when it is needed."""
        self.frame = frame
        self.reporter = reporter or Reporter(findings, frame.place)
        self._lets = Lets(self.reporter)
        self.files = files
        self._cells = Cells(program, frame, self.reporter, self._lets)
        self._aggregates = Aggregates(self._cells.places)
        self._functions = TextFunctions(program, self._cells, files)
        self.noted: dict[int, Truths] | None = None
        self.compared: dict[int, pa.Array] = {}

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
            case c.RowValue():
                return self._rows().value(value)
            case c.EachRow():
                return self._each_row(value)
            case c.GroupAggregate():
                return self._aggregates.of_groups(value)
            case c.RegionAggregate():
                return self._aggregates.of_region(value)
            case c.Joined(parts, _):
                return self._joined(parts, None if value.is_strict else "")
            case c.Cast():
                return self._cast(value)
            case c.Call():
                return self._functions.apply(value, self.array(value.value))
            case c.Optional(inner, default, kind):
                return self._optional(inner, default, kind)
            case c.One(inner, _):
                with self.reporter.voice(Voice.LOUD):
                    return self.array(inner)
            case c.LetValue(number, inner, _):
                return self._lets.once(number, lambda: self.array(inner))
            case c.If():
                return self._chosen(value)

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
        return either(~missing, found, others, kind)

    def _chosen(self, value: c.If) -> pa.Array:
        import pyarrow as pa

        taken = truths(value.condition, self).true
        with self.reporter.only(taken):
            one = self.array(value.then)
        if value.otherwise is None:
            return either(taken, one, pa.nulls(len(taken), arrow_type(value.type)), value.type)
        with self.reporter.only(~taken):
            other = self.array(value.otherwise)
        return either(taken, one, other, value.type)

    def _rows(self) -> Rows:
        """The rows of other tables; few programs have any.

        They are not kept: a circle of references would keep the strip until the next collection.
        """
        from sculpt.transform.evaluation.values.rows import Rows

        finds = self.program.finds
        return Rows(
            self._indexes, self._cells, self._lets, self.array, lambda n: finds[n].row_field,
            self._given,
        )  # fmt: skip

    def _each_row(self, value: c.EachRow) -> pa.Array:
        """The value for each row that is found."""
        from sculpt.transform.evaluation.values.repeated import Repeated
        from sculpt.transform.evaluation.values.rows import listed

        rows, iterations, counts = self._rows().repetitions(value.row)
        frame = Repeated(self.frame, iterations)
        silent = Reporter(None, frame.place)
        inner = Evaluator(
            self.program, frame, None, self._reader, silent, self.files, self._indexes,
            (value.row, rows),
        )  # fmt: skip
        return listed(inner.array(value.value), counts, value.separator)

    def cells(self, cell: c.Cell) -> Array:
        """The cell of each iteration; a missing one is a finding."""
        return self._cells.find(cell)

    def source_cells(self, source: c.Cell) -> Array:
        """The cells whose texts a value is made from."""
        return self._cells.sources(source)

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

    def _joined(self, parts: tuple[c.Value, ...], missing: str | None) -> pa.Array:
        pieces = [
            text_of(part) if isinstance(part, c.Constant) else texts_of(self.array(part))
            for part in parts
        ]
        if all(isinstance(piece, str) for piece in pieces):
            return constant("".join(pieces), TEXT, self.frame.count)
        return joined(*pieces, missing=missing)

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
                return self._cells.at_source(
                    "bad-cast", cast.line, place, text, message, source, hint
                )

            mask = self._cells.places.mask(bad)
            self._cells.report_texts(mask, describe, source)
        return values
