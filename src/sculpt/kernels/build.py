"""Compile the kernels ahead of time: `python -m sculpt.kernels.build [FOLDER [PROCESSOR]]`.

In: the kernel modules. Out: one shared library in a folder (by default, that of this package),
under the name that `library` looks for. Needs Numba, and a C compiler as the linker.

Numba compiles each entry point to LLVM code, with arrays as pointers and lengths. LLVM then joins
them into one module that exports only the entry points, and optimises it as a whole. So whatever is
never called disappears. Kernels raise nothing (`error_model="numpy"`: division by zero is not
checked, and never happens) and count no references, so the library needs no symbols of Python or
Numba at load time. It only needs `memset` and its kin, which every C library has. So one file works
on all distributions of a system.

The code is position-independent and compiled for the oldest processor of the architecture.
Benchmarks (`benchmarks/cold.py`) show that newer instructions gain less than 10 %.

Invariant: the file appears complete or not at all, even if several processes build at once. Cost:
about 12 seconds.
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
"""The oldest processor of an architecture, if LLVM does not call it `generic`."""
LIBRARY_FUNCTIONS = {"memset", "memcpy", "memmove", "memcmp"}
"""The functions of the C library that the kernels may call."""
TIME_LIMIT = 120.0


class BuildError(Exception):
    """The library cannot be built; the message says why."""


def build(folder: str = signatures.FOLDER, processor: str = "") -> str:
    """Build the library in a folder, unless it is there already; return its path.

    `processor` is a name that LLVM knows; by default, the oldest one of the architecture.
    """
    if processor and os.path.realpath(folder) == os.path.realpath(signatures.FOLDER):
        raise BuildError(
            "a library for one processor is only for experiments: choose another folder"
        )
    if not processor:
        with contextlib.suppress(signatures.UnfitError, OSError):
            return library.fitting(folder)
        with (
            contextlib.suppress(signatures.UnfitError, OSError),
            open(library.fitting(), "rb") as file,
        ):
            return _place(file.read(), folder)  # this package has it: same sources, same code
    if not os.access(folder, os.W_OK):
        raise BuildError(f"{folder}: not a writable directory")
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
    """Write a library to a temporary file, move it into place, and remove those it replaces."""
    path = os.path.join(folder, library.file_name(content))
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError as error:
        raise BuildError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(temporary)
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
        raise BuildError(f"no C compiler found to link with: {' '.join(command)}")
    return command


def _link(linker: list[str], code: str, linked: str) -> None:
    """Link object code into a shared library."""
    # macOS refuses libraries that are not linked with the system's.
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
        raise BuildError(f"compiling needs Numba: {error}") from None
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
    """Make Numba compile for a processor; it reads the setting when it is imported."""
    if "numba" in sys.modules:
        config: Any = sys.modules["numba"].config
        if processor != config.CPU_NAME:
            raise BuildError("Numba is already set to another processor: build in a new process")
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor, ""


def _assembly(name: str, kernel: Any) -> str:
    """The LLVM code of an entry point: pointers and lengths in, a number out."""
    import numba
    from numba import cfunc, types

    pointer: Any = types.CPointer
    given: list[Any] = []
    space: dict[str, Any] = {"kernel": kernel, "carray": vars(numba)["carray"]}

    def passed(kind: Kind | Group) -> str:
        """An argument of the kernel, made from the next parameters of the entry point."""
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
    # Numba chooses the symbol's name, which may be in quotes in the LLVM code.
    return text.replace(entry._wrapper_name, library.SYMBOL + name)


def _check_complete(module: Any) -> None:
    """Check that the code calls only itself and functions of every C library."""
    called = {
        value.name
        for value in (*module.functions, *module.global_variables)
        if value.is_declaration and not value.name.startswith("llvm.")
    }
    missing = ", ".join(sorted(called - LIBRARY_FUNCTIONS))
    if missing:
        raise BuildError(f"the kernels call functions that are not in every C library: {missing}")


def main() -> None:
    """Build the library and print its path."""
    try:
        print(build(*sys.argv[1:3]))
    except BuildError as error:
        sys.exit(f"error: cannot compile the kernels ahead of time: {error}")


if __name__ == "__main__":
    main()
