"""The library of kernels: what is in it, how it is built, and which arrays it takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable, Iterable
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from agreement import BACKENDS, COMPILED
from sculpt.kernels import build, library, signatures
from sculpt.kernels.backend import Backend

BUILD = [sys.executable, "-m", "sculpt.kernels.build"]


def test_backends_offer_the_entry_points() -> None:
    offered = {name for name, kind in Backend.__annotations__.items() if "Callable" in kind}
    # `class_of_row` is called as it stands.
    assert offered == signatures.entry_points().keys()
    for make in BACKENDS.values():
        assert all(callable(getattr(make(), name)) for name in offered)


def test_every_kernel_says_what_it_takes() -> None:
    for module in signatures.MODULES:
        for name, function in signatures.functions_of(module).items():
            kinds = function.__annotations__
            returned = ("None", "int", "bool", "Index")
            assert kinds["return"] in returned or name not in signatures.entry_points(), name
            assert list(kinds) == [*signature(function).parameters, "return"], name
            assert len(signatures.parameters(function)) == len(kinds) - 1


def test_the_library_depends_on_nothing() -> None:
    """A process that has nothing but Python can load it and find every kernel."""
    code = f"import ctypes, os; ctypes.CDLL({library.fitting()!r}, mode=os.RTLD_NOW)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    content = Path(library.fitting()).read_bytes()
    for name in (b"NRT_", b"PyErr", b"Py_", b"numba_", b"GLIBC", b"libc.so"):
        assert name not in content


def test_a_name_tells_all() -> None:
    path = Path(library.fitting())
    assert path.name == library.file_name(path.read_bytes())
    assert path.name.split(".") == [
        "compiled",
        library.platform(),
        signatures.stamp(),
        library.digest(path.read_bytes()),
        "so",
    ]


# ------------------------------------------------------------- arrays


@pytest.mark.parametrize("backend", COMPILED)
def test_whatever_holds_numbers_may_be_passed(backend: str) -> None:
    chosen = BACKENDS[backend]()
    numbers = np.arange(6, dtype=np.int64)
    chosen.shift_numbers(numbers, 4, 10)
    assert numbers.tolist() == [10, 11, 12, 13, 4, 5]
    chosen.shift_numbers(numbers[2:], 1, 100)
    assert numbers.tolist() == [10, 11, 112, 13, 4, 5]
    frozen = np.frombuffer(b"a,b,c", dtype=np.uint8)
    assert not frozen.flags.writeable
    assert chosen.count_bytes(frozen, ord(",")) == 2
    own = chosen.signed(range(6))
    chosen.shift_numbers(own[3:], 2, -3)
    assert [int(each) for each in own] == [0, 1, 2, 0, 1, 5]
    assert chosen.widest(chosen.signed([2, 5, 6]), 3, 8) == 3


def test_bytes_and_empty_arrays() -> None:
    count = BACKENDS["ahead"]().count_bytes
    for data in (b"a,b", bytearray(b"a,b"), memoryview(bytearray(b"a,b"))):
        assert count(data, ord(",")) == 1
    assert count(memoryview(b"a,b")[1:], ord(",")) == 1  # read-only, and not at the beginning
    for nothing in (b"", bytearray(), memoryview(bytearray()), np.empty(0, np.uint8)):
        assert count(nothing, ord(",")) == 0


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(np.arange(4, dtype=np.int32), id="too small"),
        pytest.param(np.arange(8, dtype=np.int64)[::2], id="with gaps"),
        pytest.param(memoryview(array("i", [1, 2])), id="a view that is too small"),
        pytest.param(bytearray(16), id="bytes"),
        pytest.param(bytes(16), id="bytes that are fixed"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(numbers: object) -> None:
    with pytest.raises(TypeError):
        BACKENDS["ahead"]().shift_numbers(numbers, 1, 1)


@pytest.mark.parametrize("name", BACKENDS)
def test_arrays_of_all_forms_behave_alike(name: str) -> None:
    backend = BACKENDS[name]()

    def listed(numbers: Iterable[int]) -> list[int]:
        return [int(each) for each in numbers]

    numbers = backend.signed([1, -2, 3])
    grown = backend.grown(numbers, 2, 7)
    assert listed(grown) == [1, -2, 3, 7, 7]
    copy = backend.copied(numbers)
    copy[0] = 9
    assert listed(numbers) == [1, -2, 3]
    assert listed(backend.joined([numbers[1:], copy])) == [-2, 3, 9, -2, 3]
    assert listed(backend.unpacked(backend.packed(numbers))) == [1, -2, 3]
    assert backend.packed(numbers) == backend.packed(backend.signed([1, -2, 3]))
    assert listed(backend.filled(3, -1)) == [-1, -1, -1]
    assert listed(backend.zeros(3)) == listed(backend.small(3)) == [0, 0, 0]
    assert len(backend.room(5)) == len(backend.small_room(5)) == 5
    assert listed(backend.unsigned([1 << 63, 1])) == [1 << 63, 1]
    assert listed(backend.halves(b"\1\0\2\1")) == [1, 258]
    assert listed(backend.read(array("i", [5, -6]).tobytes(), 4)) == [5, -6]
    assert listed(backend.read(array("q", [5, -6]).tobytes(), 8)) == [5, -6]
    sums = backend.signed([1, 2, 3])
    backend.add_numbers(sums, backend.signed([10, -2]))
    assert listed(sums) == [11, 0, 3]
    assert backend.total(numbers, backend.signed([0, 2, 2])) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_arrays_of_its_own() -> None:
    numbers = BACKENDS["ahead"]().zeros(1 << 20)
    child = os.fork()
    if child == 0:
        numbers[0] = 42
        os._exit(0)
    os.waitpid(child, 0)
    assert numbers[0] == 0


def test_large_arrays_are_zero_and_go_away() -> None:
    ahead = BACKENDS["ahead"]()
    for size in (1 << 17, 1 << 20):
        numbers = ahead.zeros(size)
        assert numbers[0] == numbers[size - 1] == 0
        numbers[size - 1] = 1
        del numbers


# ------------------------------------------------------------- building


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has our sources but no library."""
    folder = tmp_path_factory.mktemp("sources")
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(Path(signatures.FOLDER).parent, folder / "sculpt", ignore=ignored)
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_two_processes_build_at_once(tmp_path: Path, sources: dict[str, str]) -> None:
    """Both succeed, there is one library, and it is the one that this installation has."""
    command = [*BUILD, str(tmp_path)]
    running = [
        subprocess.Popen(command, env=sources, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    outputs = {process.communicate(timeout=300)[0] for process in running}
    assert [process.returncode for process in running] == [0, 0]
    (made,) = tmp_path.iterdir()
    assert outputs == {f"{made}\n"}
    assert made.read_bytes() == Path(library.fitting()).read_bytes()
    again = subprocess.run(command, env=sources, capture_output=True, text=True, timeout=60)
    assert again.stdout == f"{made}\n"


def test_a_library_that_is_there_is_not_built_again(tmp_path: Path) -> None:
    made = build.build(str(tmp_path))
    assert Path(made).read_bytes() == Path(library.fitting()).read_bytes()
    assert build.build(str(tmp_path)) == made


def test_readers_never_see_half_a_library(tmp_path: Path) -> None:
    content = Path(library.fitting()).read_bytes()
    problems: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                library.fitting(str(tmp_path))
            except signatures.UnfitError as error:
                problems.append(str(error))

    build._place(content, str(tmp_path))
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(200):
        build._place(content, str(tmp_path))
    done.set()
    reader.join()
    assert problems == []


def test_a_new_library_replaces_the_old_one(tmp_path: Path) -> None:
    content = Path(library.fitting()).read_bytes()
    old = tmp_path / f"compiled.{library.platform()}.{'0' * 16}.{'0' * 32}.so"
    foreign = tmp_path / f"compiled.other-machine-64.{'0' * 16}.{'0' * 32}.so"
    for path in (old, foreign):
        path.write_bytes(b"")
    made = build._place(content, str(tmp_path))
    assert sorted(map(str, tmp_path.iterdir())) == sorted([made, str(foreign)])


def _no_linker(folder: Path) -> dict[str, str]:
    return {"CC": "no-such-compiler"}


def _a_linker_that_fails(folder: Path) -> dict[str, str]:
    return {"CC": "false"}


def _no_folder(folder: Path) -> dict[str, str]:
    folder.rmdir()
    return {}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (_no_linker, "no C compiler found to link with: no-such-compiler"),
        (_a_linker_that_fails, "linking failed"),
        (_no_folder, "not a writable directory"),
    ],
)
def test_what_cannot_be_built_is_one_line(
    tmp_path: Path,
    sources: dict[str, str],
    damage: Callable[[Path], dict[str, str]],
    told: str,
) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    settings = {**sources, **damage(folder)}
    done = subprocess.run(
        [*BUILD, str(folder)], env=settings, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot compile the kernels ahead of time: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not folder.exists() or list(folder.iterdir()) == []
