"""Names of inputs and outputs: no command changes what it reads, or leaves half of an output.

In: a command, its inputs and its output, each named in some way: relative, absolute, with detours,
through links to files and directories, as a glob, a directory or a URI. All are names in one small
tree of data, schemas, an include and a mapping. The command runs in this process.

Compared: the tree before and after. Invariants: an input keeps its bytes, mode and time; the
status is 0 to 3; a command that fails leaves the tree as it was; one that succeeds writes its
complete output and nothing else: the same bytes as at a place outside the tree. No traceback.
Cost: 5 ms per case; the tree is made again only after a change.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock
from urllib.parse import quote

from hypothesis import strategies as st

import sculpt
from fuzz.harness import Case, Target
from fuzz.tree import (
    FILES,
    HARD_LINKS,
    LINKS,
    Entry,
    files_of,
    listed,
    planted,
    schema_files,
    workplace,
)
from sculpt.cli.main import run_call
from sculpt.transform.writers.formats import Format, extension_of

SCHEMAS = [*(name for name in FILES if name.startswith("schemas/")), "main.sculpt", "gone.sculpt"]
SCHEMAS += ["schemas/main.sculpt"] * 16 + ["schemas/many.sculpt"] * 8
DATA = [
    *["data/a.csv"] * 8,
    *["data/b.csv", "data/deep/odd %41.csv", "gaps.csv", "wrong.csv"],
    *["data", "linked", "linked/b.csv", "link.csv", "hard.csv", "data/*.csv", "data/**/*.csv"],
    *["data/[ab].csv", "linked/*", "*.csv", "schemas/codes.csv", "gone.csv", "empty", "self/data"],
]
ENDS = [*(extension_of(each)[1:] for each in Format), "txt"]
OWN = ["data/a.csv", "data/b.csv", "schemas/codes.csv", "schemas/part.sculpt", *LINKS, *HARD_LINKS]
OUTS = [
    *FILES,
    *["linked/a.csv", "data/new.csv", "linked/new", "empty", "empty/", "full", "full/", "data/"],
    *["gone/new.csv", "newdir/", "data/newdir/", "schemas", "", ".", "data/a.csv/", "-", "new"],
    *[f"new.{end}" for end in ENDS],
]
WAYS = ["relative", "relative", "absolute", "detour", "link", "uri", "coded", "short uri"]
FORMATS = [str(each) for each in Format]


# ------------------------------------------------------------- cases


@st.composite
def names(draw: st.DrawFn, places: list[str], cwd: str, is_data: bool = False) -> str:
    """One of the names of a place in the tree; `{root}` is the tree."""
    place = draw(st.sampled_from(places))
    if place == "-":
        return place
    absolute = f"{{root}}/{place}"
    match draw(st.sampled_from(WAYS[: None if is_data else 5])):
        case "absolute":
            return absolute
        case "detour":
            return f"{{root}}//schemas/../{place}"
        case "link":
            return f"{{root}}/self/./{place}"
        case "uri":
            return "file://" + quote(absolute, safe="/{}*[]")
        case "coded":
            coded = "".join(f"%{ord(char):02x}" if char in "adt %" else char for char in place)
            return f"file://{{root}}/{coded}"
        case "short uri":
            return "file:" + quote(absolute, safe="/{}*[]")
    return place if cwd == "." else f"../{place}"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cases, as described in the module's docstring."""
    cwd = draw(st.sampled_from([".", ".", ".", "data", "linked"]))
    command = draw(st.sampled_from(["run", "run", "run", "extract", "extract", "validate", "fmt"]))
    count = draw(st.integers(1, 2))
    case: Case = {"cwd": cwd, "command": command, "out": None, "options": [], "data": []}
    several = count if command == "fmt" else 1
    case["schemas"] = [draw(names(SCHEMAS, cwd)) for _ in range(several)]
    if command == "fmt":
        return {**case, "options": draw(st.sampled_from([[], ["-w"], ["-w"], ["--check"]]))}
    several = 1 if command == "extract" else count
    case["data"] = [draw(names(DATA, cwd, is_data=True)) for _ in range(several)]
    own = st.sampled_from([*case["schemas"], *case["data"]])
    case["out"] = draw(st.one_of(st.none(), own, names(OWN, cwd), names(OUTS, cwd)))
    case["options"] += ["--engine", draw(st.sampled_from(["local", "reference"]))]
    if command in ("run", "extract"):
        case["options"] += draw(st.just([]) | st.sampled_from(FORMATS).map(lambda f: ["-f", f]))
    if command == "run":
        case["options"] += draw(st.sampled_from([[], [], ["--force"], ["--only-good-rows"]]))
        only = st.sampled_from(["Obs", "Obs", "text", "annotations", "gone"])
        case["options"] += draw(st.just([]) | only.map(lambda name: ["--only", name]))
    return case


def arguments(case: Case, out: str | None) -> list[str]:
    """The arguments of a case."""
    region = ["number"] if case["command"] == "extract" else []
    option = "--violations-to" if case["command"] == "validate" else "-o"
    named = [] if out is None else [f"{option}={out}" if option != "-o" else f"-o{out}"]
    if out == "":
        named = [option, out]
    return [
        case["command"],
        *case["options"],
        *named,
        "--",
        *case["schemas"],
        *case["data"],
        *region,
    ]


