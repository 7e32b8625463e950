"""Whatever ends a run early, nothing is half-written and nothing is left behind.

Promised for Ctrl-C, SIGTERM and SIGHUP at any point: an exit status that says so (3, 143, 129), one
line on standard error, the output as it was before, and no new file: not beside the output, not
beside the data, not in the directory for temporary files, where entries of keys wait, too. A full
disk is exit status 3, with a message that names the output or that directory. A closed pipe
(`| head`) changes nothing.

The points do not depend on timing: an exception is raised at one line of our code after another; a
process sends itself the signal when it calls a certain function; or it waits for a pipe that the
test knows to be empty.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import gzip
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest

import sculpt
from sculpt.cli import commands
from sculpt.cli import program_output as running
from sculpt.cli.program_output import Call
from sculpt.cli.terminal import InterruptedRunError, StopError
from sculpt.policy import Policy
from sculpt.transform import atomic as placing

PEOPLE = "row(1) -> name, age\ncol(age) -> Any\n"
ONE = PEOPLE + "For each cell v in col(age) { emit Age(v: v) }\n"
ALL = PEOPLE + 'For each cell v in col(age) { emit Age(v: v); print v; annotate v with "x" }\n'
LINES = PEOPLE + "For each cell v in col(age) { print v }\n"
BAD = "row(1) -> name, age\ncol(age) -> x\n"
SWEEPS = "up*(x) -> Any*\n"
KEYS = ONE + "key(col(age)) across files\n"
ROWS = 12_000
ENTRIES = 60_000
"""More entries than fit into the least memory that may be asked for."""
LEAST = 1 << 19
"""At least this many bytes of them go to disk."""
STATUS = {signal.SIGINT: 3, signal.SIGTERM: 143, signal.SIGHUP: 129}
SIGNALS = list(STATUS)
PATIENCE = 120

SPOOLING = """
from sculpt.engines.walk import sweeps
from sculpt.kernels import choice
from sculpt.tabular import inputs as source
from sculpt.transform import outputs
source.PATIENCE = 1_000_000  # a thread that is given up has failed us
for module in (sweeps, source, outputs):
    module.MAX_HELD = 1000
if {"sweeps.sculpt", "pipe"} & set(sys.argv):
    choice.SMALL_FOR_LIBRARY = 1000  # only compiled kernels need a file and read on in threads
