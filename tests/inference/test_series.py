"""Many tables below each other: one set of rules, or looser rules, and the head counts them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import sculpt
from sculpt.inference.propose import Proposal

NAMES = ("ann", "bob", "cyd", "dora", "eve", "fay", "gus", "hal")


def proposal_of(folder: Path, text: str) -> tuple[Path, Proposal]:
    """The proposal for a file; it accepts it, and nothing is to be said of it."""
    path = folder / "data.csv"
    path.write_text(text)
    proposal = sculpt.propose(path)
    schema = sculpt.Schema.parse(proposal.schema)
    assert schema.lint == ()
    verdict = sculpt.validate(schema, path)
    assert verdict.valid, (proposal.schema, verdict.violations[:3])
    return path, proposal


def parish(number: int, second: str = "Sheep") -> str:
    """A table with a title."""
    chance = random.Random(number)
    rows = [f"{name},{chance.randint(1, 99)},{chance.randint(1, 99)}" for name in NAMES[:5]]
    return "\n".join([f"Parish {number},,", f"Owner,{second},Goats", *rows, ",,", ""])


@pytest.mark.parametrize("count", [2, 30])
def test_tables_with_equal_headings_share_rules(tmp_path: Path, count: int) -> None:
    text = "".join(parish(number) for number in range(count))
    path, proposal = proposal_of(tmp_path, text)
    assert "(title, Owner, owner+, Empty*)+" in proposal.schema or count == 2
    assert "right*(Owner) -> Owner, Sheep, Goats" in proposal.schema
    assert "col(Sheep) -> Integer | Sheep | Empty" in proposal.schema
    assert "row(" not in proposal.schema
    assert proposal.schema.count("\n") < 20
    assert f"{count} tables of one kind" in " ".join(proposal.schema.split("\n% "))
    schema = sculpt.Schema.parse(proposal.schema)
    path.write_text(text.replace("Owner,Sheep", "Owner,Cows", 1))
    assert not sculpt.validate(schema, path).valid
    path.write_text(text[: text.rindex(",", 0, -3)] + ",many\n")
    assert not sculpt.validate(schema, path).valid


def test_one_equal_heading_is_enough(tmp_path: Path) -> None:
    text = "".join(parish(number, f"Sheep of {1900 + number}") for number in range(30))
    _, proposal = proposal_of(tmp_path, text)
    assert "Sheep of" in proposal.schema
    assert "down+(right(Owner)) ->" in proposal.schema
    assert "col(Goats) -> Integer | Goats | Empty" in proposal.schema
    assert proposal.schema.count("\n") < 20


def test_what_stands_around_the_series(tmp_path: Path) -> None:
    text = "".join(parish(number) for number in range(12))
    _, proposal = proposal_of(tmp_path, f"All parishes,,\n,,\n{text}Source: the vicar,,\n")
    assert '"All parishes", Empty*, (title, Owner, owner+, Empty*)+, ' in proposal.schema or (
        "All parishes, Empty*, (title, Owner, owner+, Empty*)+, " in proposal.schema
    )


def test_data_that_looks_like_the_heading(tmp_path: Path) -> None:
    """Then only the column of the heading says which cells are headings."""
    chance = random.Random(3)

    def word() -> str:
        return "".join(chance.choice("abcdefghijkt") for _ in range(chance.randint(3, 7))).title()

    tables = []
    for number in range(10):
        rows = [f"{word()},{word()},{chance.randint(1, 99)}" for _ in range(8)]
        tables.append("\n".join([f"Part {number},,", "Item,Kind,Size", *rows, ",,", ""]))
    _, proposal = proposal_of(tmp_path, "".join(tables))
    assert "Item and col(1)" in proposal.schema
    assert "unique(" not in proposal.schema


def test_many_tables_with_nothing_in_common(tmp_path: Path) -> None:
    """They have looser rules, and few of them."""
    chance = random.Random(5)

    def word() -> str:
        return "".join(chance.choice("abcdefghij") for _ in range(6))

    parts = []
    for _ in range(30):
        headings = ",".join(word().title() for _ in range(3))
        rows = [f"{word()},{chance.randint(1, 99)},{chance.random():.3f}" for _ in range(6)]
        parts += [f"About {word()},,", headings, *rows, ",,"]
    _, proposal = proposal_of(tmp_path, "\n".join(parts) + "\n")
    assert len(proposal.frame.tables) > 8
    assert "row(" not in proposal.schema
    assert "more tables." in proposal.schema
    assert proposal.schema.count("\n") < 25
