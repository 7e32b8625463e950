"""Fit the weights of frames to labelled lines, and write `src/sculpt/inference/frame/weights.py`.

    .venv/bin/python tools/fit_frame.py FOLDER    a folder with labels.jsonl and the files it names

In: files whose lines are labelled. Out: the weights of a conditional random field, those with the
highest probability of the labels, less a penalty for large weights; rounded to tenths.

Statistical tables all have titles, and each source writes them in its own way. So that the weights
learn little from that, each file is used in three versions: as it is; with blank rows removed or
inserted, and sometimes without its title or its notes; and as a plain table, a header and data or
data alone.

Cost: some minutes. `benchmarks/infer_frames.py` measures what comes out.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sculpt.inference.frame.facts import facts_of
from sculpt.inference.frame.features import features_of, step_of
from sculpt.inference.frame.scoring import ORDER, SCALE, Weights
from sculpt.inference.frame.search import find_frame, odd_rows, rows_to_read
from sculpt.inference.frame.surroundings import look_around

PENALTY = 6.0
FEWEST_FILES = 6
"""A feature that fewer versions of files have has no weight."""
LEAST = 3
"""The least weight, in tenths, that is worth a line."""
STEPS = ("gap", "same", "change")
TARGET = Path(__file__).parent.parent / "src" / "sculpt" / "inference" / "frame" / "weights.py"

Array: TypeAlias = NDArray[Any]


class Labelled(Protocol):
    """A file with labelled rows."""

    @property
    def rows(self) -> Sequence[Sequence[str]]: ...  # noqa: D102
    @property
    def labels(self) -> Sequence[str]: ...  # noqa: D102


class Version(NamedTuple):
    """A version of a file."""

    rows: list[list[str]]
    labels: list[str]


class Example(NamedTuple):
    """The lines of a version that are not blank."""

    features: list[list[str]]
    steps: list[int]
    labels: list[int]


def versions(file: Labelled, choice: random.Random) -> list[Version]:
    """A file as it is, with other blank rows, and as a plain table."""
    pairs = [(list(row), label) for row, label in zip(file.rows, file.labels, strict=True)]
    found = [pairs, _respaced(pairs, choice), _plain(pairs, choice)]
    return [Version([row for row, _ in one], [label for _, label in one]) for one in found if one]


Pairs: TypeAlias = list[tuple[list[str], str]]


def _respaced(pairs: Pairs, choice: random.Random) -> Pairs:
    """Without blank rows if there are any; else with some, mostly where the label changes."""
    if any(label == "empty" for _, label in pairs):
        see = [any("see notes" in cell.lower() for cell in row) for row, _ in pairs]
        found = [
            pair
            for pair, sees in zip(pairs, see, strict=True)
            if pair[1] != "empty" and not (sees and choice.random() < 0.7)
        ]
    else:
        found = []
        often: dict[str, float] = {label: choice.random() * 0.75 + 0.2 for label in ORDER}
        for pair in pairs:
            if found and found[-1][1] != pair[1] and choice.random() < often.get(pair[1], 0):
                found.append(([""], "empty"))
            found.append(pair)
    for label in ("notes", "metadata"):
        if choice.random() < 0.3:
            found = [pair for pair in found if pair[1] != label]
    return found


def _plain(pairs: Pairs, choice: random.Random) -> Pairs:
    """The last header and some of the data below it, in all columns or a few."""
    headers = [ix for ix, (_, label) in enumerate(pairs) if label == "header"]
    if not headers:
        return []
    data = [row for row, label in pairs[headers[-1] :] if label == "data"]
    data = data[: choice.choice([3, 8, 20, 60, 200])]
    width = max(map(len, data), default=0)
    header = [*pairs[headers[-1]][0], *[""] * width]
    columns = [
        ix
        for ix in range(width)
        if sum(ix < len(row) and bool(row[ix]) for row in data) * 2 > len(data)
        and (header[ix] or choice.random() < 0.3)
    ]
    if columns and choice.random() < 0.5:
        few = choice.choice([1, 1, 2, 3]) if len(columns) > 2 else 1
        columns = sorted(choice.sample(columns, few))
    if not any(header[ix] for ix in columns):
        return []
    rows = [[(row[ix] if ix < len(row) else "") for ix in columns] for row in [header, *data]]
    labelled = [(row, "data" if at else "header") for at, row in enumerate(rows) if any(row)]
    return labelled[1:] if choice.random() < 0.2 else labelled


def example_of(version: Version) -> Example:
    """The features of a version, and its labels as numbers."""
    rows = version.rows
    lines = [
        facts for ix in rows_to_read(rows, odd_rows(rows)) if (facts := facts_of(ix + 1, rows[ix]))
    ]
    around = look_around(lines)
    steps = [step_of(lines[ix - 1], lines[ix], around, ix) for ix in range(1, len(lines))]
    numbers: dict[str, int] = {label: ix for ix, label in enumerate(ORDER)}
    return Example(
        features_of(lines, around),
        [0, *map(STEPS.index, steps)],
        [numbers.get(version.labels[line.row - 1], numbers["data"]) for line in lines],
    )


class Field:
    """Examples as arrays, line by line: first the first lines of all, then the second ones."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """The longest first, so that the examples that go on are the first ones."""
        examples = sorted((one for one in examples if one.labels), key=lambda one: -len(one.labels))
        met = Counter(
            name for one in examples for name in {name for line in one.features for name in line}
        )
        self.names = sorted(name for name, count in met.items() if count >= FEWEST_FILES)
        numbers = {name: ix for ix, name in enumerate(self.names)}
        lengths = [len(one.labels) for one in examples]
        self.active = [sum(length > at for length in lengths) for at in range(lengths[0])]
        self.starts = np.concatenate([[0], np.cumsum(self.active)])
        order = [(one, at) for at, count in enumerate(self.active) for one in examples[:count]]
        rows = [[numbers[n] for n in one.features[at] if n in numbers] for one, at in order]
        self.cells = np.array([ix for row in rows for ix in row])
        self.owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        self.bounds = np.concatenate([[0], np.cumsum([len(row) for row in rows])])[:-1]
        self.labels = np.array([one.labels[at] for one, at in order])
        self.steps = np.array([one.steps[at] for one, at in order])
        # A long file says more than a short one, but not in proportion.
        own = np.minimum(2.0, (np.array(lengths) / 30.0) ** -0.5)
        self.shares = np.concatenate([own[:count] for count in self.active])
        self.ends = self.starts[np.array(lengths) - 1] + np.arange(len(examples))

    def layer(self, at: int) -> slice:
        """The lines at a place of all examples."""
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def loss(self, weights: Array) -> tuple[float, Array]:
        """How improbable the labels are with these weights, and its gradient."""
        size, kinds = len(self.names), len(ORDER)
        own = weights[: size * kinds].reshape(size, kinds)
        steps = weights[size * kinds : -kinds].reshape(len(STEPS), kinds, kinds)
        emissions = np.add.reduceat(own[self.cells], self.bounds, axis=0)
        emissions[self.layer(0)] += weights[-kinds:]
        ahead, behind = self._chains(emissions, steps)
        totals = _log_sum(ahead[self.ends], 1)
        all_totals = np.concatenate([totals[:count] for count in self.active])
        lines = np.arange(len(self.labels))
        loss = float((totals * self.shares[: len(totals)]).sum())
        loss -= float((emissions[lines, self.labels] * self.shares).sum())
        rest = np.exp(ahead + behind - all_totals[:, None])
        rest[lines, self.labels] -= 1.0
        rest *= self.shares[:, None]
        of_steps = np.zeros_like(steps)
        for at in range(1, len(self.active)):
            here, count = self.layer(at), self.active[at]
            before = slice(int(self.starts[at - 1]), int(self.starts[at - 1]) + count)
            share, kind = self.shares[here], self.steps[here]
            after = (emissions[here] + behind[here])[:, None, :]
            pairs = ahead[before][:, :, None] + steps[kind] + after
            chances = np.exp(pairs - totals[:count, None, None]) * share[:, None, None]
            np.add.at(of_steps, kind, chances)
            true = (kind, self.labels[before], self.labels[here])
            np.add.at(of_steps, true, -share)
            loss -= float((steps[true] * share).sum())
        of_lines = np.stack(
            [np.bincount(self.cells, rest[self.owners, ix], size) for ix in range(kinds)], axis=1
        )
        gradient = [of_lines.ravel(), of_steps.ravel(), rest[self.layer(0)].sum(axis=0)]
        return (
            loss + PENALTY / 2 * float(weights @ weights),
            np.concatenate(gradient) + PENALTY * weights,
        )

    def _chains(self, emissions: Array, steps: Array) -> tuple[Array, Array]:
        """The logarithms of the sums over all labellings up to each line, and after it."""
        ahead, behind = emissions.copy(), np.zeros_like(emissions)
        for at in range(1, len(self.active)):
            here = self.layer(at)
            start = int(self.starts[at - 1])
            last = ahead[start : start + self.active[at]]
            ahead[here] += _log_sum(last[:, :, None] + steps[self.steps[here]], 1)
        for at in range(len(self.active) - 1, 0, -1):
            here = self.layer(at)
            start = int(self.starts[at - 1])
            after = (emissions[here] + behind[here])[:, None, :]
            summed = _log_sum(steps[self.steps[here]] + after, 2)
            behind[start : start + self.active[at]] = summed
        return ahead, behind


def _log_sum(values: Array, axis: int) -> Array:
    top = values.max(axis=axis, keepdims=True)
    summed: Array = (top + np.log(np.exp(values - top).sum(axis=axis, keepdims=True))).squeeze(axis)
    return summed


def minimize(loss: Callable[[Array], tuple[float, Array]], size: int, rounds: int = 200) -> Array:
    """The least point of a convex function: L-BFGS with backtracking."""
    point = np.zeros(size)
    value, slope = loss(point)
    past: list[tuple[Array, Array]] = []
    for _ in range(rounds):
        step = -_scaled(slope, past)
        length = 1.0 if past else 1.0 / max(1.0, float(np.abs(slope).max()))
        while True:
            new = point + length * step
            new_value, new_slope = loss(new)
            if new_value <= value + 1e-4 * length * float(slope @ step) or length < 1e-6:
                break
            length /= 2
        if value - new_value < 1e-6 * abs(value):
            return new
        if float((new - point) @ (new_slope - slope)) > 0:
            past = [*past[-9:], (new - point, new_slope - slope)]
        point, value, slope = new, new_value, new_slope
    return point


def _scaled(slope: Array, past: Sequence[tuple[Array, Array]]) -> Array:
    """The slope times an estimate of the inverse curvature, from the last few moves."""
    result = slope.copy()
    parts = []
    for move, change in reversed(past):
        part = float(move @ result) / float(move @ change)
        parts.append(part)
        result -= part * change
    if past:
        move, change = past[-1]
        result *= float(move @ change) / float(change @ change)
    for (move, change), part in zip(past, reversed(parts), strict=True):
        result += (part - float(change @ result) / float(move @ change)) * move
    return result


def fit(files: Iterable[Labelled]) -> Weights:
    """The weights that fit some files."""
    choice = random.Random(1)
    examples = [example_of(version) for file in files for version in versions(file, choice)]
    field = Field(examples)
    size, kinds = len(field.names), len(ORDER)
    found = minimize(field.loss, (size + len(STEPS) * kinds + 1) * kinds) * SCALE
    own = found[: size * kinds].reshape(size, kinds)
    own = np.rint(own - own.mean(axis=1, keepdims=True)).astype(int)
    steps = np.rint(found[size * kinds : -kinds]).astype(int).reshape(len(STEPS), kinds, kinds)
    lines = {
        name: tuple(map(int, row))
        for name, row in zip(field.names, own, strict=True)
        if np.abs(row).max() >= LEAST
    }
    return Weights(
        lines,
        {
            name: {label: tuple(map(int, row)) for label, row in zip(ORDER, rows, strict=True)}
            for name, rows in zip(STEPS, steps, strict=True)
        },
        tuple(map(int, np.rint(found[-kinds:]))),
    )


def cross(files: Iterable[Labelled]) -> Callable[[Sequence[Sequence[str]]], list[str]]:
    """What labels rows with weights that were fitted to some files alone."""
    weights = fit(files)
    return lambda rows: [line.label for line in find_frame(rows, weights).lines]


def module_of(weights: Weights) -> str:
    """The text of `weights.py`."""
    text = [_HEAD]
    for name in sorted(weights.lines, key=lambda name: (name.count("&"), name)):
        text.append(f'        "{name}": {weights.lines[name]},')
    text.append("    },\n    steps={")
    for name, rows in weights.steps.items():
        text.append(f'        "{name}": {{')
        text += [f'            "{label}": {row},' for label, row in rows.items()]
        text.append("        },")
    text.append(f"    }},\n    starts={weights.starts},\n)  # fmt: skip\n")
    return "\n".join(text)


_HEAD = '''"""The weights of frames: one line a feature, one column a label.

In: nothing. Out: `WEIGHTS`. The columns are metadata, header, group, data, derived, notes.
`features` says what the features mean, `scoring` what weights are.

Invariant: `tools/fit_frame.py` writes this module, from labelled lines of statistical tables.
"""

from __future__ import annotations

from sculpt.inference.frame.scoring import Weights

WEIGHTS = Weights(
    lines={'''


def main() -> None:
    """Fit to all files of a folder."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
    from infer_frames import read_files

    weights = fit(read_files(Path(sys.argv[1])))
    TARGET.write_text(module_of(weights), encoding="utf-8")
    print(f"{len(weights.lines)} features")


if __name__ == "__main__":
    main()
