"""Outputs that appear only when they are complete.

In: the path of a file or of a directory. Out: a temporary name beside it, for the body of a
`with`, which is moved into place when the body ends.
Invariant: whatever interrupts the body, what was at the path before is still there, unchanged, and
the temporary is gone; a process that is killed leaves only a temporary, whose name starts with a
dot. What is not a regular file (`/dev/stdout`, a named pipe) cannot be moved into place: the body
writes to it directly.
A wrong path is a `UsageError`; a full disk or a missing permission is a `RunError`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sculpt.errors import RunError, SculptError, UsageError
from sculpt.tabular.stores import is_uri
from sculpt.values import frozen

_NAME_CHARACTERS = 40  # of the final name that are kept in the temporary one, to limit its length


@frozen
class Place:
    """A directory that gets its final name later."""

    directory: str
    name: str
    """The name that messages use."""


def check_place(path: str, is_directory: bool = False) -> None:
    """Raise the error that writing to a path would raise at once: a call fails before its work."""
    with errors_named(path):
        _check_local(path)
        mode, final = _mode(path), os.path.realpath(path)
        if is_directory:
            if mode is not None:
                _check_directory(path, final, mode)
        else:
            _check_file(path, mode)
        _beside(final, path)


@contextmanager
def placed(path: str) -> Iterator[str]:
    """A name to write a file to; the file is renamed to `path` when the body ends."""
    with errors_named(path):
        _check_local(path)
        mode = _mode(path)
        _check_file(path, mode)
        final = os.path.realpath(path)  # a link stays a link: its file is replaced
        is_regular = mode is None or stat.S_ISREG(mode)
        temporary = _beside(final, path) if is_regular else path
    if not is_regular:
        with errors_named(path, path):
            yield path
        return
    with _removed_on_error(temporary, os.remove):
        with errors_named(path):
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        with errors_named(path, temporary):
            yield temporary
        with errors_named(path):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, final)


@contextmanager
def placed_directory(path: str) -> Iterator[str]:
    """A directory to write files to; it is renamed to `path` when the body ends.

    At most an empty directory may be there before.
    """
    from shutil import rmtree

    with errors_named(path):
        _check_local(path)
        mode = _mode(path)
        final = os.path.realpath(path)
        if mode is not None:
            _check_directory(path, final, mode)
        temporary = _beside(final, path)
    with _removed_on_error(temporary, rmtree):
        with errors_named(path):
            os.mkdir(temporary)
        with errors_named(path, temporary):
            yield temporary
        with errors_named(path):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
                if os.name == "nt":  # elsewhere an empty directory is replaced in one step
                    os.rmdir(final)
            os.rename(temporary, final)  # fails, and should, if it is no longer empty


def _check_local(path: str) -> None:
    if is_uri(path):
        raise UsageError(f"{path}: only Spark writes to a URI, and only Parquet")


def _check_file(path: str, mode: int | None) -> None:
    if not os.path.basename(path) or (mode is not None and stat.S_ISDIR(mode)):
        raise UsageError(f"{path}: cannot be written: it is a directory")
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _check_directory(path: str, final: str, mode: int) -> None:
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: cannot be written: it is not a directory")
    if os.listdir(final):
        raise UsageError(f"{path}: cannot be written: the directory is not empty")
    if os.path.ismount(final) or final == os.path.realpath(os.curdir):
        raise UsageError(f"{path}: cannot be replaced: name a directory inside it")


def _mode(path: str) -> int | None:
    """The mode of what is at a path, if anything is."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _beside(final: str, path: str) -> str:
    """An unused name in the directory of `final`."""
    from secrets import token_hex

    directory, name = os.path.split(final)
    if not os.path.isdir(directory):
        raise UsageError(f"{path}: cannot be written: no such directory")
    return os.path.join(directory, f".{name[:_NAME_CHARACTERS]}.{token_hex(8)}")


@contextmanager
def _removed_on_error(temporary: str, remove: Callable[[str], object]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            remove(temporary)
        raise


@contextmanager
def errors_named(path: str, temporary: str | None = None) -> Iterator[None]:
    """Turn an error of the operating system into one that names the output.

    An error about another file is left as it is; so is a closed pipe.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except ValueError as error:
        if temporary is not None:  # not about the name
            raise
        shown = path.encode("unicode_escape").decode()
        raise UsageError(f"{shown}: cannot be written: it is not a valid file name") from error
    except OSError as error:
        ours = error.filename is None or temporary is None
        if not ours and not str(error.filename).startswith(str(temporary)):
            raise
        raise _named(path, error) from error


def _named(path: str, error: OSError) -> SculptError:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return UsageError(f"{path}: cannot be written: no such directory")
        case errno.EISDIR:
            return UsageError(f"{path}: cannot be written: it is a directory")
        case _:
            reason = error.strerror or str(error)
            return RunError(f"{path}: cannot be written: {reason[:1].lower()}{reason[1:]}")