# ------------------------------------------------------------- checks


@dataclass(frozen=True)
class Ended:
    """A command that has run, and the tree after it."""

    case: Case
    status: int
    said: str
    before: dict[str, Entry]
    after: dict[str, Entry]
    inputs: frozenset[str]
    place: str | None
    """The real path of the output."""
    is_directory: bool

    @property
    def changed(self) -> set[str]:
        """The paths whose contents changed."""
        paths = self.before.keys() | self.after.keys()
        return {path for path in paths if self.before.get(path) != self.after.get(path)}


def check(case: Case) -> None:
    """Run the command, and look at the tree."""
    ended = run_case(case)
    if not ended.changed:
        _tree.append(ended.before)
    check_message(ended)
    check_inputs(ended)
    if case["command"] == "fmt":
        check_formatted(ended)
    elif ended.changed:
        check_written(ended)
    else:
        check_nothing(ended)


def run_case(case: Case) -> Ended:
    """Run the command of a case."""
    root = workplace() / "tree"
    case = json.loads(json.dumps(case).replace("{root}", str(root)))
    before = _tree.pop() if _tree else planted()
    with _within(root / case["cwd"]):
        out = case["out"]
        place = None if out in (None, "", "-") else os.path.realpath(out)
        is_directory = place is not None and (out.endswith("/") or os.path.isdir(place))
        inputs = {file for name in case["data"] for file in files_of(name)}
        if case["command"] != "fmt":
            inputs |= schema_files(case["schemas"])
        status, said = ran(arguments(case, out))
    after = listed(root)
    return Ended(case, status, said, before, after, frozenset(inputs), place, is_directory)


_tree: list[dict[str, Entry]] = []
"""What is in the tree, as long as it is unchanged."""


def check_message(ended: Ended) -> None:
    """Check that the status is one of ours, and that no bug is reported."""
    assert ended.status in (0, 1, 2, 3), ended.said
    assert "Traceback" not in ended.said, ended.said
    assert "bug in sculpt" not in ended.said, ended.said


def check_inputs(ended: Ended) -> None:
    """Check that the inputs are unchanged."""
    lost = ended.changed & ended.inputs
    assert not lost, (lost, ended.said)


def check_nothing(ended: Ended) -> None:
    """Check that a command that writes nothing has no output, or failed."""
    assert ended.status != 0 or ended.place is None, ended.said


def check_written(ended: Ended) -> None:
    """Check that the output is complete, in its place, with its old mode; nothing else is new."""
    place, before, after = ended.place, ended.before, ended.after
    # The violations of the inputs that could be read are listed, whatever happened to the others.
    fits = (0, 1, 3) if ended.case["command"] == "validate" else (0, 1)
    assert ended.status in fits, (ended.changed, ended.said)
    assert place is not None, ended.changed
    stray = {
        path for path in ended.changed if path != place and path[: len(place) + 1] != place + "/"
    }
    assert not stray, (stray, ended.said)
    files = {path[len(place) :]: after[path].content for path in ended.changed if path in after}
    assert without_directories(files) == written_elsewhere(ended), ended.said
    kept = [path for path in ended.changed if path in before and path in after]
    assert all(before[path].mode == after[path].mode for path in kept), ended.said


def check_formatted(ended: Ended) -> None:
    """Check that only the named schemas are written, and correctly."""
    with _within(workplace() / "tree" / ended.case["cwd"]):
        named = {file for name in ended.case["schemas"] for file in files_of(name)}
    assert ended.changed <= (named if "-w" in ended.case["options"] else set()), ended.changed
    for path in ended.changed:
        old, new = ended.before[path], ended.after[path]
        assert isinstance(old.content, bytes)
        assert new.content == sculpt.format_text(old.content.decode(), path).encode()
        assert new.mode == old.mode


def written_elsewhere(ended: Ended) -> dict[str, bytes | str]:
    """What the same command writes at a new place."""
    root = workplace() / "elsewhere"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    place = root / (os.path.basename(ended.case["out"].rstrip("/")) or "out")
    if ended.is_directory:
        place.mkdir()
    planted()
    with _within(workplace() / "tree" / ended.case["cwd"]):
        ran(arguments(ended.case, str(place)))
    found = {path[len(str(place)) :]: entry.content for path, entry in listed(root).items()}
    return without_directories(found)


def without_directories(found: dict[str, bytes | str | None]) -> dict[str, bytes | str]:
    """Contents by name."""
    return {name: content for name, content in found.items() if content is not None}


def ran(args: list[str]) -> tuple[int, str]:
    """The status of a command, and all that it prints."""
    raw = (io.BytesIO(), io.BytesIO())
    out, err = (io.TextIOWrapper(each, "utf-8") for each in raw)
    with mock.patch.multiple(sys, stdout=out, stderr=err):
        status = run_call(args)
    for stream in (out, err):
        stream.flush()
    return status, b"".join(each.getvalue() for each in raw).decode("utf-8", "replace")


@contextmanager
def _within(directory: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


TARGET = Target("outputs", cases(), check)
