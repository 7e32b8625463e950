"""Views of files: the edges of tables, files that change, closing, and what callers may give."""

from __future__ import annotations

import gc
import io
import itertools
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sculpt
from sculpt.engines.data import Data
from sculpt.engines.options import Options
from sculpt.tabular.inputs import Input
from sculpt.views.local import LocalSource
from sculpt.views.model import TEXT_LIMIT, region_specs
from sculpt.views.view import View

RULES = "Heads <= row(1)\nrow(1) -> Text*\ncol(1) -> Integer*\nunique(x)\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.csv"


def source(schema: sculpt.Schema, file: Path, *selectors: str, **options: Any) -> LocalSource:
    tokens, specs = region_specs(schema, selectors)
    return LocalSource(schema.core, tokens, str(file), specs, Options(**options))


def facts(view: View) -> tuple[object, ...]:
    """What can be asked of a view of a small table."""
    windows = (view.window(), view.window(2, 3, 2, 3), view.window(100), view.window(column=100))
    places = [view.find(each) for each in ("violation", "unchecked", "selector:1")]
    return windows, places, view.regions, view.rows, view.columns, view.coverage, view.heat


# ------------------------------------------------------------- the edges of tables


@pytest.mark.parametrize("data", [b"", b"\n", b"a", b"a\n", b"\n\n\n", b"a,b\n\n", b'"'])
@pytest.mark.parametrize("schema", [None, "", RULES], ids=["none", "no rules", "rules"])
def test_small_tables(file: Path, data: bytes, schema: str | None) -> None:
    file.write_bytes(data)
    parsed = None if schema is None else sculpt.Schema.parse(schema)
    with sculpt.view(parsed, file, "true", engine="local") as view:
        ours = facts(view)
    with sculpt.view(parsed, file, "true", engine="reference") as view:
        assert ours == facts(view)


def test_beyond_the_end_windows_are_empty(file: Path) -> None:
    file.write_bytes(b"a,b\nc\n")
    with sculpt.view(None, file) as view:
        window = view.window(row=3)
        assert (window.texts, window.regions, window.checked) == ((), (), ())
        assert (window.table_rows, window.table_columns) == (2, 2)
        assert view.window(row=2, column=3).texts == ((),)


def test_a_row_of_many_columns(file: Path) -> None:
    file.write_bytes(b",".join(b"%d" % n for n in range(50_000)) + b"\n")
    schema = sculpt.Schema.parse("(1,40000) -> Text\ncol(7) -> Date\n")
    with sculpt.view(schema, file, "(1,49999)") as view:
        assert (view.rows, view.columns) == (1, 50_000)
        window = view.window(column=49_990, columns=30)
        assert window.texts == (tuple(str(n) for n in range(49_989, 50_000)),)
        assert window.regions[0][9] == ("selector:1",)
        assert view.find("selector:1") == (1, 49_999)
        assert view.find("violation") == (1, 7)
        assert view.find("unchecked", (1, 6)) == (1, 8)


def test_many_rows_of_one_column(file: Path) -> None:
    count = 400_000
    file.write_bytes(b"".join(b"%d\n" % n for n in range(count - 1)) + b"x\n")
    schema = sculpt.Schema.parse("col(1) -> Integer\n")
    with sculpt.view(schema, file) as view:
        assert view.rows == count
        assert view.find("violation") == (count, 1)
        assert view.window(row=count - 1).texts == ((str(count - 2),), ("x",))
        assert [each.row for each in view.window(row=count - 1).violations] == [count]


def test_a_thousand_rules(file: Path) -> None:
    width = 1_000
    rules = "".join(f"col(c{n}) -> Integer*\n" for n in range(width))
    head = ",".join(f"c{n}" for n in range(width))
    rows = "".join(",".join(["1"] * width) + "\n" for _ in range(30))
    file.write_text(f"{head}\n{rows}x\n")
    with sculpt.view(sculpt.Schema.parse(rules), file) as view:
        assert [view.region(f"rule:{n}").cells for n in (1, 500, 1000)] == [31, 31, 31]
        window = view.window(row=30, rows=3, column=500, columns=2)
        assert window.regions == ((("rule:500",), ("rule:501",)),) * 3
        assert view.find("violation") == (32, 1)


