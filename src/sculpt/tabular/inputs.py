"""Where data comes from: files, directories, globs, standard input, URIs of `stores`.

In: the DATA arguments of a call. Out: the list of inputs they name, and the bytes of each,
unpacked if they are compressed by gzip, bz2, xz or zstd. All access to data files is here; any
failure becomes a `DataError` that names the path.

Invariant: an argument names the same inputs in the same order on every machine: directories and
globs are listed by name, without hidden files.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, TypeVar

from sculpt.errors import DataError
from sculpt.interchange.fetched import failure_of, file_of
from sculpt.tabular.packing import (
    MAGIC_SIZE,
    MissingPackerError,
    Unpacked,
    packing_of,
    raised_by_packers,
    unpack,
)
from sculpt.tabular.stores import (
    GLOB_CHARACTERS,
    Store,
    expand_uri,
    facts_of,
    is_input,
    is_uri,
    open_store,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sculpt.tabular.ahead import Ahead

Item = TypeVar("Item")

STDIN = "-"
BLOCK_SIZE = 1 << 20
MAX_HELD = 1 << 26
"""Bytes of a pipe that are kept in memory; if there are more, they go to a temporary file."""
_LONGEST_WAIT_MS = 1000
PATIENCE = 10
"""Seconds to wait for a thread when a run has ended: a store may never answer."""


def expand(arguments: Iterable[str]) -> Iterator[str | DataError]:
    """The inputs that the arguments name; an argument that names none yields an error instead."""
    for argument in arguments:
        if argument == STDIN or file_of(argument) or os.path.isfile(argument):
            yield argument
        elif (failure := failure_of(argument)) is not None:
            yield failure
        elif os.path.isdir(argument):
            yield from _directory(argument)
        elif is_uri(argument):
            yield from expand_uri(argument)
        elif is_glob(argument):
            yield from _glob(argument)
        else:
            yield argument  # reading it says what is wrong


def is_glob(argument: str) -> bool:
    """Is an argument a pattern for the names of several files?"""
    if not GLOB_CHARACTERS & set(argument):
        return False
    return not os.path.lexists(argument) and file_of(argument) is None


def _directory(argument: str) -> Iterator[str | DataError]:
    from pathlib import Path

    # Unlike `rglob`, `walk` does not mind that a folder vanishes meanwhile.
    found = (Path(folder, name) for folder, _, names in os.walk(argument) for name in names)
    paths = [
        path
        for path in sorted(found)
        if is_input(path) and not _is_hidden(path.relative_to(argument))
    ]
    if not paths:
        yield DataError(f"{argument}: there is no file in this directory", argument)
    yield from map(str, paths)


def _glob(argument: str) -> Iterator[str | DataError]:
    import glob
    from pathlib import Path

    found = sorted(glob.glob(argument, recursive=True))
    paths = [path for path in found if is_input(Path(path))]
    if not paths:
        yield DataError(f"{argument}: no file matches this pattern", argument)
    yield from paths


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def stamp_of(path: str) -> tuple[int, int]:
    """The size of a file and when it was modified, in ns; 0 if a store does not say when."""
    if is_uri(path):
        stored = facts_of(path)
        return stored.size, stored.modified_ns or 0
    try:
        facts = os.stat(file_of(path) or path) if path != STDIN else None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if facts is None or not stat.S_ISREG(facts.st_mode):
        raise DataError(f"{path}: is not a regular file: it has no size", path)
    return facts.st_size, facts.st_mtime_ns


def _unreadable(path: str, error: Exception) -> DataError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DataError(f"{path}: cannot be read: {reason.lower()}", path)


class Input:
    """The bytes of one input, unpacked if they are compressed.

    `blocks` yields them from the start, each time it is called; `window` returns a piece. Data
    without random access is kept in a temporary file: a pipe as it is read, and packed data as far
    as pieces of it are requested.

    Invariant: `close` ends every thread that reads ahead, even one that waits for a pipe, and
    closes every file.

    A plain file that *rests* has no descriptor between two reads: a run may have more files than a
    process may have open.

    `stamp` is the size of a file and when it was modified, in ns, at the time it was opened (0 if a
    store does not say when), and `None` for a pipe: `check_unchanged` compares it with the present.
    """

    def __init__(self, path: str, name: str | None = None) -> None:
        """`name` is what messages call the input; its path by default."""
        self.path = name or path
        self._place = file_of(path) or path
        self._spool: IO[bytes] | None = None
        self._pipe: _Pipe | None = None
        self._file: IO[bytes] | None = None
        self._store: Store | None = None
        self._unpacked: tuple[Unpacked, IO[bytes]] | None = None
        self._readers: list[Ahead[Any]] = []
        self._is_cut = False
        self._rests = False
        self._filling, self._guard = threading.RLock(), threading.Lock()
        """Held while a temporary file gets more, perhaps waiting; and while its place is in use. A
        packed pipe fills two files at once, so one thread may take the first twice."""
        self.stamp: tuple[int, int] | None = None
        self.packing: str | None = None
        try:
            with self._failing():
                self._open(self._place)
        except BaseException:
            self.close()
            raise

    def _open(self, path: str) -> None:
        if path == STDIN:
            if sys.stdin is None:
                raise ValueError("there is no standard input")
            # Without a buffer: a thread that waits inside one would block the exit.
            self._pipe = _Pipe(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer))
        elif is_uri(path):
            self._store = open_store(path)
            self.stamp = self._store.size, self._store.modified_ns or 0
        else:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115 (closed by `close`)
            facts = os.fstat(self._file.fileno())
            if stat.S_ISREG(facts.st_mode):
                self.stamp = facts.st_size, facts.st_mtime_ns
            else:
                self._pipe = _Pipe(self._file)
        if self._pipe is not None:
            from tempfile import SpooledTemporaryFile

            self._spool = SpooledTemporaryFile(MAX_HELD)  # noqa: SIM115 (closed by `close`)
        self.packing = packing_of(self._raw(0, MAGIC_SIZE))

    def __enter__(self) -> Input:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads that read ahead, and close what is open."""
        if self._pipe is not None:
            self._pipe.wake()
        for reader in tuple(self._readers):
            reader.close(PATIENCE)
        if self._pipe is not None:
            self._pipe.close()
        kept = self._unpacked[1] if self._unpacked is not None else None
        for stream in (self._spool, self._file, self._store, kept):
            if stream is not None:
                stream.close()

    def rest(self) -> None:
        """Hold no descriptor and no unpacked copy until the next read; not for a pipe."""
        if self._unpacked is not None:
            self._unpacked[1].close()
            self._unpacked = None
        if self._file is not None and self._pipe is None:
            self._file.close()
            self._rests = True

    @contextlib.contextmanager
    def _plain_file(self) -> Iterator[IO[bytes]]:
        """The file, opened for one read if it rests."""
        if not self._rests:
            assert self._file is not None
            yield self._file
            return
        with open(self._place, "rb", buffering=0) as file:
            facts = os.fstat(file.fileno())
            if (facts.st_size, facts.st_mtime_ns) != self.stamp:
                raise DataError(f"{self.path}: changed while it was read", self.path)
            yield file

    def ahead(self, items: Iterator[Item]) -> Iterator[Item]:
        """The same items; a thread fetches the next one while the current one is in use."""
        from sculpt.tabular.ahead import Ahead  # a small file needs no threads

        reader = Ahead(items)
        self._readers.append(reader)
        try:
            yield from reader
        except KeyboardInterrupt:
            if self._pipe is not None:
                self._pipe.wake()  # the thread may be waiting for data that is no longer needed
            raise
        finally:
            reader.close()
            self._readers.remove(reader)

    @property
    def is_plain(self) -> bool:
        """Can any piece be read at once, from any thread?"""
        return self._pipe is None and self.packing is None

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, packed; `None` if unknown."""
        return self.stamp[0] if self.stamp is not None else None

    def check_unchanged(self, since: str = "while it was read") -> None:
        """Raise an error if the file is no longer the one that was opened; `since` says when."""
        if self.stamp is None:
            return
        try:
            now = stamp_of(self._place)
        except DataError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                message = f"{self.path}: vanished {since}"
                raise DataError(message, self.path) from None
            raise
        if self._is_cut or now != self.stamp:
            raise DataError(f"{self.path}: changed {since}", self.path)

    @property
    def is_replaced(self) -> bool:
        """Does the path name another file than the one that was opened?"""
        if self._file is None or self.stamp is None:
            return False
        if self._rests:
            return False  # each read looks at the file that is there
        with contextlib.suppress(OSError):
            return not os.path.samestat(os.stat(self._place), os.fstat(self._file.fileno()))
        return True

    def window(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, or to the end of the input."""
        with self._failing():
            if self.packing is None:
                return self._raw(start, end)
            if self._unpacked is None:
                from tempfile import SpooledTemporaryFile

                spool = SpooledTemporaryFile(MAX_HELD)  # noqa: SIM115 (closed by `close`)
                self._unpacked = (unpack(self.packing, _Reader(self)), spool)
            stream, kept = self._unpacked
            return self._kept(kept, stream, start, end)

    def read_into(self, start: int, room: bytearray) -> bytes | bytearray:
        """The bytes of a plain file from `start`, in `room` if they fill it."""
        with self._failing():
            view = memoryview(room)
            have = 0
            if self._store is not None:
                have = self._store.read_into(start, view)
            else:
                with self._plain_file() as file:
                    while have < len(room):
                        count = _read_at(file, view[have:], start + have)
                        if count == 0:
                            break
                        have += count
            if have == len(room):
                return room
            self._note_end(start + have)
            return bytes(view[:have])

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """All bytes in order, each block with the number of packed bytes read so far."""
        if self.packing is None:
            at = 0
            while block := self.window(at, at + size):
                at += len(block)
                yield block, at
            return
        with self._failing():
            counter = _Reader(self)
            stream = unpack(self.packing, counter)
        while True:
            with self._failing():
                block = stream.read(size)
            if not block:
                return
            yield block, counter.at

    def _raw(self, start: int, end: int) -> bytes:
        if self._spool is not None:
            assert self._pipe is not None
            return self._kept(self._spool, self._pipe, start, end)
        if self._store is not None:
            found = self._store.read(start, end - start)
            if len(found) < end - start:
                self._note_end(start + len(found))
            return found
        pieces = []
        with self._plain_file() as file:
            while start < end:
                piece = _piece_at(file, min(end - start, 1 << 30), start)
                if not piece:
                    self._note_end(start)
                    break
                pieces.append(piece)
                start += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _note_end(self, at: int) -> None:
        """Note that a read ended here: too early, if the file was longer when it was opened."""
        if self.stamp is not None and at < self.stamp[0]:
            self._is_cut = True

    def _kept(self, kept: IO[bytes], stream: Unpacked, start: int, end: int) -> bytes:
        """A piece of a temporary file, which gets what it needs of a stream first.

        Several threads may ask at once, and one that wants what is there already never waits.
        """
        if self._size_of(kept) < end:
            with self._filling:
                while (have := self._size_of(kept)) < end:
                    piece = stream.read(min(BLOCK_SIZE, end - have))
                    if not piece:
                        break
                    with self._guard, writing_temporary():
                        kept.seek(0, os.SEEK_END)
                        kept.write(piece)
        with self._guard:
            kept.seek(start)
            return kept.read(end - start)

    def _size_of(self, kept: IO[bytes]) -> int:
        with self._guard:
            return kept.seek(0, os.SEEK_END)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, EOFError) as error:
            raise self._error(error) from error
        except Exception as error:
            if raised_by_packers(error):
                raise self._error(error) from error
            raise

    def _error(self, error: Exception) -> DataError:
        if isinstance(error, MissingPackerError):
            return DataError(f"{self.path}: cannot be read: {error}", self.path)
        if self.packing and not (isinstance(error, OSError) and error.strerror):
            message = f"{self.path}: the {self.packing} data is broken: {str(error).lower()}"
            return DataError(message, self.path)
        return _unreadable(self.path, error)


