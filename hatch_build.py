"""The build hook of the project: compiles the kernels ahead of time, and builds the page's script.

A wheel with the library is tagged for its platform. The library depends on nothing, so on Linux one
wheel works on every distribution. If the library cannot be built, because there is no linker or the
platform is not supported, the wheel is pure, and runs wherever Python does: the kernels are plain
Python, unless the extra `jit` is installed. An editable install puts the library into the source
tree. Both kinds of wheels have the same dependencies.

The script of reports is built from `web/` by Node, unless it is there already (`make web`, or a
source distribution). A wheel without it is not built; an editable install does without it.

    SCULPT_BUILD=pure       build a pure wheel
    SCULPT_BUILD=library    fail if the library cannot be built, instead of building a pure wheel
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
STATIC = Path("src/sculpt/views/static")
PAGE = ("page.js", "LICENSES.txt")
TIME_LIMIT = 600.0


class NoLibraryError(Exception):
    """The library cannot be built; the message says why."""


class KernelsHook(BuildHookInterface[Any]):
    """Puts the library into wheels."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """The packages that the build needs."""
        return [] if _wanted() == "pure" else [NUMBA]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make what is not in the source tree, and put it into the wheel."""
        if version != "editable":
            for path in _page(Path(self.root)):
                build_data["force_include"][str(path)] = f"sculpt/views/static/{path.name}"
        if _wanted() != "pure":
            self._add_kernels(version, build_data)

    def _add_kernels(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library; the wheel stays pure if that is not possible and not demanded."""
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
            self.app.display_warning(f"building a pure wheel, whose kernels are slow: {error}")
            return
        build_data["force_include"][str(library)] = f"sculpt/kernels/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = tag


def _page(root: Path) -> list[Path]:
    """The files of the page's script, built by Node if they are not there."""
    files = [root / STATIC / name for name in PAGE]
    if all(path.is_file() for path in files):
        return files
    try:
        for command in (["npm", "ci", "--ignore-scripts"], ["npm", "run", "build"]):
            subprocess.run(command, cwd=root / "web", check=True, timeout=TIME_LIMIT)
    except (OSError, subprocess.SubprocessError) as error:
        raise SystemExit(f"error: the script of reports cannot be built: {error}") from None
    missing = [path.name for path in files if not path.is_file()]
    if missing:
        raise SystemExit(f"error: the build of web/ has not made {', '.join(missing)}")
    return files


def _wanted() -> str:
    """What the environment asks for: `pure`, `library`, or nothing."""
    wanted = os.environ.get("SCULPT_BUILD", "")
    if wanted not in ("", "pure", "library"):
        raise SystemExit(f"error: SCULPT_BUILD is `{wanted}`; it must be `pure` or `library`")
    return wanted


def _tag() -> str:
    """The tag of a wheel with the library: any Python 3 on this platform."""
    system, _, machine = sysconfig.get_platform().partition("-")
    if system == "linux":
        # The oldest tags that installers know, since the library depends on nothing.
        return f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    if system == "macosx":
        release = machine.partition("-")[0].replace(".", "_")
        return (
            f"py3-none-macosx_{release}_{os.uname().machine}"  # for one architecture, not universal
        )
    raise NoLibraryError(f"libraries for {system} are not built yet")


def _build(root: Path, folder: Path) -> Path:
    """Build the library in a folder, in a separate process."""
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
