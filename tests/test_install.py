"""The default installation: what works without any extra, and what is said where one is missing.

Every command is tried in an environment that has a wheel and its dependencies, nothing else: once
with compiled kernels and once with plain ones. A new command must be added to `CALLS`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import sculpt
from sculpt import extras
from sculpt.cli.table import COMMANDS
from sculpt.transform.writers import formats as records
from wheels import Installed

pytestmark = pytest.mark.xdist_group("wheels")  # so that each wheel is built once

TEMPLATES = 'needs uritemplate: run `pip install "sculpt-schema[csvw]"`'
ARROW = 'needs pyarrow and numpy: run `pip install "sculpt-schema[arrow]"`'
SPARK = (
    "error: Spark needs pyspark, pandas, pyarrow and numpy:"
    ' run `pip install "sculpt-schema[spark]"`\n'
)
LEFT_OUT = (
    "warning [left-out]: no rule says which columns there are, so nothing is exported about them"
    " (numbers); add a rule about the header\n"
)
NO_COLUMNS = (
    "error: CSV Schema is about columns, and no rule of `numbers` says which there are:"
    " add one about its header\n"
)
GOOD, BAD = "census/corrected.sculpt", "census/printed.sculpt"
PROGRAM, DATA, STORE = "census/tidy.sculpt", "census/census.csv", "s3://bucket/census.csv"


class Call(NamedTuple):
    """The words after the name of a command, its exit status, and all of its standard error."""

    words: str
    status: int
    told: str = ""


CALLS: dict[str, list[Call]] = {
    "validate": [
        Call(f"{GOOD} {DATA}", 0),
        Call(f"{BAD} {DATA}", 1),
        Call(f"{PROGRAM} {DATA}", 0),
        Call("roles/schema.sculpt", 0),
        Call("payments/schema.sculpt payments/april.csv", 1),
        Call("roles/senior.sculpt roles/broken-senior.csv", 1),
        Call("../tests/interchange/dspl/ferries/ferries.xml", 0),
        Call(
            "occupations/structure.sculpt occupations/structure.csv",
            2,
            f"error: `capture` {ARROW}\n",
        ),
        Call(f"{BAD} {DATA} --engine reference", 1),
        Call(f"{BAD} {DATA} --engine local --threads 2", 1),
        Call(f"{GOOD} {DATA} --engine spark", 2, SPARK),
        Call(f"{GOOD} {DATA} --master local[2]", 2, SPARK),
        Call(f"{GOOD} {DATA} --conf a=b", 2, SPARK),
        Call(f"{GOOD} {STORE}", 2, f"error: reading {STORE} {ARROW}\n"),
        Call(f"{GOOD} {DATA} {STORE} --engine local", 2, f"error: reading {STORE} {ARROW}\n"),
        Call(
            f"{GOOD} census/*.csv",
            0,
            "note: census/*.csv can match many files, but pyspark is not installed; using the"
            " engine `local`\n",
        ),
    ],
    "check": [
        Call("provenance/printed.sculpt", 0),
        Call(GOOD, 0),
        Call(PROGRAM, 0),
        Call("provenance/triples.sculpt", 0),
    ],
    "explain": [
        Call(GOOD, 0),
        Call(f"{GOOD} {DATA}", 0),
        Call(f"{GOOD} {STORE}", 0, f"note: reading {STORE} {ARROW}\n"),
    ],
    "select": [
        Call(f"{GOOD} {DATA} row(1)", 0),
        Call(f"{GOOD} {DATA} row(1) --engine reference", 0),
        Call(f"{GOOD} {DATA} row(1) --engine spark", 2, SPARK),
        Call(f"{GOOD} {STORE} row(1)", 2, f"error: reading {STORE} {ARROW}\n"),
    ],
    "show": [
        Call(f"{BAD} {DATA}", 0),
        Call(f"{BAD} {DATA} row(1) --engine reference", 0),
        Call(DATA, 0),
        Call(f"{GOOD} {STORE}", 2, f"error: reading {STORE} {ARROW}\n"),
    ],
    "why": [
        Call(f"{BAD} {DATA} 10,1", 0),
        Call(f"{BAD} {DATA} 10,1 rule:9 --engine reference", 0),
        Call(f"{GOOD} {STORE} 1,1", 2, f"error: reading {STORE} {ARROW}\n"),
    ],
    "run": [
        Call(f"{PROGRAM} {DATA}", 2, f"error: `sculpt run` {ARROW}\n"),
        Call(f"{PROGRAM} {DATA} --engine reference", 2, f"error: `sculpt run` {ARROW}\n"),
        Call("no.sculpt no.csv -o no.parquet", 2, f"error: `sculpt run` {ARROW}\n"),
    ],
    "extract": [
        Call(f"{GOOD} {DATA} row(1)", 2, f"error: `sculpt extract` {ARROW}\n"),
        Call("no.sculpt no.csv row(1) -o no.parquet", 2, f"error: `sculpt extract` {ARROW}\n"),
    ],
    "fmt": [Call(GOOD, 0), Call(f"--check {PROGRAM}", 0)],
    "sniff": [
        Call(DATA, 0),
        Call(f"{DATA} -f json", 0),
        Call(STORE, 2, f"error: reading from a store {ARROW}\n"),
    ],
    "init": [
        Call("payments/march.csv", 0),
        Call("payments/march.csv -f json", 0),
        Call(STORE, 2, f"error: reading from a store {ARROW}\n"),
    ],
    "import": [Call("../tests/interchange/dspl/ferries/ferries.xml", 0)],
    "export": [
        Call("locale/numbers.sculpt --to frictionless", 0, LEFT_OUT),
        Call("locale/numbers.sculpt --to csvw", 0, LEFT_OUT),
        Call("locale/numbers.sculpt --to csv-schema", 2, NO_COLUMNS),
    ],
    "convert": [Call(f"{DATA} --to json", 2, f"error: converting CSVW {TEMPLATES}\n")],
}

API = f"""
import json, sys
import sculpt, sculpt.spark