_seeking = threading.Lock()
"""Held between a seek and a read, where the system cannot read at a place in one step."""


def _piece_at(file: IO[bytes], size: int, at: int) -> bytes:
    """The bytes of a file at a place, at most `size`; several threads may ask at once."""
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), size, at)
    with _seeking:  # Windows
        file.seek(at)
        return file.read(size)


def _read_at(file: IO[bytes], room: memoryview, at: int) -> int:
    """Read the bytes of a file at a place into memory; return how many there were."""
    if hasattr(os, "preadv"):
        return os.preadv(file.fileno(), [room], at)
    piece = _piece_at(file, len(room), at)  # Windows, browsers
    room[: len(piece)] = piece
    return len(piece)


@contextlib.contextmanager
def writing_temporary() -> Iterator[None]:
    """Turn a failure to write a temporary file into an error that names its folder."""
    try:
        yield
    except OSError as error:
        import tempfile

        reason = (error.strerror or str(error)).lower()
        folder = tempfile.gettempdir()
        raise DataError(f"the temporary file in {folder} cannot be written: {reason}") from None


class _Reader(io.RawIOBase):
    """An input's packed bytes as a file."""

    def __init__(self, source: Input) -> None:
        self.source, self.at = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        piece = self.source._raw(self.at, self.at + len(buffer))
        buffer[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)


