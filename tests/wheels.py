"""Wheels as users get them: built, and installed into empty environments.

Each kind is built once in a process. Tests that use them share the `xdist_group` called `wheels`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from conftest import ROOT

EXAMPLES = ROOT / "examples"
TIME_LIMIT = 300


@dataclass(frozen=True)
class Installed:
    """A wheel, and an environment with only the wheel and its dependencies, without any extra."""

    wheel: Path
    folder: Path

    def call(self, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; nothing else is on the path, not even a compiler."""
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=EXAMPLES,
            env={"PATH": str(self.folder / "bin"), "HOME": str(self.folder)},
            input=given,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )

    def run(self, *command: str, given: str = "") -> str:
        """What a program prints that must succeed and have nothing to remark."""
        done = self.call(*command, given=given)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def has(self, package: str) -> bool:
        """Is a package installed?"""
        done = self.call("python", "-c", f"import {package}")
        return done.returncode == 0


def build(source: Path, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel of a source tree into a folder."""
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *command, str(source)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def installed(folder: Path, kind: str) -> Installed:
    """A wheel of a kind, `library` or `pure`, in its own environment."""
    done = build(ROOT, folder, SCULPT_BUILD=kind)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    python = str(folder / "env" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--python", python, "install", str(wheel)], check=True)
    return Installed(wheel, folder / "env")