schema = sculpt.Schema.load({BAD!r})
program = sculpt.Schema.load({PROGRAM!r})
found = {{}}
for engine in ("auto", "local", "reference"):
    verdict = sculpt.validate(schema, {DATA!r}, engine=engine)
    cells = sculpt.select(schema, {DATA!r}, "row(1)", engine=engine)
    found[engine] = [verdict.violation_count, len(cells)]
view = sculpt.view(schema, {DATA!r}, "row(1)")
found["view"] = [view.verdict.violation_count, view.window(rows=3).texts[0][0]]
found["table"] = [sculpt.read_table(schema, {DATA!r}).height, bool(sculpt.format_text("row(1)->a"))]
calls = dict(
    run=lambda: sculpt.run(program, {DATA!r}),
    extract=lambda: sculpt.extract(schema, {DATA!r}, "row(1)"),
    spark=lambda: sculpt.validate(schema, {DATA!r}, engine="spark"),
    select=lambda: sculpt.select(schema, {DATA!r}, "row(1)", engine="spark"),
    store=lambda: sculpt.validate(schema, {STORE!r}),
    view=lambda: sculpt.view(schema, {STORE!r}),
    read=lambda: sculpt.read_table(schema, {STORE!r}),
    files=lambda: sculpt.spark.validate(None, schema, {DATA!r}),
    cells=lambda: sculpt.spark.select(None, schema, {DATA!r}, "row(1)"),
    frame=lambda: sculpt.spark.validate_dataframe(None, schema),
    stream=lambda: sculpt.spark.validate_stream(None, schema, ".", "out"),
    records=lambda: sculpt.spark.records(None, program, {DATA!r}),
    write=lambda: sculpt.spark.write_records(None, program, {DATA!r}, "out"),
    register=lambda: sculpt.spark.register(None),
)
for name, call in calls.items():
    try:
        call()
        found[f"no {{name}}"] = "it works"
    except sculpt.UsageError as error:
        found[f"no {{name}}"] = str(error)
