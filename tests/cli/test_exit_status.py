"""No failure ends with status 0 or 1, which are verdicts. Real processes, with one part broken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VALIDATE = ("validate", "people.sculpt", "good.csv")
MISTAKE = "this is a bug in sculpt, please report it: "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.sculpt").write_text("row(1) -> name, years\ncol(years) -> Integer\n")
    Path("good.csv").write_text("name,years\nAda,36\n")
    Path("bad.csv").write_text("name,years\nAda,x\n")
    return tmp_path


def run(
    *arguments: str, before: str = "", settings: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run the command in a separate process, after some code."""
    code = f"import sys\n{before}\nfrom sculpt.cli import main\nmain()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE),
        text=True,
        env={**os.environ, **(settings or {})},
        timeout=120,
        check=False,
        **options,
    )


def raising(error: str, where: str = "sculpt.engines.local.validate") -> str:
    """Code that makes a function raise an error."""
    return (
        "import argparse\n"
        "from unittest import mock\n"
        "class Odd(BaseException): pass\n"
        f"mock.patch({where!r}, side_effect={error}).start()\n"
    )


def test_the_commands_say_what_they_found() -> None:
    assert run(*VALIDATE).returncode == 0
    assert run("validate", "people.sculpt", "bad.csv").returncode == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("EOFError()", f"{MISTAKE}EOFError"),
        ("EOFError('ran out')", f"{MISTAKE}EOFError: ran out"),
        ("argparse.ArgumentError(None, 'no')", f"{MISTAKE}ArgumentError: no"),
        ("argparse.ArgumentTypeError()", f"{MISTAKE}ArgumentTypeError"),
        ("SystemExit(0)", f"{MISTAKE}SystemExit: 0"),
        ("SystemExit(1)", f"{MISTAKE}SystemExit: 1"),
        ("SystemExit()", f"{MISTAKE}SystemExit"),
        ("GeneratorExit()", f"{MISTAKE}GeneratorExit"),
        ("Odd('one\\ntwo')", f"{MISTAKE}Odd: one two"),
        ("RecursionError('too deep')", f"{MISTAKE}RecursionError: too deep"),
        ("MemoryError()", "out of memory"),
        ("BrokenPipeError(32, 'Broken pipe')", "the run failed: broken pipe"),
        (
            "OSError(28, 'No space left on device', '/tmp/x')",
            "the run failed: no space left on device (/tmp/x)",
        ),
        ("ImportError('no such thing')", "sculpt is not installed properly: ImportError: no such"),
    ],
)
def test_whatever_is_raised_is_a_failed_run(error: str, told: str) -> None:
    done = run(*VALIDATE, before=raising(error))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {told}")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_that_is_raised_is_a_failed_run() -> None:
    done = run(*VALIDATE, before=raising("KeyboardInterrupt()"))
    assert (done.returncode, done.stderr[:18]) == (3, "error: interrupted")


@pytest.mark.parametrize("error", ["EOFError()", "MemoryError()", "SystemExit(0)"])
def test_a_failure_while_the_report_is_printed(error: str) -> None:
    done = run(*VALIDATE, before=raising(error, "sculpt.cli.reports.text.run_text"))
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1


def test_a_failure_while_the_error_is_printed() -> None:
    broken = raising("EOFError()") + raising("MemoryError()", "sculpt.cli.terminal.remark")
    done = run(*VALIDATE, before=broken)
    assert (done.returncode, done.stderr) == (3, f"error: {MISTAKE}EOFError\n")


def test_a_mistake_can_be_looked_into() -> None:
    done = run(*VALIDATE, before=raising("EOFError()"), settings={"SCULPT_DEBUG": "1"})
    assert done.returncode == 3
    assert done.stderr.startswith("Traceback")


# ---------------------------------------------------------------- imports


@pytest.mark.parametrize(
    "name", ["sculpt.syntax.lalr", "argparse", "rich.console", "sculpt.errors"]
)
def test_a_broken_installation_is_a_failed_run(name: str) -> None:
    settings = {"FORCE_COLOR": "1", "NO_COLOR": ""} if name.startswith("rich") else {}
    done = run(*VALIDATE, before=f"sys.modules[{name!r}] = None", settings=settings)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: sculpt is not installed properly: ModuleNotFoundError: ")
    assert done.stderr.count("\n") == 1


