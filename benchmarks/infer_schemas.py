"""How good are proposed schemas? Figures over shared data, printed as a table.

In: a folder with `lines/`, `dialects/`, `sisters/`, `columns/` (its first argument; the default is
`../shared/inference`). Out: for each bar what is required and what is found. Nothing is
learnt here, and nothing is kept.

    python benchmarks/infer_schemas.py [FOLDER] [--only NAME] [--sample N]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sculpt import SculptError
from sculpt.api import validate
from sculpt.inference.columns.learn import STRICTNESS, Learnt, learn
from sculpt.inference.propose import propose
from sculpt.schema import Schema, format_text
from sculpt.values import frozen


@frozen
class Own:
    """A schema on the file that it is made from."""

    path: Path
    found: bool
    accepts: bool
    clean: bool
    lines: int
    longest: int
    seconds: float
    problem: str = ""
    is_plain: bool = False
    """Does the schema say nothing but that there are cells?"""


def own_file(path: Path) -> Own:
    """Propose a schema for a file, and run it on the file."""
    start = time.perf_counter()
    try:
        proposal = propose(path)
    except SculptError as error:
        return Own(path, False, False, False, 0, 0, 0.0, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    if not proposal.found:
        return Own(path, False, True, True, 0, 0, seconds)
    text = proposal.schema
    schema = Schema.parse(text)
    verdict = validate(schema, path, engine="local")
    problem = verdict.violations[0].message if verdict.violations else ""
    lints = [each.code for each in schema.lint]
    is_clean = not lints and format_text(text) == text
    lines = text.splitlines()
    return Own(
        path,
        True,
        verdict.valid,
        is_clean,
        len(lines),
        max(map(len, lines)),
        seconds,
        problem or ",".join(lints),
        not schema.core.rules or text.rstrip().endswith("\n\ntrue -> Any*"),
    )


def files_of(folder: Path, name: str) -> list[Path]:
    """The tables of a part of the data."""
    if name == "lines":
        listed = (folder / "lines" / "labels.jsonl").read_text().splitlines()
        return [folder / "lines" / json.loads(line)["file"] for line in listed]
    if name == "dialects":
        return sorted(each for each in (folder / "dialects" / "files").iterdir() if each.is_file())
    return sorted((folder / "sisters").glob("*.csv"))


def own_shares(folder: Path, name: str, sample: int | None) -> Iterator[tuple[str, str, str]]:
    """How many files have a schema that is clean and accepts them."""
    files = files_of(folder, name)
    if sample is not None:
        files = random.Random(1).sample(files, min(sample, len(files)))
    results = [own_file(path) for path in files]
    found = [each for each in results if each.found]
    for each in results:
        if not (each.accepts and each.clean):
            print(f"  {each.path.name}: {each.problem[:110]}", file=sys.stderr)
    good = sum(each.accepts and each.clean for each in results)
    yield (
        f"{name}: accepts its file, clean",
        "1.000",
        f"{good / len(results):.3f} of {len(results)}",
    )
    yield f"{name}: has a table", "", f"{len(found) / len(results):.3f}"
    if found:
        yield f"{name}: median lines", "≤ 35", f"{statistics.median(e.lines for e in found):g}"
        longest = sum(each.longest > 100 for each in found)
        yield f"{name}: with lines > 100", "0", f"{longest}"
        plain = [each.path.name for each in found if each.is_plain]
        yield f"{name}: says nothing", "", f"{len(plain)}"
        print(*plain, file=sys.stderr)
        yield f"{name}: median seconds", "", f"{statistics.median(e.seconds for e in found):.2f}"


def sisters(folder: Path, rounds: int = 8) -> Iterator[tuple[str, str, str]]:
    """From 4 files: how many of the others are accepted, and of files of other kinds refused."""
    files = files_of(folder, "sisters")
    strangers = [*files_of(folder, "dialects"), *files_of(folder, "lines")[::4]]
    accepted = count = refused = 0
    for seed in range(rounds):
        chosen = random.Random(seed).sample(files, 4)
        proposal = propose(chosen)
        schema = Schema.parse(proposal.schema)
        for path in files:
            if path not in chosen:
                count += 1
                accepted += _is_valid(schema, path)
        refused += sum(not _is_valid(schema, path) for path in strangers)
    yield "sisters: others accepted", "≥ 0.85", f"{accepted / count:.3f} of {count}"
    strange = rounds * len(strangers)
    yield "sisters: strangers refused", "≥ 0.98", f"{refused / strange:.3f} of {strange}"
    beaches: dict[str, list[Path]] = {}
    for path in files:
        beaches.setdefault(path.name.partition("_")[0], []).append(path)
    good = total = 0
    for members in beaches.values():
        if len(members) > 4:
            proposal = propose(members[:4])
            schema = Schema.parse(proposal.schema)
            for path in members[4:]:
                total += 1
                good += _is_valid(schema, path)
    yield "sisters of one beach: accepted", "", f"{good / total:.3f} of {total}"


def _is_valid(schema: Schema, path: Path) -> bool:
    try:
        return validate(schema, path, engine="local").valid
    except SculptError:
        return False


def _accepts(learnt: Learnt, text: str) -> bool:
    if not text:
        return learnt.has_empty
    if text in learnt.missing or text in learnt.errors:
        return True
    return any(form.accepts(text) for form in learnt.ladder[0])


def columns(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Learnt on 30 %: false alarms on the rest, and how much of other columns is refused."""
    data: dict[str, dict[str, Sequence[str]]] = {}
    for name in ("homo", "hetero"):
        data[name] = {
            path.name: [str(each).strip() for each in json.loads(path.read_text())["Data"]]
            for path in sorted((folder / "columns" / name).glob("*.json"))
        }
    for name, found in data.items():
        alarms, refused = [], []
        for key, texts in found.items():
            mixed = list(texts)
            random.Random(1).shuffle(mixed)
            cut = max(1, int(len(mixed) * 0.3))
            learnt = learn([Counter(mixed[:cut])], STRICTNESS["normal"])
            rest = mixed[cut:]
            alarms.append(sum(not _accepts(learnt, each) for each in rest) / max(1, len(rest)))
            foreign = [
                each
                for other, some in data["homo"].items()
                if (name, key) != ("homo", other)
                for each in some[:500]
            ]
            refused.append(sum(not _accepts(learnt, each) for each in foreign) / len(foreign))
        yield f"columns, {name}: false alarms", "≤ 0.05", f"{statistics.mean(alarms):.3f}"
        yield f"columns, {name}: foreign refused", "≥ 0.70", f"{statistics.mean(refused):.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="../shared/inference")
    parser.add_argument("--only", action="append")
    parser.add_argument("--sample", type=int)
    asked = parser.parse_args()
    folder = Path(asked.folder)
    parts = asked.only or ["columns", "sisters", "own-sisters", "dialects", "lines"]
    for part in parts:
        if part == "columns":
            found = columns(folder)
        elif part == "sisters":
            found = sisters(folder)
        else:
            found = own_shares(folder, part.removeprefix("own-"), asked.sample)
        for name, bar, value in found:
            print(f"{name:34} {bar:>8} {value}", flush=True)


if __name__ == "__main__":
    main()