json.dump(found, sys.stdout)
"""


@pytest.fixture(params=["compiled", "pure"])
def environment(request: pytest.FixtureRequest) -> Installed:
    found: Installed = request.getfixturevalue(request.param)
    return found


def test_the_environments_have_no_extra(environment: Installed) -> None:
    packages = {name for names in extras.PACKAGES.values() for name in names}
    assert [name for name in packages if environment.has(name)] == []
    assert environment.has("rich")


def test_every_command_is_tried() -> None:
    assert {*CALLS} == {command.name for command in COMMANDS}


@pytest.mark.parametrize("command", CALLS)
def test_a_command_works_or_says_what_to_install(environment: Installed, command: str) -> None:
    for call in CALLS[command]:
        done = environment.call("sculpt", command, *call.words.split())
        assert (done.returncode, done.stderr) == (call.status, call.told), call
        # Whatever is refused is refused before anything is printed.
        assert bool(done.stdout) == (call.status != 2 and "--check" not in call.words), call


REPORTS = [
    (command.name, each)
    for command in COMMANDS
    for option in command.options
    if option.name == "--format" and option.choices is not None
    if option.choices() is not records.Format
    for each in option.choices()
]


@pytest.mark.parametrize(("command", "output"), REPORTS)
def test_every_format_of_a_report(compiled: Installed, command: str, output: str) -> None:
    call = next(call for call in CALLS[command] if call.status < 2)
    done = compiled.call("sculpt", command, *call.words.split(), "--format", output)
    assert (done.returncode, done.stderr) == (call.status, call.told)
    assert done.stdout


def test_python_works_or_says_what_to_install(environment: Installed) -> None:
    done = environment.call("python", "-c", API)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    on_spark = 'needs pyspark, pandas, pyarrow and numpy: run `pip install "sculpt-schema[spark]"`'
    public = ("files", "cells", "frame", "stream", "records", "write", "register")
    assert found == {
        **{engine: [2, 4] for engine in ("auto", "local", "reference")},
        "view": [2, "QS601EW"],
        "table": [10, True],
        "no run": f"`sculpt.run` {ARROW}",
        "no extract": f"`sculpt.extract` {ARROW}",
        "no spark": f"Spark {on_spark}",
        "no select": f"Spark {on_spark}",
        "no store": f"reading {STORE} {ARROW}",
        "no view": f"reading {STORE} {ARROW}",
        "no read": f"reading from a store {ARROW}",
        **{f"no {name}": f"`sculpt.spark` {on_spark}" for name in public},
    }


def test_every_command_has_its_help(environment: Installed) -> None:
    for command in COMMANDS:
        assert f"sculpt {command.name}" in environment.run("sculpt", command.name, "--help")


def test_the_command_has_three_names(environment: Installed) -> None:
    for name in (["sculpt"], ["sculpt-schema"], ["python", "-m", "sculpt"]):
        assert environment.run(*name, "--version") == f"sculpt {sculpt.__version__}\n"


def test_a_large_file(environment: Installed, tmp_path: Path) -> None:
    """Compiled kernels and threads; or plain kernels, and one remark on how to be faster."""
    (tmp_path / "s.sculpt").write_text("row(1) -> id, n\ncol(id) -> Integer\n", encoding="utf-8")
    rows = "".join(f"{number},{number}\n" for number in range(200_000))
    (tmp_path / "d.csv").write_text(f"id,n\n{rows}", encoding="utf-8")
    done = environment.call("sculpt", "validate", f"{tmp_path}/s.sculpt", f"{tmp_path}/d.csv")
    assert done.returncode == 0
    assert "200,001 rows" in done.stdout
    slow = (
        "note: this installation has no compiled kernels; using plain Python, which is slow:"
        ' run `pip install "sculpt-schema[jit]"` to have Numba compile them\n'
    )
    assert done.stderr == ("" if "compiled" in str(environment.folder) else slow)


# ------------------------------------------------------------- which command installs an extra


@pytest.mark.parametrize(
    ("made_by", "told"),
    [
        ("pip", 'pip install "sculpt-schema[arrow]"'),
        ("pipx_metadata.json", 'pipx install --force "sculpt-schema[arrow]"'),
        ("uv-receipt.toml", 'uv tool install "sculpt-schema[arrow]"'),
        ("browser", 'await micropip.install("sculpt-schema[arrow]")'),
    ],
)
def test_the_command_is_that_of_the_installer(
    made_by: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setitem(sys.modules, "numpy", None)
    if "." in made_by:
        (tmp_path / made_by).touch()
    if made_by == "browser":
        monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(sculpt.UsageError) as raised:
        extras.need("arrow", "this")
    assert str(raised.value) == f"this needs numpy: run `{told}`"


def test_what_is_installed_is_not_asked_for() -> None:
    for extra in extras.PACKAGES:
        extras.need(extra, "this")


@pytest.mark.parametrize(
    ("names", "told"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_names_in_a_sentence(names: list[str], told: str) -> None:
    assert extras.listed(names) == told


def test_without_arrow_a_long_capture_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "big = ((a{1000}){100})\nFor each cell v in col(1) {\n  print capture(v, big, 1)\n}\n"
        "col(1) -> Any\n"
    )
    with pytest.raises(sculpt.SchemaError, match="too large to capture"):
        sculpt.Schema.parse(text)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert sculpt.Schema.parse(text).program is not None
