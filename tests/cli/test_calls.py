"""How a call is parsed: the order of its parts, the help, and the messages for a wrong call."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from executed_docs import Outcome, run_command

from sculpt.cli.help import help_text
from sculpt.cli.parser import WrongCallError, parse
from sculpt.cli.table import COMMANDS, Command, Engine, Format, ReportFormat
from sculpt.transform.writers.formats import Format as FileFormat
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS

BY_NAME = {command.name: command for command in COMMANDS}
VALIDATE, RUN, FMT = (BY_NAME[name] for name in ("validate", "run", "fmt"))
ALL = [None, *COMMANDS]
FORMATS = ", ".join(f"`{each}`" for each in ReportFormat)


def name_of(command: Command | None) -> str:
    return command.name if command else "sculpt"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "88")
    Path("s.sculpt").write_text("row(1) -> a, b\n")
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("a,b\n")
    return tmp_path


# ----------------------------------------------------------------- reading


def given(call: str, command: Command = VALIDATE) -> dict[str, Any]:
    """The parameters that differ from their defaults."""
    parameters = parse(command, call.split())
    assert parameters is not None
    defaults = {each.parameter: each.default for each in command.options}
    return {
        name: value
        for name, value in parameters.items()
        if value and value != defaults.get(name, "")
    }


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("s a", {}),
        ("s a b --strict", {"data": ["a", "b"], "strict": True}),
        ("s a --strict b", {"data": ["a", "b"], "strict": True}),
        ("s --strict a b", {"data": ["a", "b"], "strict": True}),
        ("--strict s a b", {"data": ["a", "b"], "strict": True}),
        ("--format json s a", {"output": Format.JSON}),
        ("s --format json a", {"output": Format.JSON}),
        ("s a --format=json", {"output": Format.JSON}),
        ("s -f json a", {"output": Format.JSON}),
        ("s -fjson a", {"output": Format.JSON}),
        ("s a -f json --format text", {"output": Format.TEXT}),
        (
            "s a --engine local --threads 2 b",
            {"data": ["a", "b"], "engine": Engine.LOCAL, "threads": 2},
        ),
        ("s a --max-violations 0", {}),
        ("s a --max-violations 7", {"max_violations": 7}),
        ("s --conf a=1 a --conf=b=2 b", {"data": ["a", "b"], "conf": ["a=1", "b=2"]}),
        ("s a --set x=1 --set y=", {"settings": ["x=1", "y="]}),
        ("s -", {"data": ["-"]}),
        ("- a", {"schema": "-"}),
        ("s - --strict", {"data": ["-"], "strict": True}),
        ("s -- a --strict", {"data": ["a", "--strict"]}),
        ("s --strict -- a -x --", {"data": ["a", "-x", "--"], "strict": True}),
        ("-- s a", {}),
        ("-- -s a", {"schema": "-s"}),
    ],
)
def test_options_stand_anywhere(call: str, expected: dict[str, Any]) -> None:
    assert given(call) == {"schema": "s", "data": ["a"], **expected}


def test_zero_is_a_number_of_violations() -> None:
    parameters = parse(VALIDATE, ["s", "a", "--max-violations", "0"])
    assert parameters is not None
    assert parameters["max_violations"] == 0


def test_other_commands() -> None:
    assert given("-w a b", FMT) == {"schemas": ["a", "b"], "write": True}
    assert given("a --check b", FMT) == {"schemas": ["a", "b"], "check_only": True}
    assert given("s", BY_NAME["explain"]) == {"schema": "s"}
    assert given("s -f json d e", BY_NAME["explain"])["data"] == ["d", "e"]
    assert given("s d -o - -f parquet", RUN) == {
        "schema": "s",
        "data": ["d"],
        "out": "-",
        "file_format": FileFormat.PARQUET,
    }
    assert given("s --engine local d col(1)", BY_NAME["select"]) == {
        "schema": "s",
        "data": "d",
        "selector": "col(1)",
        "engine": Engine.LOCAL,
    }


@pytest.mark.parametrize(
    "call", ["-h", "--help", "s a -h", "s --threads x -h", "--formt -h", "-fxml -h"]
)
def test_help_is_shown_whatever_else_is_wrong(call: str) -> None:
    assert parse(VALIDATE, call.split()) is None


def test_after_two_dashes_nothing_is_an_option() -> None:
    assert given("s -- --help") == {"schema": "s", "data": ["--help"]}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("", "the argument SCHEMA is missing"),
        ("s a --formt json", "unknown option `--formt`: did you mean `--format`?"),
        ("s a --formt=json", "unknown option `--formt`: did you mean `--format`?"),
        ("s a --str", "unknown option `--str`: did you mean `--strict`?"),
        ("s a --max 3", "unknown option `--max`: did you mean `--max-violations`?"),
        ("s a --v", "unknown option `--v`"),
        ("s a --force", "unknown option `--force`"),
        ("s a -x", "unknown option `-x`"),
        ("s a -1", "unknown option `-1`"),
        ("s a --strict=yes", "`--strict` takes no value"),
        ("s a --format", "`--format` needs a value"),
        ("s a -f", "`--format` needs a value"),
        ("s a --format --strict", "`--format` needs a value"),
        ("s a --conf", "`--conf` needs a value"),
        ("s a --format yaml", f"`--format` must be one of {FORMATS}, not `yaml`"),
        ("s a -fyaml", f"`--format` must be one of {FORMATS}, not `yaml`"),
        ("s a --format=", f"`--format` must be one of {FORMATS}, not ``"),
        (
            "s a --engine warp",
            "`--engine` must be one of `auto`, `local`, `spark`, `reference`, not `warp`",
        ),
        ("s a --threads x", "`--threads` must be a whole number, 1 or more, not `x`"),
        ("s a --threads 1.5", "`--threads` must be a whole number, 1 or more, not `1.5`"),
        ("s a --threads 0", "`--threads` must be a whole number, 1 or more, not `0`"),
        ("s a --threads -2", "`--threads` must be a whole number, 1 or more, not `-2`"),
        ("s a --threads=", "`--threads` must be a whole number, 1 or more, not ``"),
        (
            "s a --max-violations -1",
            "`--max-violations` must be a whole number, 0 or more, not `-1`",
        ),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(call: str, told: str) -> None:
    with pytest.raises(WrongCallError) as error:
        parse(VALIDATE, call.split())
    assert str(error.value) == told


def test_arguments_that_are_too_many() -> None:
    with pytest.raises(WrongCallError, match=r"^too many arguments: `b`, `c`$"):
        parse(BY_NAME["select"], ["s", "d", "x", "b", "c"])


# ----------------------------------------------------------------- the table


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_a_function_has_the_parameters_of_its_command(command: Command) -> None:
    function = getattr(import_module(command.module), command.function or command.name)
    declared = [each.parameter for each in command.arguments]
    declared += [each.parameter for each in command.options]
    assert list(inspect.signature(function).parameters) == declared
    assert len(set(declared)) == len(declared)
    names = [name for each in command.options for name in (each.name, each.short) if name]
    assert len({*names, "-h", "--help"}) == len(names) + 2


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_only_the_last_argument_is_a_list(command: Command) -> None:
    assert not any(each.is_list for each in command.arguments[:-1])


@pytest.mark.parametrize(
    ("words", "schema", "data", "selectors"),
    [
        (["d"], None, "d", []),
        (["s", "d"], "s", "d", []),
        (["s", "d", "a", "b"], "s", "d", ["a", "b"]),
    ],
)
def test_an_argument_that_may_be_left_out_before_one_that_may_not(
    words: list[str], schema: str | None, data: str, selectors: list[str]
) -> None:
    found = parse(BY_NAME["show"], words)
    assert found is not None
    assert (found["schema"], found["data"], found["selectors"]) == (schema, data, selectors)
    with pytest.raises(WrongCallError, match=r"^the argument DATA is missing$"):
        parse(BY_NAME["show"], [])


def test_the_table_and_the_functions_have_the_same_default() -> None:
    (option,) = (each for each in VALIDATE.options if each.name == "--max-violations")
    assert option.default == DEFAULT_MAX_VIOLATIONS


# ----------------------------------------------------------------- help


@pytest.mark.parametrize("columns", [1, 60, 88, 200])
@pytest.mark.parametrize("command", ALL, ids=name_of)
def test_help_fits_and_has_every_word(
    command: Command | None, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = help_text(command)
    assert max(map(len, text.splitlines())) <= max(60, min(columns, 88))
    assert not any(line != line.rstrip() for line in text.splitlines())
    words = " ".join(text.split())
    entries = [(each.name, each.help) for each in (command.arguments if command else COMMANDS)]
    entries += [(each.name, each.help) for each in (command.options if command else ())]
    for name, about in entries:
        assert name in words
        assert about.removesuffix(".") in words


def test_the_help_of_a_command() -> None:
    assert run("fmt", "--help") == Outcome(
        0,
        "Usage: sculpt fmt [OPTIONS] SCHEMA...\n"
        "\n"
        "  Print a schema in its canonical form; comments are kept.\n"
        "\n"
        "Arguments:\n"
        "  SCHEMA  Schema files, or - for standard input.\n"
        "\n"
        "Options:\n"
        "  -w, --write  Rewrite the files.\n"
        "      --check  Change nothing; exit with 1 if a file would change.\n"
        "  -h, --help   Show this message and exit.\n",
        "",
    )
    assert run("fmt", "-h") == run("fmt", "--help") == run("fmt", "x", "-h")


def test_help_and_version() -> None:
    outcome = run("--help")
    assert (outcome.status, outcome.errors) == (0, "")
    assert outcome == run("-h") == run("-h", "validate") == run("--help", "--version")
    assert run("--version").output.startswith("sculpt 0.")
    assert run("--version") == run("--version", "--help")


# ----------------------------------------------------------------- wrong calls


def run(*arguments: str) -> Outcome:
    return run_command(list(arguments))


def test_no_command_shows_the_help_as_an_error() -> None:
    outcome = run()
    assert (outcome.status, outcome.errors) == (2, run("--help").output)


WRONG_CALLS = {
    ("valdate",): "unknown command `valdate`: did you mean `validate`?",
    ("val", "s.sculpt"): "unknown command `val`: did you mean `validate`?",
    ("frobnicate",): "unknown command `frobnicate`",
    ("",): "unknown command ``",
    ("-",): "unknown command `-`",
    ("--foo",): "unknown option `--foo`",
    ("--vrsion",): "unknown option `--vrsion`: did you mean `--version`?",
    ("--version=1",): "`--version` takes no value",
    ("--format", "json", "validate"): "`--format` must come after the name of its command",
    ("-fjson", "validate"): "unknown option `-fjson`",
}


@pytest.mark.parametrize("call", WRONG_CALLS, ids=" ".join)
def test_a_wrong_call_shows_the_usage_and_a_hint(call: tuple[str, ...]) -> None:
    expected = (
        "Usage: sculpt [OPTIONS] COMMAND [ARGS]...\n"
        "Try 'sculpt --help' for help.\n"
        "\n"
        f"error: {WRONG_CALLS[call]}\n"
    )
    assert run(*call) == Outcome(2, expected, expected)


def test_a_wrong_call_of_a_command_shows_its_usage() -> None:
    expected = (
        "Usage: sculpt explain [OPTIONS] SCHEMA [DATA]...\n"
        "Try 'sculpt explain --help' for help.\n"
        "\n"
        "error: unknown option `--frmat`: did you mean `--format`?\n"
    )
    assert run("explain", "s.sculpt", "--frmat", "json") == Outcome(2, expected, expected)


def test_orders_of_a_whole_call() -> None:
    both = run("validate", "s.sculpt", "a.csv", "b.csv", "--strict")
    assert both.status == 0
    assert "2 inputs: 2 valid" in both.output
    assert both == run("validate", "s.sculpt", "a.csv", "--strict", "b.csv")
    assert both == run("validate", "--strict", "s.sculpt", "--", "a.csv", "b.csv")
    assert both == run("--", "validate", "--strict", "s.sculpt", "a.csv", "b.csv")
    assert run("validate", "--format", "json", "s.sculpt", "a.csv").output.startswith("{")


# ----------------------------------------------------------------- what is imported


def imported(*arguments: str) -> set[str]:
    """All modules that a call imports, in a separate process whose output is a pipe."""
    code = (
        "import sys\n"
        "from sculpt.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0, end.code\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=kept,
        timeout=120,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("call", [("--help",), ("--version",)])
def test_help_imports_the_table_and_no_more(call: tuple[str, ...]) -> None:
    ours = {name for name in imported(*call) if name.startswith("sculpt")}
    allowed = {"sculpt", "sculpt.cli", "sculpt.report"}
    allowed |= {"sculpt.report.styled", "sculpt.report.streams"}
    allowed |= {
        f"sculpt.cli.{name}" for name in ("main", "application", "table", "terminal", "help")
    }
    assert ours <= allowed


@pytest.mark.parametrize("name", BY_NAME)
def test_the_help_of_a_command_imports_no_engine(name: str) -> None:
    heavy = {"numpy", "numba", "rich", "pyarrow", "sculpt.engines", "sculpt.core", "sculpt.api"}
    assert not heavy & imported(name, "--help")


def test_a_small_file_is_validated_with_little() -> None:
    heavy = {"numpy", "numba", "rich", "pyarrow", "pyspark", "typer", "pydantic"}
    assert not heavy & imported("validate", "s.sculpt", "a.csv")


@pytest.mark.parametrize("call", ["check s.sculpt", "fmt s.sculpt", "explain s.sculpt"])
def test_a_schema_is_looked_at_without_an_engine(call: str) -> None:
    assert not {"sculpt.engines.local", "sculpt.automata", "rich"} & imported(*call.split())