WHILE_IMPORTING = """
import os, signal
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.{signal})
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["sculpt.api", "argparse", "sculpt.cli.terminal", "sculpt.schema"])
@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [("SIGINT", 3, "error: interrupted\n"), ("SIGTERM", 143, "error: terminated\n")],
)
def test_a_signal_during_the_import(name: str, sent: str, status: int, told: str) -> None:
    done = run(*VALIDATE, before=WHILE_IMPORTING.format(name=name, signal=sent))
    assert (done.returncode, done.stdout, done.stderr) == (status, "", told)


# ---------------------------------------------------------------- signals


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_told_to_end_leaves_nothing(
    folder: Path, sent: signal.Signals, status: int
) -> None:
    Path("emit.sculpt").write_text("For each cell v in true { emit Cell(v: v) }\n")
    Path("out.csv").write_text("before\n")
    before = sorted(path.name for path in folder.iterdir())
    command = [sys.executable, "-u", "-m", "sculpt", "run", "emit.sculpt", "-", "-o", "out.csv"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        # More than a pipe holds: once all of it is taken, the run has started reading.
        running.stdin.write(b"name,years\n" * 20_000)
        running.stdin.flush()
        running.send_signal(sent)
        out, errors = running.communicate(timeout=120)
    assert (running.returncode, out) == (status, b"")
    assert errors.splitlines()[-1] == b"error: interrupted; nothing was written"
    assert Path("out.csv").read_text() == "before\n"
    assert sorted(path.name for path in folder.iterdir()) == before


ENDED_TWICE = """
import os, signal
from unittest import mock
def ended(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        raise SystemExit("not reached")
    finally:
        try:
            raise OSError("while cleaning up")
        except OSError:
            os.kill(os.getpid(), signal.SIGTERM)
            print("cleaned up", flush=True)
mock.patch("sculpt.engines.local.validate", ended).start()
"""


def test_a_second_signal_does_not_break_off_the_cleaning_up() -> None:
    done = run(*VALIDATE, before=ENDED_TWICE)
    assert (done.returncode, done.stdout) == (143, "cleaned up\n")


LOST = """
import os, signal
from unittest import mock
class Swallows:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
def ended(*_, **__):
    sys.unraisablehook = lambda _: None
    Swallows()
    os.kill(os.getpid(), signal.SIGTERM)
    raise SystemExit("not reached")
mock.patch("sculpt.engines.local.validate", ended).start()
"""


def test_a_signal_that_was_swallowed_can_be_sent_again() -> None:
    assert run(*VALIDATE, before=LOST).returncode == 143


def test_an_ignored_signal_stays_ignored() -> None:
    before = (
        "import os, signal\n"
        "from unittest import mock\n"
        "from sculpt.engines import local\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does\n"
        "own = local.validate\n"
        "def told(*args, **named):\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "    return own(*args, **named)\n"
        "mock.patch('sculpt.engines.local.validate', told).start()\n"
    )
    assert run(*VALIDATE, before=before).returncode == 0


# ---------------------------------------------------------------- streams


def shell(command: str) -> subprocess.CompletedProcess[str]:
    own = f'sculpt() {{ {sys.executable} -m sculpt "$@"; }}\n'
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", own + command],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("sculpt validate people.sculpt bad.csv >&-", 1),
        ("sculpt validate people.sculpt bad.csv 2>&-", 1),
        ("sculpt validate people.sculpt good.csv >&- 2>&- <&-", 0),
        ("sculpt validate people.sculpt absent.csv 2>&-", 3),
        ("sculpt validate absent.sculpt good.csv 2>&-", 2),
        ("sculpt validate 2>&-", 2),
        ("sculpt validate people.sculpt - <&-", 3),
        ("sculpt validate people.sculpt bad.csv | true", 1),
        ("sculpt --help | true", 0),
        ("sculpt validate --help | true", 0),
        ("sculpt --version | true", 0),
    ],
)
def test_closed_streams_change_no_status(command: str, status: int) -> None:
    done = shell(command)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "mistake" not in done.stderr


needs_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is full"
)


@needs_full_device
@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "--version",
        "validate --help",
        "validate people.sculpt good.csv",
        "validate people.sculpt good.csv --format json",
        "check people.sculpt",
        "explain people.sculpt",
        "select people.sculpt good.csv true",
        "extract people.sculpt good.csv true",
        "fmt people.sculpt",
    ],
)
def test_a_full_output_is_a_failed_run(arguments: str) -> None:
    done = shell(f"sculpt {arguments} > /dev/full")
    assert done.returncode == 3
    assert done.stderr == "error: the output cannot be written: no space left on device\n"


@needs_full_device
def test_remarks_that_cannot_be_written_fail_nothing() -> None:
    assert shell("sculpt validate people.sculpt bad.csv 2> /dev/full").returncode == 1
    assert shell("sculpt validate people.sculpt absent.csv 2> /dev/full").returncode == 3
    assert shell("sculpt validate absent.sculpt good.csv 2> /dev/full").returncode == 2
    assert shell("sculpt valdate 2> /dev/full").returncode == 2
    assert shell("sculpt fmt --check people.sculpt 2> /dev/full").returncode in (0, 1)


def test_a_closed_pipe_for_remarks_takes_nothing_from_the_output() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    # The remark that there is no Java comes before the report.
    arguments = ("validate", "people.sculpt", "g*.csv")
    done = run(*arguments, settings={"JAVA_HOME": "/dev"}, stderr=writing)
    os.close(writing)
    assert done.returncode == 0
    assert done.stdout.startswith("good.csv: valid (2 rows × 2 columns)\n1 of 4 cells with text")