class _Pipe:
    """A stream that may keep its reader waiting; another thread can end the wait."""

    def __init__(self, stream: IO[bytes]) -> None:
        import select

        self._stream = stream
        self._is_closed = self._has_ended = False
        self._wakes: tuple[int, int] | None = None
        """Our own pipe, which becomes readable when the data is no longer needed."""
        self._poll: Any = None
        with contextlib.suppress(OSError, AttributeError):  # no descriptor, or no `poll` here
            fileno = stream.fileno()
            self._poll = select.poll()
            self._wakes = os.pipe()
            for end in (fileno, self._wakes[0]):
                self._poll.register(end, select.POLLIN)

    def read(self, size: int, /) -> bytes:
        """The next bytes; waits for them."""
        if self._has_ended:
            return b""  # a terminal would wait for another end of input
        # A signal that came just before the wait does not end it: return now and then to see it.
        poll = self._poll
        while poll is not None and not poll.poll(_LONGEST_WAIT_MS):
            pass
        if self._is_closed:
            raise ValueError("the input is closed")
        data = self._stream.read(size) or b""
        self._has_ended = not data
        return data

    def wake(self) -> None:
        """End the wait of another thread."""
        self._is_closed = True
        if self._wakes is not None:
            os.write(self._wakes[1], b"x")

    def close(self) -> None:
        """Close what is open, except the stream."""
        wakes, self._wakes, self._poll = self._wakes, None, None
        for end in wakes or ():
            os.close(end)


def read_bytes(path: str) -> bytes:
    """The contents of an input, unpacked."""
    with Input(path) as source:
        return b"".join(block for block, _ in source.blocks(BLOCK_SIZE))
