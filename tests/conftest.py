"""What several test modules share: the corpus, and the shared material where it is present."""

from __future__ import annotations

import os
import signal
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pyspark.sql import SparkSession

    from wheels import Installed

# Who started the tests may ignore signals (`nohup`); the commands that are tested must not.
for _signal in (signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, signal.SIG_DFL)

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

settings.register_profile(
    "sculpt",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
# The same examples each time where a change is judged; new ones each time elsewhere.
settings.register_profile("ci", settings.get_profile("sculpt"), derandomize=True)
settings.load_profile(os.environ.get("SCULPT_EXAMPLES", "sculpt"))


@dataclass(frozen=True)
class Case:
    """One case of `tests/corpus`."""

    file: str
    facts: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}:{self.facts['name']}"

    @property
    def schema(self) -> str:
        return str(self.facts["schema"])

    @property
    def data(self) -> bytes:
        if "data_hex" in self.facts:
            return bytes.fromhex(self.facts["data_hex"])
        return str(self.facts.get("data", "")).encode()

    @property
    def settings(self) -> list[str]:
        return [f"{name}={value}" for name, value in self.facts.get("set", {}).items()]


def corpus(folder: str = "") -> list[Case]:
    """Every case of the corpus, or of a folder of it."""
    cases = []
    for path in sorted((Path(__file__).parent / "corpus" / folder).glob("*.toml")):
        with path.open("rb") as file:
            cases += [Case(path.stem, facts) for facts in tomllib.load(file)["case"]]
    return cases


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A real session on two cores, in which a task may fail three times. One at a time: a process
    has one Java, which serves one session after another.
    """
    from sculpt.spark.cluster.session import open_session

    with open_session("local[2,4]", {}, verbose=False) as session:
        yield session


@pytest.fixture(scope="module")
def cluster() -> Iterator[SparkSession]:
    """A real session with two executors, processes of their own."""
    from sculpt.spark.cluster.session import open_session

    with open_session("local-cluster[2,1,1024]", {}, verbose=False) as session:
        yield session


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    from playwright.sync_api import sync_playwright

    from pages import OPTIONS, browser_path

    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser_path(), args=list(OPTIONS))
        yield chromium
        chromium.close()


@pytest.fixture
def shared() -> Path:
    """The shared material: figures, use cases, real data; absent in most checkouts."""
    if not SHARED.is_dir():
        pytest.skip("the shared material is not here")
    return SHARED


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A wheel with the library, installed without any extra."""
    from wheels import installed

    return installed(tmp_path_factory.mktemp("compiled"), "library")


@pytest.fixture(scope="session")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A wheel without the library, installed without any extra."""
    from wheels import installed

    return installed(tmp_path_factory.mktemp("pure"), "pure")
