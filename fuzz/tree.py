"""A small tree of data, schemas, an include, a mapping, and links to them, to run commands in.

In: nothing. Out: the tree, with times long ago, and what is in it: bytes, modes, times, links. The
names of files say what they are for; `files_of` says which files an argument names, by the rules of
`docs/cli.md` and not by our code. Cost: 1 ms to make it, 0.3 ms to list it.
"""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

PROGRAM = """\
include "part.sculpt"
mapping   Codes = "codes.csv"
For each cell v in number {
  emit Obs(name: map(left(v), Codes), value: v as xs:byte)
}
"""
FILES = {
    "schemas/main.sculpt": PROGRAM,
    "schemas/many.sculpt": PROGRAM + 'print "all"\nFor each cell v in word { annotate v with v }\n',
    "schemas/text.sculpt": 'include "part.sculpt"\nprint Sum(number)\n',
    "schemas/rules.sculpt": "row(1) ->   Any*\n",
    "schemas/broken.sculpt": "row(1) -> (\n",
    "schemas/lost.sculpt": 'include "gone.sculpt"\nprint 1\n',
    "schemas/part.sculpt": "word = [a-z]\nnumber =  [0-9]+\ntrue -> word, number\n",
    "schemas/codes.csv": "a,A\nb,B\n",
    "data/a.csv": "a,1\nb,2\n",
    "data/b.csv": "b,3\n",
    "data/deep/odd %41.csv": "a,4\n",
    "gaps.csv": "c,5\na,300\n",
    "wrong.csv": "a,x\nb,7\n",
    "other.csv": "of no concern\n",
    "full/other.txt": "of no concern\n",
}
READS = {
    "schemas/main.sculpt": ("schemas/part.sculpt", "schemas/codes.csv"),
    "schemas/many.sculpt": ("schemas/part.sculpt", "schemas/codes.csv"),
    "schemas/text.sculpt": ("schemas/part.sculpt",),
}
"""The files that schemas include or map with."""
LINKS = {
    "link.csv": "data/a.csv",
    "linked": "data",
    "self": ".",
    "main.sculpt": "schemas/main.sculpt",
    "part": "schemas/part.sculpt",
    "codes.csv": "schemas/codes.csv",
    "dangling.csv": "nowhere.csv",
}
HARD_LINKS = {"hard.csv": "data/a.csv", "data/deep/codes.csv": "schemas/codes.csv"}
DIRECTORIES = ["schemas", "data/deep", "full", "empty"]
OLD = 1_000_000_000


class Entry(NamedTuple):
    """What is at a path."""

    mode: int
    time: int
    content: bytes | str | None
    """The bytes of a file, the target of a link, or nothing for a directory."""


@cache
def workplace() -> Path:
    """A directory of this process, in memory if possible."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    made = os.path.realpath(tempfile.mkdtemp(prefix="sculpt-outputs-", dir=memory))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def planted() -> dict[str, Entry]:
    """Make the tree, with times long ago; return what is in it."""
    root = workplace() / "tree"
    shutil.rmtree(root, ignore_errors=True)
    for directory in DIRECTORIES:
        (root / directory).mkdir(parents=True)
    for ix, (name, text) in enumerate(FILES.items()):
        (root / name).write_text(text)
        (root / name).chmod((0o644, 0o600, 0o664)[ix % 3])
        os.utime(root / name, (OLD + ix, OLD + ix))
    for name, target in HARD_LINKS.items():
        os.link(root / target, root / name)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    return listed(root)


def listed(root: Path) -> dict[str, Entry]:
    """All that is in a tree, by path."""
    found: dict[str, Entry] = {}
    for entry in _walked(str(root)):
        facts = entry.stat(follow_symlinks=False)
        if entry.is_symlink():
            found[entry.path] = Entry(facts.st_mode, 0, os.readlink(entry.path))
        elif entry.is_dir():
            found[entry.path] = Entry(facts.st_mode, 0, None)
        else:
            content = Path(entry.path).read_bytes()
            found[entry.path] = Entry(facts.st_mode, facts.st_mtime_ns, content)
    return found


def _walked(root: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(root) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _walked(entry.path)


def files_of(name: str) -> list[str]:
    """The real paths of the files that an argument names."""
    path = unquote(name.removeprefix("file:").removeprefix("//")) if name[:5] == "file:" else name
    if os.path.isdir(path):
        found = [str(each) for each in Path(path).rglob("*")]
    else:
        found = [path] if os.path.exists(path) else glob.glob(path, recursive=True)
    return [os.path.realpath(each) for each in found if os.path.isfile(each)]


def schema_files(names: list[str]) -> set[str]:
    """The files of schemas, with their includes and mappings."""
    root = workplace() / "tree"
    found = {file for name in names for file in files_of(name)}
    taken = [
        other for name, others in READS.items() if str(root / name) in found for other in others
    ]
    return found | {str(root / name) for name in taken}
