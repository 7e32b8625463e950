"""What happens when the project is built: the kernels are compiled ahead of time.

A wheel with the library is tagged for its platform and does not need Numba. The library depends on
nothing, so on Linux one wheel serves every distribution. Where it cannot be made, because there is
no linker or the platform is another one, the wheel is pure: it depends on Numba, which compiles the
kernels on the user's machine. An editable install puts the library into the source tree.

    SCULPT_BUILD=pure       make a pure wheel
    SCULPT_BUILD=library    fail where the library cannot be made, instead of making a pure wheel
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NUMBA = "numba>=0.63"
KERNELS = Path("src/sculpt/kernels")
TIME_LIMIT = 600.0


class NoLibraryError(Exception):
    """The library cannot be made; the text says why."""


class KernelsHook(BuildHookInterface[Any]):
    """Puts the library into wheels."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What building needs."""
        return [] if _wanted() == "pure" else [NUMBA]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the library, or a wheel that can do without."""
        if _wanted() == "pure":
            build_data["dependencies"].append(NUMBA)
            return
        try:
            tag = _tag()
            if version == "editable":
                _build(Path(self.root), Path(self.root, KERNELS))
                return
            # Removed at exit: the wheel is written after this.
            self._folder = tempfile.TemporaryDirectory(prefix="sculpt-build-")
            library = _build(Path(self.root), Path(self._folder.name))
        except NoLibraryError as error:
            if _wanted() == "library":
                raise
            self.app.display_warning(f"Numba will compile the kernels when they are used: {error}")
            build_data["dependencies"].append(NUMBA)
            return
        build_data["force_include"][str(library)] = f"sculpt/kernels/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = tag


def _wanted() -> str:
    """What the environment asks for: `pure`, `library`, or nothing."""
    wanted = os.environ.get("SCULPT_BUILD", "")
    if wanted not in ("", "pure", "library"):
        raise SystemExit(f"error: SCULPT_BUILD is `{wanted}`; it may be `pure` or `library`")
    return wanted


def _tag() -> str:
    """The tag of a wheel with the library: any Python 3 on this platform."""
    system, _, machine = sysconfig.get_platform().partition("-")
    if system == "linux":
        # The oldest that installers know, since the library takes nothing from the system.
        return f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    if system == "macosx":
        release = machine.partition("-")[0].replace(".", "_")
        return f"py3-none-macosx_{release}_{os.uname().machine}"  # one architecture, not two
    raise NoLibraryError(f"libraries for {system} are not built yet")


def _build(root: Path, folder: Path) -> Path:
    """Make the library in a folder, in a process of its own."""
    paths = (str(root / "src"), os.environ.get("PYTHONPATH", ""))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "sculpt.kernels.build", str(folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoLibraryError(str(error)) from None
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise NoLibraryError(last[0].removeprefix("error: "))
    return Path(done.stdout.splitlines()[-1])