"""
"""Code that makes everything that is kept go to a temporary file at once."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data, an earlier output, and a directory for temporary files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    for name in ("temporary", "empty", "disk"):
        Path(name).mkdir()
    schemas = {
        "one": ONE,
        "all": ALL,
        "lines": LINES,
        "sweeps": SWEEPS,
        "untidy": f"\n\n{PEOPLE}",
        "bad": BAD,
        "keys": KEYS,
    }
    for name, text in schemas.items():
        Path(f"{name}.sculpt").write_text(text, encoding="utf-8")
    few = "name,age\n" + "ann,1\n" * 30
    Path("few.csv").write_text(few, encoding="utf-8")
    Path("more.csv.gz").write_bytes(gzip.compress(f"x\n{few}".encode()))
    for ending in ("csv", "json", "parquet"):
        Path(f"old.{ending}").write_text("before\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def many(folder: Path) -> Path:
    """Data whose output is larger than a small disk and than what a pipe holds."""
    path = Path("many.csv")
    rows = (f"a,{7919 * ix:08d}\n" for ix in range(ROWS))
    path.write_text("name,age\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def entries(folder: Path) -> Path:
    """Data with more entries of keys than `--memory 1MB` holds."""
    path = Path("entries.csv")
    rows = (f"a,{7919 * ix:09d}\n" for ix in range(ENTRIES))
    path.write_text("name,age\n" + "".join(rows), encoding="utf-8")
    return path


def contents() -> dict[str, bytes | None]:
    """All files and directories of the current directory, with what is in them."""
    found = sorted(Path().rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in found}


def restore(kept: dict[str, bytes | None]) -> None:
    """Restore all files."""
    for name in sorted(set(contents()) - set(kept), reverse=True):
        Path(name).unlink() if Path(name).is_file() else Path(name).rmdir()
    for name, data in kept.items():
        if data is None:
            Path(name).mkdir(exist_ok=True)
        elif Path(name).read_bytes() != data:
            Path(name).write_bytes(data)


def command(*arguments: str, before: str = "") -> list[str]:
    """The command for a separate process, after some code."""
    code = f"import sys\n{before}\nfrom sculpt.cli import main\nmain()"
    return [sys.executable, "-c", code, *arguments]


def run(*arguments: str, before: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, before=before),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def assert_interrupted(status: int, errors: str, sent: signal.Signals) -> None:
    assert status == STATUS[sent], errors
    told = [line for line in errors.splitlines() if not line.startswith("compiling the kernels")]
    assert len(told) == 1, errors
    assert told[0].startswith(("error: interrupted", "error: terminated")), errors


# ---------------------------------------------------------------- at every line


class At:
    """Raises `KeyboardInterrupt` in the main thread at the n-th line that runs in some files."""

    def __init__(self, line: int, *files: str) -> None:
        self.left = line
        self.where = ""
        self._files = files
        self._trace: Any = None

    def __enter__(self) -> At:
        self._trace = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._trace)

    def _called(self, frame: FrameType, event: str, _: object) -> Any:
        name = frame.f_code.co_filename
        return self._went_on if any(file in name for file in self._files) else None

    def _went_on(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self._went_on


def place_file(path: str) -> None:
    with placing.placed(path) as temporary:
        Path(temporary).write_text("after\n", encoding="utf-8")


def place_directory(path: str) -> None:
    with placing.placed_directory(path) as temporary:
        (Path(temporary) / "file").write_text("after\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (place_file, "old.csv"),
        (place_file, "new.csv"),
        (place_directory, "empty"),
        (place_directory, "new"),
    ],
)
def test_an_output_is_there_whole_or_not_at_all(place: Callable[[str], None], path: str) -> None:
    before = contents()
    for line in range(1, 1000):
        with At(line, "/atomic.py") as point:
            try:
                place(path)
            except KeyboardInterrupt:
                pass
            else:
                break  # it ended before that line
        if contents() != before:  # the interrupt came after everything was done
            assert point.left == 0
            break
    after = contents()
    assert line > 20
    assert not [name for name in after if "/." in f"/{name}"]
    assert {name: data for name, data in after.items() if not name.startswith(path)} == {
        name: data for name, data in before.items() if not name.startswith(path)
    }
    assert after[path if place is place_file else f"{path}/file"] == b"after\n"


def write_records(schema: str, out: str) -> None:
    loaded = sculpt.Schema.load(f"{schema}.sculpt")
    running.run_here(Call(loaded, ["few.csv"], Policy.REFUSE, out, None, None), "local", 1)


def write_region(schema: str, out: str) -> None:
    loaded = sculpt.Schema.load(f"{schema}.sculpt")
    running.extract_region(loaded, "few.csv", "true", out, None, "local")


def write_schema(schema: str, out: str) -> None:
    commands.fmt([f"{schema}.sculpt"], write=True, check_only=False)


def write_or_stop(write: Callable[[str, str], None], schema: str, out: str) -> None:
    try:  # noqa: SIM105 - the interrupt may come in the lines of `suppress` itself
        write(schema, out)
    except (KeyboardInterrupt, InterruptedRunError, StopError):
        pass
    # A context manager that is interrupted before it begins to end is ended when it is collected,
    # at the latest with the process.
    gc.collect()


POINTS = 30


# A file that was opened, but not yet entered in a `with`, is closed by garbage collection.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("write", "schema", "out"),
    [
        (write_records, "one", "old.csv"),
        (write_records, "one", "new.parquet"),
        (write_records, "all", "empty"),
        (write_region, "one", "old.json"),
        (write_schema, "untidy", ""),
    ],
)
def test_an_interrupt_all_along_the_way_to_an_output(
    write: Callable[[str, str], None], schema: str, out: str
) -> None:
    before = contents()
    watched = ("sculpt/transform/", "sculpt/cli/", "/contextlib.py", "/tempfile.py")
    with At(0, *watched) as counted:
        write_or_stop(write, schema, out)
    after, lines = contents(), -counted.left
    assert after != before
    for line in range(1, lines, lines // POINTS):
        restore(before)
        threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
        with At(line, *watched) as point:
            write_or_stop(write, schema, out)
        assert contents() in (before, after), point.where
        if "/contextlib.py" in point.where:
            continue  # `ExitStack` forgets what it is about to close: that ends with the process
        assert threading.active_count() <= threads, point.where
        assert len(os.listdir("/dev/fd")) <= files, point.where


# ---------------------------------------------------------------- a signal at a certain call


def sent_at(function: str, sent: signal.Signals) -> str:
    """Code that makes the process send itself a signal when it calls a function."""
    module, name = function.rsplit(":", 1)
    return f"""
import importlib, os, signal
place = importlib.import_module({module!r})
for part in {name!r}.split(".")[:-1]:
    place = getattr(place, part)
last = {name!r}.split(".")[-1]
own = getattr(place, last)
def told(*given, **named):
    setattr(place, last, own)  # once: a second signal is another matter
    os.kill(os.getpid(), signal.{sent.name})
    return own(*given, **named)
setattr(place, last, told)
"""


LISTS = "--violations-to old.csv --good-to new.csv --bad-to newer.csv"
LISTING = "sculpt.report.lists.violations:_CsvWriter.write"
COPYING = "sculpt.engines.results.raw_rows:RawRows.pieces"
WRITING = "sculpt.transform.writers.writer:Output.put"
MOVING = "os:replace"


@pytest.mark.parametrize(
    ("arguments", "function", "sent"),
    [
        ("run one.sculpt few.csv -o old.csv", WRITING, signal.SIGINT),
        ("run one.sculpt few.csv -o old.json", WRITING, signal.SIGHUP),
        ("run one.sculpt few.csv -o old.parquet", "pyarrow.parquet:ParquetWriter", signal.SIGTERM),
        ("run one.sculpt few.csv -o old.parquet", MOVING, signal.SIGINT),
        ("run all.sculpt few.csv -o empty", WRITING, signal.SIGTERM),
        ("run all.sculpt few.csv -o new/", "os:rename", signal.SIGINT),
        ("extract one.sculpt few.csv true -o old.csv", WRITING, signal.SIGTERM),
        ("extract one.sculpt few.csv true -o old.csv", MOVING, signal.SIGHUP),
        ("validate one.sculpt few.csv -o old.json", MOVING, signal.SIGINT),
        ("validate one.sculpt few.csv -o old.csv", "os:open", signal.SIGHUP),
        (f"validate bad.sculpt few.csv {LISTS}", LISTING, signal.SIGTERM),
        (f"validate bad.sculpt few.csv {LISTS}", COPYING, signal.SIGINT),
        (f"validate bad.sculpt few.csv {LISTS}", MOVING, signal.SIGHUP),
        ("validate bad.sculpt few.csv more.csv.gz --good-to new", COPYING, signal.SIGTERM),
        ("validate bad.sculpt few.csv more.csv.gz --bad-to empty", "os:rename", signal.SIGINT),
        ("fmt --write untidy.sculpt", MOVING, signal.SIGINT),
        ("fmt --write untidy.sculpt", "os:open", signal.SIGTERM),
    ],
)
def test_a_signal_while_an_output_is_written(
    arguments: str, function: str, sent: signal.Signals
) -> None:
    before = contents()
    done = run(*arguments.split(), before=sent_at(function, sent))
    assert_interrupted(done.returncode, done.stderr, sent)
    assert contents() == before


IN_CODE = """
import os, signal, sculpt
from sculpt.cli import main
def told(*_):
    exec("os.kill(os.getpid(), signal.{})")
sculpt.Schema.load = told
main()
"""
"""A program that sends itself a signal in code that `exec` runs, as it does for value classes."""


@pytest.mark.parametrize("sent", SIGNALS)
def test_a_signal_while_a_module_runs_a_piece_of_code(sent: signal.Signals) -> None:
    Path("told.py").write_text(IN_CODE.format(sent.name), encoding="utf-8")
    call = [sys.executable, "-m", "told", "validate", "one.sculpt", "few.csv"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert_interrupted(done.returncode, done.stderr, sent)


SPILLING = "sculpt.checks.identities.store:Store.write"
READING = "sculpt.checks.identities.store:Store.read"


@pytest.mark.parametrize(
    ("arguments", "function", "sent"),
    [
        ("validate keys.sculpt entries.csv", SPILLING, signal.SIGINT),
        ("validate keys.sculpt entries.csv", READING, signal.SIGTERM),
        (f"validate keys.sculpt entries.csv {LISTS}", READING, signal.SIGHUP),
        ("run keys.sculpt entries.csv -o old.csv", SPILLING, signal.SIGTERM),
        ("run keys.sculpt entries.csv -o old.csv", READING, signal.SIGINT),
    ],
)
def test_a_signal_while_entries_are_spilled_and_read(
    arguments: str, function: str, sent: signal.Signals, entries: Path
) -> None:
    before = contents()
    done = run(*arguments.split(), "--memory", "1MB", before=sent_at(function, sent))
    assert_interrupted(done.returncode, done.stderr, sent)
    assert done.stdout == ""
    assert contents() == before


# ---------------------------------------------------------------- a pipe that gives nothing more


@contextlib.contextmanager
def waiting(given: bytes, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has read everything from a pipe, and waits for more."""
    os.mkfifo("pipe")
    with subprocess.Popen(
        command(*arguments, before=SPOOLING),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            with opened_by(running, "pipe") as stream:
                stream.write(given)
                until(running, lambda: unread(stream) == 0)
                yield running
        finally:
            running.kill()
            Path("pipe").unlink()


@contextlib.contextmanager
def opened_by(running: subprocess.Popen[str], pipe: str) -> Iterator[IO[bytes]]:
    """The writing end of a named pipe that a process has opened for reading."""
    ends: list[int] = []

    def is_read() -> bool:
        with contextlib.suppress(OSError):  # nobody reads it yet
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    until(running, is_read)
    os.set_blocking(ends[0], True)
    with open(ends[0], "wb", buffering=0) as stream:
        yield stream


def unread(stream: IO[bytes]) -> int:
    """How many bytes of a pipe have not been read yet."""
    answer = fcntl.ioctl(stream, termios.FIONREAD, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def until(running: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert running.poll() is None, "the process has ended"
        assert time.monotonic() < end
        time.sleep(0.005)


LITTLE, MUCH = b"na", b"name,age\n" + b"ann,1\n" * 8000


@pytest.mark.parametrize(
    ("given", "arguments", "sent"),
    [
        (LITTLE, "validate one.sculpt pipe", signal.SIGINT),
        (LITTLE, "validate one.sculpt pipe", signal.SIGTERM),
        (MUCH, "validate one.sculpt pipe", signal.SIGHUP),
        (MUCH, "validate sweeps.sculpt pipe", signal.SIGINT),
        (MUCH, "validate one.sculpt pipe --format json --engine reference", signal.SIGINT),
        (LITTLE, "run one.sculpt pipe -o old.csv", signal.SIGTERM),
        (MUCH, "run one.sculpt pipe -o old.json", signal.SIGINT),
        (MUCH, "run all.sculpt pipe -o empty", signal.SIGHUP),
        (MUCH, "select one.sculpt pipe true", signal.SIGINT),
        (LITTLE, "extract one.sculpt pipe true -o old.parquet", signal.SIGINT),
        (MUCH, "extract one.sculpt pipe true -o old.parquet", signal.SIGTERM),
    ],
)
def test_a_signal_while_a_run_waits_for_data(
    given: bytes, arguments: str, sent: signal.Signals
) -> None:
    before = contents()
    with waiting(given, *arguments.split()) as running:
        running.send_signal(sent)
        out, errors = running.communicate(timeout=PATIENCE)
    assert_interrupted(running.returncode, errors, sent)
    assert out == ""
    assert contents() == before


def has_spilled(running: subprocess.Popen[str]) -> bool:
    """Has a process open a file without a name in which entries wait?"""
    for each in Path(f"/proc/{running.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            name, size = str(each.readlink()), each.stat().st_size
            if "/temporary/" in name and name.endswith(" (deleted)") and size > LEAST:
                return True
    return False


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("validate keys.sculpt entries.csv pipe", signal.SIGINT),
        ("validate keys.sculpt entries.csv pipe -o old.json", signal.SIGTERM),
        ("validate keys.sculpt entries.csv pipe --violations-to old.csv", signal.SIGHUP),
    ],
)
def test_a_signal_while_entries_wait_on_disk(
    arguments: str, sent: signal.Signals, entries: Path
) -> None:
    before = contents()
    with waiting(LITTLE, *arguments.split(), "--memory", "1MB") as running:
        until(running, lambda: has_spilled(running))
        assert list(Path("temporary").iterdir()) == []
        running.send_signal(sent)
        out, errors = running.communicate(timeout=PATIENCE)
    assert_interrupted(running.returncode, errors, sent)
    assert out == ""
    assert contents() == before


# ---------------------------------------------------------------- a reader that goes away


@pytest.mark.parametrize(
    "arguments",
    [
        "select one.sculpt many.csv true",
        "select one.sculpt many.csv true --format json",
        "extract one.sculpt many.csv true",
        "run one.sculpt many.csv",
        "run one.sculpt many.csv --format parquet",
        "run lines.sculpt many.csv",
        "run all.sculpt many.csv --only annotations",
    ],
)
def test_a_reader_that_goes_away_changes_nothing(arguments: str, many: Path) -> None:
    before = contents()
    with subprocess.Popen(
        command(*arguments.split()),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pipesize=4096,  # some systems let a pipe hold all of the output
    ) as running:
        assert running.stdout is not None
        assert len(running.stdout.read(10)) == 10
        running.stdout.close()
        assert running.stderr is not None
        errors = running.stderr.read().decode()
        assert running.wait(timeout=PATIENCE) == 0, errors
    assert errors == ""
    assert contents() == before


# ---------------------------------------------------------------- a disk that is full

ON_SMALL_DISK = """
mount -t tmpfs -o size=64k tmpfs disk || exit 77
cp large.sculpt disk/
echo before > disk/old.csv
"$@"
status=$?
{ ls -A disk; cat disk/old.csv; cmp large.sculpt disk/large.sculpt; } > left
exit $status
"""


LEFT = "large.sculpt\nold.csv\nbefore\n"


def run_on_small_disk(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where `disk` is a private disk of 64 KB."""
    if shutil.which("unshare") is None:
        pytest.skip("needs a small disk")
    Path("large.sculpt").write_text(f"\n\n{PEOPLE}% {'x' * 40_000}\n", encoding="utf-8")
    wrapped = ["unshare", "-m", "sh", "-c", ON_SMALL_DISK, "sh"]
    done = subprocess.run(
        [*wrapped, *command(*arguments, before=SPOOLING)],
        input=Path("many.csv").read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode in (1, 77) and ("unshare:" in done.stderr or "mount:" in done.stderr):
        pytest.skip("needs a small disk, which needs the rights to mount one")
    return done


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("run one.sculpt many.csv -o disk/old.csv", "disk/old.csv"),
        ("run one.sculpt many.csv -o disk/new.json", "disk/new.json"),
        ("run one.sculpt many.csv -o disk/new.parquet", "disk/new.parquet"),
        ("run all.sculpt many.csv -o disk/all", "disk/all"),
        ("run lines.sculpt many.csv -o disk/new.txt", "disk/new.txt"),
        ("extract one.sculpt many.csv true -o disk/old.csv", "disk/old.csv"),
        ("fmt --write disk/large.sculpt", "disk/large.sculpt"),
    ],
)
def test_a_full_disk_leaves_the_output_as_it_was(arguments: str, named: str, many: Path) -> None:
    done = run_on_small_disk(*arguments.split())
    assert done.returncode == 3, done.stderr
    assert done.stderr == (f"error: {named}: cannot be written: no space left on device\n")
    assert Path("left").read_text() == LEFT


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        "select one.sculpt many.csv true --format json",
        "extract one.sculpt many.csv true",
        "fmt long.sculpt",
    ],
)
def test_a_standard_output_that_is_cut_is_a_failed_run(
    arguments: str, unbuffered: str, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    Path("long.sculpt").write_text(PEOPLE + "% x\n" * 20_000, encoding="utf-8")
    limited = ["sh", "-c", 'ulimit -f 32; exec "$@" > out', "sh", *command(*arguments.split())]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 3
    assert done.stderr == "error: the output cannot be written: file too large\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "validate one.sculpt -",
        "validate sweeps.sculpt many.csv",
        "select one.sculpt many.csv.gz true",
        "run one.sculpt - -o old.csv",
        "run one.sculpt many.csv",
        "run lines.sculpt many.csv -o new.txt",
        "run all.sculpt many.csv -o empty",
        "extract one.sculpt many.csv true",
    ],
)
def test_a_full_directory_for_temporary_files_is_named(
    arguments: str, many: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(folder / "disk"))
    Path("many.csv.gz").write_bytes(gzip.compress(many.read_bytes()))
    before = contents()
    done = run_on_small_disk(*arguments.split())
    assert done.returncode == 3, (done.stdout, done.stderr)
    told = done.stdout + done.stderr
    assert f"the temporary file in {folder}/disk cannot be written: no space left on device" in told
    assert "Traceback" not in told
    assert Path("left").read_text() == LEFT
    for name in ("left", "large.sculpt"):
        Path(name).unlink()
    assert contents() == before


FULL = (
    "error: {}: the temporary directory is full (no space left on device): the entries of keys and"
    " references do not fit into memory; set TMPDIR to a directory with more room, or allow more"
    " with --memory\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        "validate keys.sculpt entries.csv",
        "validate keys.sculpt few.csv entries.csv -f json --threads 2",
        f"validate keys.sculpt entries.csv {LISTS}",
        "run keys.sculpt entries.csv -o old.csv",
    ],
)
def test_a_disk_that_is_full_of_entries(
    arguments: str, entries: Path, many: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(folder / "disk"))
    before = contents()
    done = run_on_small_disk(*arguments.split(), "--memory", "1MB")
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert done.stderr == FULL.format(folder / "disk")
    assert Path("left").read_text() == LEFT
    for name in ("left", "large.sculpt"):
        Path(name).unlink()
    assert contents() == before


def test_entries_that_no_file_may_hold(entries: Path) -> None:
    before = contents()
    validate = command("validate", "keys.sculpt", "entries.csv", "--memory", "1MB")
    limited = ["sh", "-c", 'ulimit -f 32; exec "$@"', "sh", *validate]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "/temporary: the temporary directory cannot be used (file too large): " in done.stderr
    assert done.stderr.count("\n") == 1
    assert contents() == before
