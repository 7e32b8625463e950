"""Both kinds of wheels: which kernels they run, and what their metadata says.

One has the library of kernels, the other is pure; neither needs Numba, numpy or a compiler. Both
must give the verdicts that `tests/test_examples.py` expects.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from conftest import ROOT
from sculpt import extras
from sculpt.kernels import library
from test_examples import PAIRS
from wheels import Installed, build

pytestmark = pytest.mark.xdist_group("wheels")  # so that each is built once

CHECK = """
import json, sys
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
    "problem": choice.fastest().problem,
    "loaded": sorted({"numba", "numpy", "pyarrow"} & {*sys.modules}),
    "where": sculpt.__file__,
}, sys.stdout)
"""


def check(environment: Installed, kernels: str) -> dict[str, object]:
    pairs = [(pair.schema, pair.data) for pair in PAIRS]
    done = environment.call("python", "-W", "ignore", "-c", CHECK, given=json.dumps(pairs))
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, object] = json.loads(done.stdout)
    expected = [[list(place) for place in pair.violations] for pair in PAIRS]
    assert found["small"] == found["large"] == expected
    assert found["kernels"] == kernels
    assert not found["loaded"]
    assert str(found["where"]).startswith(str(environment.folder))
    return found


def metadata(wheel: Path) -> tuple[list[str], str, str]:
    """The names of its files, its METADATA and its WHEEL."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        (kind,) = (name for name in names if name.endswith(".dist-info/WHEEL"))
        return names, archive.read(about).decode(), archive.read(kind).decode()


def required(wheel: Path) -> list[str]:
    return Parser().parsestr(metadata(wheel)[1]).get_all("Requires-Dist") or []


def test_a_wheel_with_the_library_needs_neither_numba_nor_a_compiler(compiled: Installed) -> None:
    assert not check(compiled, "ahead")["problem"]


def test_a_wheel_with_the_library_is_tagged_for_its_platform(compiled: Installed) -> None:
    names, _, kind = metadata(compiled.wheel)
    assert f"sculpt/kernels/{Path(library.fitting()).name}" in names
    assert "Root-Is-Purelib: false" in kind
    assert "py3-none-any" not in kind
    machine = os.uname().machine
    assert f"Tag: py3-none-manylinux_2_17_{machine}" in kind
    assert f"Tag: py3-none-musllinux_1_1_{machine}" in kind


def test_a_pure_wheel_runs_plain_kernels_and_says_how_to_get_faster_ones(pure: Installed) -> None:
    names, _, kind = metadata(pure.wheel)
    assert "Tag: py3-none-any\n" in kind
    assert not [name for name in names if name.endswith(".so")]
    assert check(pure, "plain")["problem"] == (
        "this installation has no compiled kernels; using plain Python, which is slow:"
        ' run `pip install "sculpt-schema[jit]"` to have Numba compile them'
    )


def test_both_have_the_same_few_dependencies(compiled: Installed, pure: Installed) -> None:
    assert required(compiled.wheel) == required(pure.wheel)
    always = [each.partition(">")[0] for each in required(pure.wheel) if "extra ==" not in each]
    assert sorted(always) == ["backports-zstd", "rich"]


def test_an_extra_brings_what_we_import_of_it() -> None:
    """Of the packages that `extras` looks for, and of no others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project["optional-dependencies"]

    def packages(extra: str) -> set[str]:
        found = set()
        for requirement in listed[extra]:
            name, *inner = requirement.partition(">")[0].split("[")
            if name != extras.DISTRIBUTION:
                found.add(name)
            for other in "".join(inner).strip("]").split(",") if inner else ():
                found |= packages(other)
        return found

    assert {extra: packages(extra) for extra in extras.PACKAGES} == {
        extra: set(names) for extra, names in extras.PACKAGES.items()
    }
    assert packages("all") == {name for names in extras.PACKAGES.values() for name in names}
    assert {*listed} == {*extras.PACKAGES, "all"}


def test_what_may_be_asked_of_a_build(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path, SCULPT_BUILD="libary")
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
    for wanted, ending in (("library", []), ("", ["py3-none-any.whl"])):
        build(source, tmp_path, SCULPT_BUILD=wanted, CC="no-such-compiler")
        assert [path.name[-16:] for path in tmp_path.glob("*.whl")] == ending
