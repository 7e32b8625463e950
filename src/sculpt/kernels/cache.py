"""Machine code on disk: what Numba has compiled is kept for later runs.

In: a function that Numba compiles. Out: its cache, which Numba queries before it compiles and fills
afterwards. Each signature has a file: a digest, then the pickled code. Numba chooses the directory:
`NUMBA_CACHE_DIR`, else one beside the source, else the user's.

Invariant: a cache never fails a run. A file that is missing, truncated, corrupt, outdated or
unreadable is ignored, and the code is compiled and written again. Code that cannot be written is
not kept. Nothing is unpickled and no code is run unless the digest shows that it was written
completely, under this name, for these kernels and this version of Numba. Files that others can
write to are never read.

Numba's own cache guarantees none of this: a damaged file or a full disk raises in the middle of a
run, a flipped bit crashes the process, and two processes that save at once can swap the code of two
signatures, because it writes an index and numbered files one after the other.

Cost: reading and hashing about 50 KB per function.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import pickle
import stat
import uuid
from collections.abc import Callable
from typing import Any

import numba
from numba.core import caching, serialize

from sculpt.kernels.signatures import stamp

SUFFIX = ".kernel"
_caching: Any = caching  # Numba has no types for these
_serialize: Any = serialize
_DIGEST_SIZE = hashlib.sha256().digest_size


class KernelCache:
    """The cache of one function, as Numba's dispatcher uses it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Raises if no directory is writable.
        self._numba = _caching.CompileResultCacheImpl(function)
        locator = self._numba.locator
        # Our own stamp covers all kernel modules, Numba's only the file of this function.
        facts = numba.__version__, stamp(), locator.get_source_stamp(), function.__code__.co_code
        self._stamp = repr(facts).encode()
        self._base: str = os.path.join(locator.get_cache_path(), self._numba.filename_base)

    @property
    def cache_path(self) -> str:
        """The directory."""
        return os.path.dirname(self._base)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for a signature; `None` if there is no usable code."""
        target.refresh()
        try:
            payload = self._read(self._path(signature, target.codegen()))
            return self._numba.rebuild(target, pickle.loads(payload))
        except Exception:  # whatever is wrong with a file, compiling is the answer
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store the code for a signature, if possible."""
        with contextlib.suppress(Exception):  # the code is in memory: this run has what it needs
            if self._numba.check_cachable(compiled):
                payload = _serialize.dumps(self._numba.reduce(compiled))
                self._write(self._path(signature, compiled.codegen), payload)

    def flush(self) -> None:
        """Remove all code of this function."""
        for path in self._paths():
            with contextlib.suppress(OSError):
                os.remove(path)

    def has_code(self) -> bool:
        """Is there code that a run can use?"""
        for path in self._paths():
            with contextlib.suppress(Exception):
                self._read(path)
                return True
        return False

    def _path(self, signature: Any, codegen: Any) -> str:
        """The file for a signature on this kind of processor."""
        key = hashlib.sha256(repr((signature, codegen.magic_tuple())).encode()).hexdigest()
        return f"{self._base}.{key[:32]}{SUFFIX}"

    def _paths(self) -> list[str]:
        return glob.glob(f"{glob.escape(self._base)}.*{SUFFIX}")

    def _read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            _check_private(os.stat(self.cache_path), self.cache_path)
            _check_private(os.fstat(file.fileno()), path)
            data = file.read()
        payload = data[_DIGEST_SIZE:]
        if data[:_DIGEST_SIZE] != self._digest(path, payload):
            raise ValueError(f"{path}: is damaged or outdated")
        return payload

    def _write(self, path: str, payload: bytes) -> None:
        """Write a temporary file and move it into place, so that no one reads half of it."""
        os.makedirs(self.cache_path, exist_ok=True)
        temporary = f"{path}.{uuid.uuid4().hex}.tmp"
        try:
            # Whatever the umask is: a file that others can write would not be read.
            created = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            with open(created, "wb") as file:
                file.write(self._digest(path, payload) + payload)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(temporary)
            raise

    def _digest(self, path: str, payload: bytes) -> bytes:
        hasher = hashlib.sha256()
        for part in (self._stamp, os.path.basename(path).encode(), payload):
            hasher.update(len(part).to_bytes(8, "big") + part)
        return hasher.digest()


def _check_private(found: os.stat_result, path: str) -> None:
    """Refuse what others can write to; a directory may be writable for the user's own group."""
    if os.name != "posix":
        return
    is_ours = found.st_uid in (os.geteuid(), 0)
    shared = stat.S_IWOTH
    if not stat.S_ISDIR(found.st_mode) or found.st_gid != os.getegid():
        shared |= stat.S_IWGRP
    if not is_ours or found.st_mode & shared:
        raise ValueError(f"{path}: others can write to it")


def keep_code(dispatcher: Any) -> Any:
    """The same function; its code is kept on disk if a directory for it is writable."""
    with contextlib.suppress(Exception):
        dispatcher._cache = KernelCache(dispatcher.py_func)
    return dispatcher


def cache_of(dispatcher: Any) -> KernelCache | None:
    """The cache of a function; `None` if no directory is writable."""
    cache = getattr(dispatcher, "_cache", None)
    return cache if isinstance(cache, KernelCache) else None
