"""Wheels, as users get them: built, installed into an empty environment, and run there.

One has the library of kernels and must do without Numba and without a compiler; the other is pure,
and Numba compiles. Both must give the verdicts that `tests/test_examples.py` expects.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT
from sculpt.kernels import library
from test_examples import EXAMPLES, PAIRS

pytestmark = pytest.mark.xdist_group("wheels")  # so that each is built once

CHECK = """
import importlib.util, json, sys
import sculpt
from sculpt.kernels import choice

def verdicts(pairs):
    for schema, data in pairs:
        verdict = sculpt.validate(sculpt.Schema.load(schema), data)
        yield [[v.rule, v.row, v.column] for v in verdict.violations]

pairs = json.load(sys.stdin)
small = list(verdicts(pairs))
choice.SMALL_FOR_LIBRARY = choice.SMALL_FOR_NUMBA = -1
large = list(verdicts(pairs))
json.dump({
    "small": small,
    "large": large,
    "kernels": choice.fastest().backend.name,
    "numba": importlib.util.find_spec("numba") is not None,
    "loaded": "numpy" in sys.modules,
    "where": sculpt.__file__,
}, sys.stdout)
"""


@dataclass(frozen=True)
class Installed:
    """A wheel, and an environment with only the wheel and its dependencies."""

    wheel: Path
    folder: Path

    def run(self, *command: str, given: str = "") -> str:
        """Run a program of the environment; nothing else is on the path, not even a compiler."""
        done = subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=EXAMPLES,
            env={"PATH": str(self.folder / "bin"), "HOME": str(self.folder)},
            input=given,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def installed(folder: Path, kind: str) -> Installed:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*pip, *build], env={**os.environ, "SCULPT_BUILD": kind}, check=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    python = str(folder / "env" / "bin" / "python")
    subprocess.run([*pip, "--python", python, "install", str(wheel)], check=True)
    return Installed(wheel, folder / "env")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(tmp_path_factory.mktemp("compiled"), "library")


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(tmp_path_factory.mktemp("pure"), "pure")


def check(environment: Installed, kernels: str) -> dict[str, object]:
    pairs = [(pair.schema, pair.data) for pair in PAIRS]
    told = environment.run("python", "-c", CHECK, given=json.dumps(pairs))
    found: dict[str, object] = json.loads(told)
    expected = [[list(place) for place in pair.violations] for pair in PAIRS]
    assert found["small"] == found["large"] == expected
    assert found["kernels"] == kernels
    assert str(found["where"]).startswith(str(environment.folder))
    return found


def metadata(wheel: Path) -> tuple[list[str], str, str]:
    """The names of its files, its METADATA and its WHEEL."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        (kind,) = (name for name in names if name.endswith(".dist-info/WHEEL"))
        return names, archive.read(about).decode(), archive.read(kind).decode()


def test_a_wheel_with_the_library_needs_neither_numba_nor_a_compiler(compiled: Installed) -> None:
    found = check(compiled, "ahead")
    assert not found["numba"]
    assert not found["loaded"]
    assert compiled.run("sculpt", "validate", "census/corrected.sculpt", "census/census.csv") == (
        "census/census.csv: valid (10 rows × 4 columns)\n"
    )


def test_a_wheel_with_the_library_is_tagged_for_its_platform(compiled: Installed) -> None:
    names, about, kind = metadata(compiled.wheel)
    assert "numba" not in about.lower().partition("\n\n")[0]
    assert f"sculpt/kernels/{Path(library.fitting()).name}" in names
    assert "Root-Is-Purelib: false" in kind
    assert "py3-none-any" not in kind
    machine = os.uname().machine
    assert f"Tag: py3-none-manylinux_2_17_{machine}" in kind
    assert f"Tag: py3-none-musllinux_1_1_{machine}" in kind


def test_a_pure_wheel_has_numba_compile(pure: Installed) -> None:
    names, about, kind = metadata(pure.wheel)
    assert "\nRequires-Dist: numba>=" in about
    assert "Tag: py3-none-any\n" in kind
    assert not [name for name in names if name.endswith(".so")]
    check(pure, "jit")


def test_what_may_be_asked_of_a_build(tmp_path: Path) -> None:
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command, str(ROOT)],
        env={**os.environ, "SCULPT_BUILD": "libary"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0
    assert "SCULPT_BUILD is `libary`; it must be `pure` or `library`" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_linker_the_wheel_is_pure(tmp_path: Path) -> None:
    """Unless the library is asked for: then there is no wheel."""
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignored)
    for name in ("hatch_build.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    for wanted, ending in (("library", []), ("", ["py3-none-any.whl"])):
        subprocess.run(
            [sys.executable, "-m", "pip", *command, str(source)],
            env={**os.environ, "SCULPT_BUILD": wanted, "CC": "no-such-compiler"},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert [path.name[-16:] for path in tmp_path.glob("*.whl")] == ending
