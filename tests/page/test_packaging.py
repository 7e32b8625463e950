"""The script of reports in wheels: built if it is missing, and needed; Node is not needed later."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatch_build import PAGE, STATIC, _page

from conftest import ROOT
from pages import DRAFT, STATEMENT

REPORT = """
import sys
import sculpt
view = sculpt.view(sculpt.Schema.load(sys.argv[1]), sys.argv[2], engine="reference")
sys.stdout.write(view.html())
sys.stderr.write(sculpt.__file__)
"""


def test_a_report_from_a_wheel(tmp_path: Path) -> None:
    """The wheel is used as it is, without being unpacked: nothing is read beside the package."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)],
        env={**os.environ, "SCULPT_BUILD": "pure"},
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"sculpt/views/static/{name}" for name in PAGE} <= set(names)
    assert not [name for name in names if "node_modules" in name or name.endswith(".ts")]
    made = subprocess.run(
        [sys.executable, "-c", REPORT, str(DRAFT), str(STATEMENT)],
        env={"PYTHONPATH": str(wheel), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".whl" in made.stderr
    assert "3 of 10 rules are violated" in made.stdout
    assert "script-src 'sha256-" in made.stdout


def test_what_is_there_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / STATIC, tmp_path / STATIC)
    monkeypatch.setenv("PATH", "")
    assert [path.name for path in _page(tmp_path)] == list(PAGE)


def test_without_node_there_is_no_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web").mkdir()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="the script of reports cannot be built"):
        _page(tmp_path)


def test_a_build_that_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web").mkdir()
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "npm").write_text("#!/bin/sh\nexit 0\n")
    (tools / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/bin:/usr/bin")
    with pytest.raises(SystemExit, match=r"has not made page\.js, LICENSES\.txt"):
        _page(tmp_path)


def test_the_lock_names_no_host() -> None:
    """Whoever builds it uses their own registry, and gets exactly these packages."""
    lock = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in lock
    assert "http" not in lock
    assert lock.count('"integrity": "sha512-') >= 3
