"""Execute the documentation: write every file that it shows, run every command.

In a page, a block with `file=NAME` in its info string is written to a scratch folder; a `console`
block holds commands after `$ ` and their output; a `pycon` block is a doctest. `make docs` updates
the output in the pages, and `python tools/executed_docs.py PAGE…` that of some; a test fails if a
page would change.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from sculpt.cli.main import run_call

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCTEST = "--doctest"
_BLOCK = re.compile(r"^```(\w+)?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Outcome:
    """What a command printed, standard output first, and its exit status."""

    status: int
    output: str
    errors: str


def run_command(arguments: list[str], stdin: bytes = b"") -> Outcome:
    """Run `sculpt` with these arguments, in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), newline="\n"), io.StringIO()
    old = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run_call(arguments)
    finally:
        sys.stdin = old
    out.flush()
    printed = out.buffer.getvalue().decode("utf-8", "backslashreplace")
    return Outcome(status, printed + err.getvalue(), err.getvalue())


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A scratch folder for one page, with the examples of the project in it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        try:
            # Pages are as wide as they would be without a terminal; Spark's workers need a Python.
            with mock.patch.dict(os.environ, COLUMNS="80", PYSPARK_PYTHON=sys.executable):
                yield folder
        finally:
            os.chdir(before)


def refreshed(page: Path) -> str:
    """The page with the current output of its commands; a failed doctest raises an error."""
    with scratch_folder():
        return _BLOCK.sub(_refreshed_block, page.read_text(encoding="utf-8"))


def _refreshed_block(match: re.Match[str]) -> str:
    language, info, body = match[1] or "", match[2], match[3]
    if name := re.search(r"\bfile=(\S+)", info):
        path = Path(name[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    elif language == "console":
        body = "".join(
            _refreshed_command(entry) for entry in re.split(r"^(?=\$ )", body, flags=re.M)
        )
    elif language == "pycon":
        _run_doctest(body)
    return f"```{language}{info}\n{body}```"


def _refreshed_command(entry: str) -> str:
    command, _, _ = entry.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ ")) or [""]
    if program != "sculpt":
        return entry  # `make demo` and the like: shown, run elsewhere
    printed = run_command(arguments).output.rstrip("\n")
    gap = "\n" if entry.endswith("\n\n") else ""  # a blank line before the next command
    return f"{command}\n{printed}\n{gap}" if printed else f"{command}\n{gap}"


def _run_doctest(body: str) -> None:
    """Run a block; one that starts Spark gets its own process, and so its own Java."""
    if "SparkSession" not in body:
        _check_doctest(body)
        return
    call = [sys.executable, str(Path(__file__).resolve()), DOCTEST]
    done = subprocess.run(call, input=body, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def _check_doctest(body: str) -> None:
    test = doctest.DocTestParser().get_doctest(body, {}, "page", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = io.StringIO()
    runner.run(test, out=report.write)
    assert not runner.summarize(verbose=False).failed, report.getvalue()


def main() -> None:
    """Update the pages that are named, or all; or run one block from standard input."""
    if sys.argv[1:] == [DOCTEST]:
        _check_doctest(sys.stdin.read())
        return
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        page.write_text(refreshed(page), encoding="utf-8")


if __name__ == "__main__":
    main()
