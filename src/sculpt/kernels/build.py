"""Compile the kernels ahead of time: `python -m sculpt.kernels.build [FOLDER [PROCESSOR]]`.

In: the modules of kernels. Out: one shared library in a folder (this package's, if none is given),
under the name that `library` looks for. Needs Numba and a C compiler, which only links.

Numba makes LLVM's code of each entry point, whose arrays are pointers and lengths; LLVM then joins
them into one module, of which the entry points alone are visible from outside, and optimises it as
a whole. So whatever is never called disappears: kernels raise nothing (`error_model="numpy"`: a
division by zero is not looked for, and there is none) and count no references, so nothing of
Python or Numba is left to be found at load time. What is left is `memset`, which every C library
has; so the library depends on nothing, and one file serves all distributions of a system.

Code is position-independent and made for the oldest processor of the architecture.
Benchmarks (`benchmarks/cold.py`) show that newer instructions give less than 10 %.

Invariant: the file appears whole or not at all, also if several processes build at once. Cost: some
12 seconds.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from typing import Any

from sculpt.kernels import library, signatures
from sculpt.kernels.signatures import Group, Kind, parameters

PROCESSORS = {"x86_64": "x86-64", "AMD64": "x86-64"}
"""The oldest processor of an architecture, where LLVM's is not called `generic`."""
LIBRARY_FUNCTIONS = {"memset", "memcpy", "memmove", "memcmp"}
"""What a library may take from the C library."""
TIME_LIMIT = 120.0


class BuildError(Exception):
    """The library cannot be made; the text says why."""


def build(folder: str = signatures.FOLDER, processor: str = "") -> str:
    """Make the library in a folder, unless it is there; its path.

    `processor` is one that LLVM knows; the oldest of the architecture, if none is given.
    """
    if processor and os.path.realpath(folder) == os.path.realpath(signatures.FOLDER):
        raise BuildError("a library for one processor is for trials: it goes to another folder")
    if not processor:
        with contextlib.suppress(signatures.UnfitError, OSError):
            return library.fitting(folder)
        with (
            contextlib.suppress(signatures.UnfitError, OSError),
            open(library.fitting(), "rb") as file,
        ):
            return _place(file.read(), folder)  # this tree has it: the same sources, the same code
    if not os.access(folder, os.W_OK):
        raise BuildError(f"{folder}: is not a directory that can be written")
    linker = _linker()
    with tempfile.TemporaryDirectory(prefix="sculpt-kernels-") as work:
        code, linked = os.path.join(work, "kernels.o"), os.path.join(work, "kernels.so")
        with open(code, "wb") as file:
            file.write(object_code(processor or _oldest_processor()))
        _link(linker, code, linked)
        with open(linked, "rb") as file:
            content = file.read()
    return _place(content, folder)


def _place(content: bytes, folder: str) -> str:
    """Write a library beside its place and move it there, then remove those it replaces."""
    path = os.path.join(folder, library.file_name(content))
    beside = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        raise BuildError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(beside)
    for name in library.libraries(folder):
        other = os.path.join(folder, name)
        if other != path and name.startswith(f"{library.PREFIX}{library.platform()}."):
            with contextlib.suppress(OSError):
                os.remove(other)
    return path


def _linker() -> list[str]:
    """The C compiler's command."""
    command = shlex.split(os.environ.get("CC", "cc"))
    if not command or shutil.which(command[0]) is None:
        raise BuildError(f"there is no C compiler to link with: {' '.join(command)}")
    return command


def _link(linker: list[str], code: str, linked: str) -> None:
    """Make a shared library of object code."""
    # macOS refuses libraries that do not name the system's.
    alone = [] if sys.platform == "darwin" else ["-nostdlib"]
    command = [*linker, "-shared", *alone, "-o", linked, code]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"linking failed: {error}") from None
    if done.returncode != 0:
        raise BuildError(f"linking failed: {' '.join(done.stderr.split())}")


def object_code(processor: str) -> bytes:
    """The machine code of all entry points."""
    _choose(processor)
    try:
        import llvmlite.binding as llvm

        from sculpt.kernels import jit
    except ImportError as error:
        raise BuildError(f"Numba is needed to compile: {error}") from None
    joined: Any = None
    for name, kernel in jit.load(for_library=True).items():
        module = llvm.parse_assembly(_assembly(name, kernel))
        if joined is None:
            joined = module
        else:
            joined.link_in(module)
    for value in (*joined.functions, *joined.global_variables):
        if not value.is_declaration and not value.name.startswith(library.SYMBOL):
            value.linkage = "internal"
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=processor, opt=3, reloc="pic", codemodel="default")
    settings = llvm.create_pipeline_tuning_options(speed_level=3)
    settings.loop_vectorization = settings.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, settings)
    builder.getModulePassManager().run(joined, builder)
    _check_complete(joined)
    code: bytes = machine.emit_object(joined)
    return code


def _oldest_processor() -> str:
    return PROCESSORS.get(os.uname().machine, "generic")


def _choose(processor: str) -> None:
    """Have Numba compile for a processor; it asks when it is imported."""
    if "numba" in sys.modules:
        config: Any = sys.modules["numba"].config
        if processor != config.CPU_NAME:
            raise BuildError("Numba was set to another processor: build in a process of its own")
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor, ""


def _assembly(name: str, kernel: Any) -> str:
    """LLVM's code of an entry point: pointers and lengths in, a number out."""
    import numba
    from numba import cfunc, types

    pointer: Any = types.CPointer
    given: list[Any] = []
    space: dict[str, Any] = {"kernel": kernel, "carray": vars(numba)["carray"]}

    def passed(kind: Kind | Group) -> str:
        """What the kernel is given, made of the next parameters of the entry point."""
        at = len(given)
        if isinstance(kind, Group):
            space[f"group{at}"] = kind.type
            return f"group{at}({', '.join(map(passed, kind.kinds))})"
        item = getattr(types, "boolean" if kind.type_name == "bool" else kind.type_name)
        if kind.size:
            given.extend((pointer(item), types.int64))
            return f"carray(p{at}, (p{at + 1},))"
        given.append(types.int64 if item is types.boolean else item)
        return f"bool(p{at})" if item is types.boolean else f"p{at}"

    call = f"kernel({', '.join(map(passed, parameters(kernel.py_func)))})"
    names = ", ".join(f"p{ix}" for ix in range(len(given)))
    returns = kernel.py_func.__annotations__["return"] != "None"
    lines = [f"return {call}"] if returns else [call, "return 0"]
    source = "\n    ".join((f"def {library.SYMBOL}{name}({names}):", *lines))
    exec(source, space)
    function: Callable[..., int] = space[library.SYMBOL + name]
    entry: Any = cfunc(types.int64(*given), error_model="numpy")(function)
    text: str = entry._library.get_llvm_str()
    # Numba chooses the symbol's name; in LLVM's text it may stand in quotes.
    return text.replace(entry._wrapper_name, library.SYMBOL + name)


def _check_complete(module: Any) -> None:
    """Is all that the code calls a part of it, or of every C library?"""
    called = {
        value.name
        for value in (*module.functions, *module.global_variables)
        if value.is_declaration and not value.name.startswith("llvm.")
    }
    missing = ", ".join(sorted(called - LIBRARY_FUNCTIONS))
    if missing:
        raise BuildError(f"the kernels call what no library has: {missing}")


def main() -> None:
    """Build, and say where."""
    try:
        print(build(*sys.argv[1:3]))
    except BuildError as error:
        sys.exit(f"error: the kernels are not compiled ahead of time: {error}")


if __name__ == "__main__":
    main()
