"""Sniffing real files of the shared material, where it is present."""

from __future__ import annotations

import pytest

import sculpt
from conftest import SHARED

FILES = SHARED / "inference"
pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason="no shared material")


def test_tables_of_statistics_are_split_by_commas() -> None:
    paths = sorted((FILES / "lines").rglob("*.csv"))[::12]
    assert paths
    wrong = [path.name for path in paths if "Col Delim = ," not in sculpt.sniff(path).directives]
    assert len(wrong) * 30 <= len(paths), wrong


def test_files_of_one_kind_are_written_alike() -> None:
    found = {sculpt.sniff(path).directives for path in sorted((FILES / "sisters").glob("*.csv"))}
    assert found == {("Col Delim = ,",)}
