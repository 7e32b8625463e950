"""Reports of `validate` and `check`: formats, outputs, wrong schemas, disks and pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from executed_docs import Outcome, run_command

from reported import HOSTILE, quoted_csv
from sculpt.cli.table import CheckFormat, ReportFormat

FORMATS = [each for each in ReportFormat if each is not ReportFormat.HTML]
BEGINS = {
    "text": "a.csv: not valid",
    "json": '{\n  "version": 1,',
    "jsonl": '{"type":"violation",',
    "csv": "file,code,rule,",
    "sarif": '{\n "$schema": ',
    "junit": '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sculpt" ',
    "github": "::error file=a.csv,line=2,col=5,",
    "frictionless": '{\n  "valid": false,\n  "stats": {',
    "html": "<!doctype html>",
}
IMPLIED = {
    "r.json": "json",
    "r.jsonl": "jsonl",
    "r.ndjson": "jsonl",
    "r.CSV": "csv",
    "r.sarif": "sarif",
    "r.xml": "junit",
    "r.html": "html",
    "r.txt": "text",
    "r": "text",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    Path("s.sculpt").write_text('include "t.inc"\nrow(1) -> name, age\ncol(age) -> number\n')
    Path("t.inc").write_text("number = [0-9]+\n")
    Path("bad.sculpt").write_text('include "t.inc"\nrow(1 -> name\nnonsense\n')
    Path("a.csv").write_bytes(b"name,age\nAda,x\n")
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(list(arguments), stdin)
    assert "Traceback" not in outcome.output
    return outcome


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


# ------------------------------------------------------------- formats and outputs


@pytest.mark.parametrize("name", BEGINS)
def test_a_format_is_printed_or_written(name: str) -> None:
    printed = run("validate", "s.sculpt", "a.csv", "-f", name)
    assert printed.status == 1
    assert printed.output.lower().startswith(BEGINS[name].lower())
    written = run("validate", "s.sculpt", "a.csv", "-f", name, "-o", "out")
    assert written.status == 1
    assert written.output == "1 file, 0 valid → out\n"
    if name != "html":  # it has the time
        assert Path("out").read_text(encoding="utf-8") == printed.output


@pytest.mark.parametrize("out", IMPLIED)
def test_the_name_of_the_output_implies_the_format(out: str) -> None:
    assert run("validate", "s.sculpt", "a.csv", "-o", out).status == 1
    text = Path(out).read_text(encoding="utf-8")
    assert text.lower().startswith(BEGINS[IMPLIED[out]].lower())


def test_the_format_that_is_given_counts() -> None:
    run("validate", "s.sculpt", "a.csv", "-o", "r.csv", "-f", "json")
    assert json.loads(Path("r.csv").read_text(encoding="utf-8"))["version"] == 1


def test_standard_output_can_be_named() -> None:
    assert run("validate", "s.sculpt", "a.csv", "-o", "-", "-f", "csv").output.startswith("file,")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("data", ["a.csv", "good.csv", "no.csv"])
def test_the_exit_status_is_the_same_in_every_format(name: str, data: str) -> None:
    Path("good.csv").write_bytes(b"name,age\nAda,1\n")
    status = {"a.csv": 1, "good.csv": 0, "no.csv": 3}[data]
    assert run("validate", "s.sculpt", data, "-f", name).status == status
    assert run("validate", "s.sculpt", "good.csv", data, "-f", name).status == status


@pytest.mark.parametrize("name", FORMATS)
def test_standard_input_has_a_name_in_every_format(name: str) -> None:
    outcome = run("validate", "s.sculpt", "-", "-f", name, stdin=b"name,age\nAda,x\n")
    assert outcome.status == 1
    assert "found `x`" in outcome.output


def test_a_page_without_data() -> None:
    Path("a.csv").write_bytes(b"name,age\nAda,secret\n")
    run("validate", "s.sculpt", "a.csv", "-o", "with.html")
    run("validate", "s.sculpt", "a.csv", "-o", "without.html", "--no-data")
    assert b"secret" in Path("with.html").read_bytes()
    assert b"secret" not in Path("without.html").read_bytes()
    outcome = run("validate", "s.sculpt", "a.csv", "--no-data")
    assert (outcome.status, outcome.output.count("\n")) == (2, 1)


def test_a_page_has_the_exit_status_of_the_run() -> None:
    Path("good.csv").write_bytes(b"name,age\nAda,1\n")
    call = ("validate", "s.sculpt", "good.csv", "--engine", "reference", "-o", "r.html")
    for more, status in (([], 0), (["--min-coverage", "90"], 1), (["no.csv"], 3)):
        assert run(*call, *more).status == status
    outcome = run("validate", "s.sculpt", "a.csv", "-f", "html", "--engine", "spark")
    assert (outcome.status, outcome.output.count("\n")) == (2, 1)


def test_a_page_on_many_files_keeps_few_of_them_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sculpt.cli.reports.pages.MAX_OPEN", 2)
    Path("many").mkdir()
    for number in range(5):
        rows = ["name,age", *(f"Ada,x{number}" for _ in range(number))]
        Path("many", f"f{number}.csv").write_text("\n".join(rows), encoding="utf-8")
    assert run("validate", "s.sculpt", "many", "--engine", "local", "-o", "r.html").status == 1
    page = Path("r.html").read_text(encoding="utf-8")
    for number in range(5):
        assert f"f{number}.csv" in page
    texts = [number for number in range(1, 5) if f"x{number}" in page]
    assert texts == [3, 4]  # those with most violations are shown, the others are listed


# ------------------------------------------------------------- schemas


@pytest.mark.parametrize("name", ["text", "csv", "frictionless", "html"])
def test_errors_of_a_schema_as_text(name: str) -> None:
    outcome = run("validate", "bad.sculpt", "a.csv", "-f", name, "-o", "out")
    assert outcome.status == 2
    assert "bad.sculpt:3:1: error [not-a-statement]" in outcome.errors
    assert not Path("out").exists()


@pytest.mark.parametrize("name", ["json", "jsonl", "sarif", "junit", "github"])
def test_errors_of_a_schema_in_the_format_of_the_call(name: str) -> None:
    outcome = run("validate", "bad.sculpt", "a.csv", "-f", name)
    assert (outcome.status, outcome.errors) == (2, "")
    assert "not-a-statement" in outcome.output
    written = run("validate", "bad.sculpt", "a.csv", "-f", name, "-o", "out")
    assert (written.status, written.output) == (2, "")
    assert Path("out").read_text(encoding="utf-8") == outcome.output


@pytest.mark.parametrize("name", CheckFormat)
def test_check_takes_several_schemas(name: str) -> None:
    Path("lint.sculpt").write_text("unused = a\nrow(1) -> b\n")
    outcome = run("check", "s.sculpt", "bad.sculpt", "lint.sculpt", "-f", name)
    assert outcome.status == 2
    for code in ("not-a-statement", "unused-token"):
        assert code in outcome.output
    assert run("check", "s.sculpt", "lint.sculpt", "-f", name).status == 0
    assert run("check", "s.sculpt", "lint.sculpt", "-f", name, "--strict").status == 1
    assert run("check", "s.sculpt", "-f", name, "-o", "out").status == 0
    assert Path("out").exists()


def test_check_infers_only_what_it_writes() -> None:
    run("check", "bad.sculpt", "-o", "r.sarif")
    assert Path("r.sarif").read_text(encoding="utf-8").startswith(BEGINS["sarif"])
    outcome = run("check", "bad.sculpt", "-o", "r.xml")
    assert outcome.status == 2
    assert (
        outcome.output
        == "error: r.xml: this command does not write junit; choose with `--format`\n"
    )


# ------------------------------------------------------------- outputs that are inputs


@pytest.mark.parametrize("out", ["a.csv", "s.sculpt", "t.inc", "linked.csv", "data/new.json"])
def test_a_report_never_replaces_an_input(out: str) -> None:
    Path("data").mkdir()
    Path("data/b.csv").write_bytes(b"name,age\n")
    Path("linked.csv").symlink_to("a.csv")
    before = contents()
    for call in (["validate", "s.sculpt", "a.csv", "data"], ["check", "s.sculpt"]):
        if call[0] == "check" and out not in ("s.sculpt", "t.inc"):
            continue
        for name in ("json", "text", "sarif"):
            outcome = run(*call, "-f", name, "-o", out)
            assert (outcome.status, outcome.output.count("\n")) == (2, 1), outcome.output
    assert contents() == before


@pytest.mark.parametrize("out", ["bad.sculpt", "t.inc", "a.csv"])
def test_neither_do_the_errors_of_a_schema(out: str) -> None:
    before = contents()
    outcome = run("validate", "bad.sculpt", "a.csv", "-f", "sarif", "-o", out)
    assert (outcome.status, outcome.output.count("\n")) == (2, 1)
    assert "name another output" in outcome.output
    if out != "a.csv":
        assert run("check", "bad.sculpt", "-f", "sarif", "-o", out).status == 2
    assert contents() == before


def test_a_summary_never_replaces_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "a.csv")
    before = contents()
    assert run("validate", "s.sculpt", "a.csv", "-f", "github").status == 2
    assert contents() == before


def test_a_summary_is_appended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    run("validate", "s.sculpt", "a.csv", "-f", "github")
    text = Path("summary.md").read_text(encoding="utf-8")
    assert text.startswith("before\n### Sculpt: 1 file, 0 valid\n")
    run("validate", "s.sculpt", "a.csv", "-f", "json")
    assert Path("summary.md").read_text(encoding="utf-8") == text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/summary.md")
    outcome = run("validate", "s.sculpt", "a.csv", "-f", "github")
    assert outcome.status == 3
    assert outcome.errors.startswith("error: no/summary.md: the summary cannot be written")


# ------------------------------------------------------------- hostile texts


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_texts_in_every_format(name: str) -> None:
    data = quoted_csv(HOSTILE) + b"\xff\xfe,\xff\n" + b"x" * 10_000_000 + b",1\n"
    Path("a\x1b[31m.csv").write_bytes(data)
    outcome = run("validate", "s.sculpt", "a\x1b[31m.csv", "-f", name)
    assert outcome.status == 1
    assert len(outcome.output) < 200_000
    if name in ("text", "json", "jsonl", "sarif", "junit", "github", "frictionless"):
        assert "\x1b" not in outcome.output
        assert "\x9b" not in outcome.output


def test_a_terminal_never_gets_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    from sculpt.cli.reports import delivery

    class Terminal(list[str]):
        def write(self, text: str) -> None:
            self.append(text)

        def flush(self) -> None: ...
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    delivery.deliver(["a,\x1b[31mred", "two\nlines \u202e\x9b"], None)
    assert "".join(terminal) == "a,\ufffd[31mred\ntwo\nlines \ufffd\ufffd\n"


# ------------------------------------------------------------- disks and pipes


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sculpt", *arguments]
    return subprocess.run(command, text=True, timeout=120, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("name", FORMATS)
def test_a_full_disk_is_one_line(name: str) -> None:
    with open("/dev/full", "w") as full:
        call = ("validate", "s.sculpt", "a.csv", "-f", name)
        done = process(*call, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        3,
        "error: the output cannot be written: no space left on device\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("option", ["-o", "--good-to", "--bad-to"])
def test_a_full_disk_under_a_named_output_is_one_line(option: str) -> None:
    done = process("validate", "s.sculpt", "a.csv", option, "/dev/full", capture_output=True)
    assert done.returncode == 3
    assert done.stderr == "error: /dev/full: cannot be written: no space left on device\n"


@pytest.mark.parametrize("name", FORMATS)
def test_a_closed_pipe_is_no_error(name: str) -> None:
    Path("a.csv").write_bytes(b"name,age\n" + b"Ada,x\n" * 20_000)
    command = [sys.executable, "-m", "sculpt", "validate", "s.sculpt", "a.csv", "-f", name]
    call = [*command, "--max-violations", "20000"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        errors = running.stderr.read()
        assert (running.wait(120), errors) == (1, b"")


def test_formats_are_imported_when_they_are_used() -> None:
    code = (
        "import sys\nfrom sculpt.cli.main import run_call\n"
        "run_call(['validate', 's.sculpt', 'a.csv', *sys.argv[1:]])\n"
        "print(*[m for m in sys.modules if 'sculpt.report.' in m or 'sculpt.cli.' in m])\n"
    )
    for more, expected in (([], []), (["-f", "csv"], ["checks", "delimited", "table"])):
        call = [sys.executable, "-c", code, *more]
        done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
        modules = done.stdout.splitlines()[-1].split()
        prefix = "sculpt.report.formats."
        assert sorted(each.removeprefix(prefix) for each in modules if prefix in each) == expected
        assert not [each for each in modules if "sculpt.report.lists" in each]