def test_long_cells_are_cut_and_not_read_to_their_end(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "é" * (5 << 20)
    texts = [long, " " * (1 << 20) + "x", f'"{long}"', f'" {long}"""', "y" * 200, "y" * 201]
    file.write_text("a," + ",".join(texts) + ",z\nb\n", encoding="utf-8")
    with sculpt.view(None, file) as view:
        window = view.window()
        assert window.texts[0][:3] == ("a", long[:TEXT_LIMIT], "x")
        assert window.texts[0][5:] == ("y" * 200, "y" * 200, "z")
        assert window.cut == {(1, 2), (1, 4), (1, 5), (1, 7)}
        read = Data.document
        sizes: list[int] = []

        def noted(self: Data, start: int, end: int) -> Any:
            sizes.append(end - start)
            return read(self, start, end)

        monkeypatch.setattr(Data, "document", noted)
        assert view.window(column=4, columns=2).texts[0] == (
            long[:TEXT_LIMIT],
            " " + long[: TEXT_LIMIT - 1],
        )
        assert max(sizes) < 1 << 17


def test_only_violations_of_the_window_are_put_into_words(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 100_000
    file.write_bytes(b"x,1\n" * count)
    from sculpt.engines.messages.narrator import Narrator

    with sculpt.view(sculpt.Schema.parse("col(1) -> Integer\n"), file, max_violations=0) as view:
        told: list[int | None] = []
        tell = Narrator.violation

        def noted(self: Narrator, finding: Any) -> sculpt.Violation:
            told.append(finding.row)
            return tell(self, finding)

        monkeypatch.setattr(Narrator, "violation", noted)
        window = view.window(row=90_000, rows=3)
        assert [each.row for each in window.violations] == [90_000, 90_001, 90_002]
        assert told == [90_000, 90_001, 90_002]
        assert view.window(row=90_000, column=2).violations == ()
        assert view.verdict.violation_count == count


def test_waypoints_are_near_each_other(file: Path) -> None:
    """Whatever changes from row to row, and however the file is read."""
    rows = b"".join(b"%d,a,%s\n" % (n, b"b" * (n % 7)) for n in range(3000))
    schemas = {
        "forward": "col(2) -> a*\nrow(a) -> Any*\n",
        "changing": "down+(b) -> Any*\n(down.right)*(a) => Any*\n",
        "named": "row(2000) -> Any*\n",
        "up": "up+(b) -> Any*\n",
        "left": "left(a) -> Any*\n",
    }
    for name, text in schemas.items():
        # Encodings with several bytes per character are read in blocks of some size of their own.
        for encoding, most, least in (("utf-8", 2500, 10), ("utf-16", 9000, 3)):
            schema = sculpt.Schema.parse(text, [f"Encoding={encoding}"])
            file.write_bytes(rows.decode().encode(encoding))
            ours = source(schema, file, chunk=1000, strip=300, threads=2)
            (layer,) = ours._layers
            begins = [each.begin for each in layer.route.waypoints]
            gaps = [b - a for a, b in itertools.pairwise(begins)]
            assert max(gaps) <= most, (name, encoding)
            assert len(begins) > least, (name, encoding)
            ours.close()


def test_places_without_anything_are_skipped(file: Path) -> None:
    """The pass knows which rows have what, so `find` walks only through these."""
    file.write_bytes(b"1,2\n" * 2000 + b"x,2\n" + b"1,2\n" * 2000)
    schema = sculpt.Schema.parse("col(1) -> Integer\n")
    ours = source(schema, file, "x", chunk=500, threads=2)
    (layer,) = ours._layers
    has = [each.marks is not None and bool(each.marks.selectors) for each in layer.route.waypoints]
    assert sum(has) == sum(each.count > 0 for each in layer.route.waypoints) == 1
    assert ours.find("selector:1", (0, 0)) == ours.find("violation", (0, 0)) == (2001, 1)
    assert ours.find("violation", (2001, 1)) is None
    assert ours.find("unchecked", (1, 2)) == (2, 2)
    ours.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_padding_that_only_later_rows_make(file: Path, threads: int) -> None:
    """The first rows are walked before the table is known to be wide."""
    file.write_bytes(b"a\n" * 500 + b"a,b,c\n" + b"a\n" * 500)
    schema = sculpt.Schema.parse("col(1) -> a\n")
    ours = source(schema, file, "Missing", "true", chunk=100, threads=threads)
    assert len(ours._layers[0].route.waypoints) > 10
    assert ours.find("selector:1", (0, 0)) == (1, 2)
    assert ours.find("selector:1", (300, 3)) == (301, 2)
    assert ours.find("selector:1", (500, 3)) == (502, 2)
    assert ours.counts == {"rule:1": 1001, "selector:1": 2000, "selector:2": 3003}
    ours.close()


# ------------------------------------------------------------- files that change


def viewed(file: Path, **options: Any) -> View:
    file.write_bytes(b"a,b\n" * 100)
    return sculpt.view(None, file, "true", **options)


def test_a_file_that_grows(file: Path) -> None:
    with viewed(file) as view:
        with file.open("ab") as more:
            more.write(b"c\n")
        for ask in (view.window, lambda: view.find("unchecked")):
            with pytest.raises(sculpt.DataError) as caught:
                ask()
            assert str(caught.value) == f"{file}: changed after it was viewed; make a new view"


def test_a_file_that_is_replaced_by_one_like_it(file: Path) -> None:
    with viewed(file) as view:
        other = file.with_name("other")
        other.write_bytes(b"x,y\n" * 100)
        before = file.stat()
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        other.replace(file)
        with pytest.raises(sculpt.DataError, match="changed after it was viewed"):
            view.window()


def test_a_file_that_vanishes(file: Path) -> None:
    with viewed(file) as view:
        file.unlink()
        with pytest.raises(sculpt.DataError, match="vanished after it was viewed; make a new view"):
            view.window()


def test_a_file_that_changes_while_a_window_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with viewed(file) as view:
        whole = Input.window

        def shortened(self: Input, start: int, end: int) -> bytes:
            file.write_bytes(b"x\n")
            return whole(self, start, end)

        monkeypatch.setattr(Input, "window", shortened)
        with pytest.raises(sculpt.DataError, match="changed after it was viewed"):
            view.window()


def test_a_uri_that_changes(file: Path) -> None:
    pytest.importorskip("pyarrow")
    file.write_bytes(b"a,b\n" * 100)
    with sculpt.view(None, file.as_uri(), engine="local") as view:
        assert view.window(row=100).texts == (("a", "b"),)
        file.write_bytes(b"a,b\n" * 101)
        with pytest.raises(sculpt.DataError, match="changed after it was viewed"):
            view.window()


# ------------------------------------------------------------- closing


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files")
@pytest.mark.parametrize("is_closed", [True, False])
def test_files_are_let_go_of(file: Path, is_closed: bool) -> None:
    """Warnings are errors here, so a file that is only forgotten would show."""
    before = descriptors()
    view = viewed(file)
    assert view.window(row=100).texts == (("a", "b"),)
    assert descriptors() > before
    if is_closed:
        view.close()
        view.close()
        with pytest.raises(sculpt.UsageError, match="the view is closed"):
            view.window()
    del view
    gc.collect()
    assert descriptors() == before


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(b"%d,x\n" % n for n in range(20_000))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with sculpt.view(sculpt.Schema.parse("col(1) -> Integer\n"), "-") as view:
        assert view.verdict.valid
        assert view.window(row=19_999).texts == (("19998", "x"), ("19999", "x"))
        assert view.window(row=2, rows=1).texts == (("1", "x"),)


def test_threads_share_a_view(file: Path) -> None:
    file.write_bytes(b"".join(b"%d,x\n" % n for n in range(30_000)))
    with sculpt.view(sculpt.Schema.parse("col(1) -> Integer\n"), file) as view:
        wrong: list[int] = []

        def look(first: int) -> None:
            for row in range(first, 30_000, 4_000):
                if view.window(row=row, rows=1).texts != ((str(row - 1), "x"),):
                    wrong.append(row)

        threads = [threading.Thread(target=look, args=(n,)) for n in (1, 500, 1000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


# ------------------------------------------------------------- what callers may give


def test_schemas_by_path(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.sculpt"
    path.write_text("col(1) -> Integer\n")
    file.write_bytes(b"1,a\nx,b\n")
    for schema in (path, str(path), sculpt.Schema.load(path)):
        assert sculpt.validate(schema, file).violation_count == 1
        assert sculpt.select(schema, file, "x") == [(2, 1)]
        assert sculpt.read_table(schema, file).height == 2
        with sculpt.view(schema, file) as view:
            assert view.find("violation") == (2, 1)
    with sculpt.view(path, file, settings=["Col Delim=;"]) as view:
        assert view.columns == 1


@pytest.mark.parametrize("schema", [b"rules.sculpt", 3, None, ["row(1) -> a"]])
def test_what_is_no_schema(file: Path, schema: Any) -> None:
    file.write_bytes(b"1\n")
    kind = type(schema).__name__
    expected = (
        f"the schema is of type `{kind}`; give a `sculpt.Schema`, or the path of a schema file"
    )
    calls: list[Callable[[], object]] = [
        lambda: sculpt.validate(schema, file),
        lambda: sculpt.select(schema, file, "true"),
        lambda: sculpt.run(schema, file),
        lambda: sculpt.extract(schema, file, "true"),
        lambda: sculpt.read_table(schema, file),
    ]
    if schema is not None:
        calls.append(lambda: sculpt.view(schema, file))
    for call in calls:
        with pytest.raises(sculpt.UsageError) as caught:
            call()
        assert str(caught.value) == expected


def test_settings_are_for_schemas_that_are_read_here(file: Path) -> None:
    file.write_bytes(b"1;2\n")
    with sculpt.view(None, file, settings=["Col Delim=;"]) as view:
        assert view.window().texts == (("1", "2"),)
    with pytest.raises(sculpt.UsageError, match="settings"):
        sculpt.view(sculpt.Schema.parse(""), file, settings=["Col Delim=;"])


def test_a_schema_that_is_not_there(file: Path, tmp_path: Path) -> None:
    with pytest.raises(sculpt.UsageError, match="cannot be read: no such file"):
        sculpt.validate(tmp_path / "missing.sculpt", file)
