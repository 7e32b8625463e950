"""The entry point: the arguments of the process in, its exit status out.

    0, 1      the verdict of a command that finished
    2         the call or the schema is wrong
    3         the run failed: data, output, memory, interrupt, or a bug in Sculpt
    128 + n   the signal n asked the process to end (143 for SIGTERM, 129 for SIGHUP)

Invariant: no failure ends with 0 or 1. Any exception is shown as one line on standard error, with
no traceback unless `SCULPT_DEBUG` is set. A signal unwinds the run as Ctrl-C does, so temporary
files are removed.

Importing the commands is part of the run, since it too can fail or be interrupted: so this module
imports only the standard library.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NoReturn

WRONG, FAILED, SIGNALLED = 2, 3, 128
SELDOM = 50_000
"""Python looks for garbage when this many more objects were made than freed, instead of 700."""


def main() -> NoReturn:
    """The entry point of the `sculpt` command, which has the process to itself."""
    # A short run keeps nearly every object it makes. Searching these for garbage took 10 of the
    # 220 ms for a small file, and 20 ms at the end of the process, which frees everything anyway.
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)
    raise SystemExit(run_call(sys.argv[1:]))


def run_call(arguments: Sequence[str]) -> int:
    """Run one call; return its exit status. The process may go on afterwards."""
    signals = _Signals()
    try:
        with signals.raised():
            _prepare_streams()
            return _status(arguments, signals)
    except BaseException:  # at the last moment, or while the message was being printed
        return signals.status or FAILED


def _status(arguments: Sequence[str], signals: _Signals) -> int:
    try:
        from sculpt.cli.application import run

        return run(arguments)
    except BaseException as error:
        if os.environ.get("SCULPT_DEBUG"):
            from traceback import print_exc

            print_exc()
        message, status = _meaning(error)
        if signals.status is not None:
            message, status = message or "terminated", signals.status
        _say(message or "interrupted")
        return status


def _meaning(error: BaseException) -> tuple[str, int]:
    """The message of an exception, and its exit status; an interrupt has no message."""
    try:
        from sculpt.cli.terminal import InterruptedRunError
        from sculpt.errors import DataError, RunError, SculptError
    except BaseException:  # the installation is broken, and `error` says where
        known: tuple[type[BaseException], ...] = (KeyboardInterrupt,)
    else:
        if isinstance(error, SculptError):
            return str(error), FAILED if isinstance(error, DataError | RunError) else WRONG
        known = (KeyboardInterrupt, InterruptedRunError)
    if isinstance(error, known):
        return str(error), FAILED
    if isinstance(error, MemoryError):
        return "out of memory", FAILED
    facts = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
    if isinstance(error, ImportError):
        return f"sculpt is not installed properly: {facts}", FAILED
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        return f"the run failed: {error.strerror.lower()}{where}", FAILED
    return f"this is a bug in sculpt, please report it: {facts}", FAILED


def _say(message: str) -> None:
    """Print an error; write plain bytes if nothing else works."""
    try:
        from sculpt.cli.terminal import print_error

        print_error(message)
    except Exception:
        with contextlib.suppress(OSError):
            os.write(2, f"error: {message}\n".encode(errors="replace"))


def _prepare_streams() -> None:
    """Make the standard streams usable, in UTF-8 whatever the locale, as JSON and data are."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # closed by the caller: otherwise the next file opened would take it
            os.open(os.devnull, os.O_RDWR)
    # A missing standard input is not replaced: reading it stays an error.
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # `python -u`: if the disk filled up midway, the rest would be lost without an error.
        sys.stdout = open(sys.stdout.fileno(), "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


class _Interrupt(KeyboardInterrupt):
    """A signal asks the process to end.

    After a plain `KeyboardInterrupt` in `exec`, which compiles methods of value classes, Python
    ends `python -m sculpt` by SIGINT, whatever exit status it is given.
    """


class _Signals:
    """The signals that ask a process to end; each interrupts the run."""

    def __init__(self) -> None:
        self.status: int | None = None
        """The exit status of a run that a signal other than Ctrl-C ended."""
        self._raised: BaseException | None = None

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """Make them raise `KeyboardInterrupt` inside the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {signal.SIGINT: signal.signal(signal.SIGINT, _interrupt)}
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # not `nohup`
                before[number] = signal.signal(number, self._end)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: FrameType | None) -> None:
        # `timeout` sends its signal twice: the second must not interrupt the clean-up.
        error = sys.exc_info()[1]
        while error is not None:
            if error is self._raised:
                return
            error = error.__context__
        self.status = SIGNALLED + number
        self._raised = _Interrupt()
        raise self._raised


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise _Interrupt
