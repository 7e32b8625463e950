"""The language of a condition against reading the text: the same answers for every text."""

from __future__ import annotations

import random

import pytest

from sculpt.core.datatypes.model import Condition, Measured
from sculpt.core.datatypes.reading import holds, value
from typed_texts import (
    MEASURED_BY_LENGTH,
    ORDERED,
    RELATIONS,
    UNORDERED,
    WHOLE,
    Judge,
    condition,
    texts_of,
)

ALL_TYPES = sorted({*ORDERED, *UNORDERED})
RARE = ("Email", "Uri", "xs:language")
"""Types that random texts are hardly ever of."""


def agree(test: Condition, texts: list[str]) -> int:
    """How many texts are asked."""
    judge = Judge(test)
    asked = 0
    for text in texts:
        answer, expected = judge(text), holds(test, text)
        if answer == "ask":
            asked += 1
        else:
            assert (answer == "yes") == expected, (test, text)
    return asked


@pytest.mark.parametrize("type_name", ALL_TYPES)
def test_comparisons(type_name: str) -> None:
    rng = random.Random(f"comparisons of {type_name}")
    texts = sorted(set(texts_of(rng, type_name, 250)))
    bounds_type = "xs:date" if type_name == "Date" else type_name
    bounds = [text for text in texts if value(condition(bounds_type).base, text) is not None]
    relations = RELATIONS if type_name in ORDERED else ("=", "!=")
    assert bounds or type_name in RARE
    for bound in rng.sample(bounds, min(len(bounds), 4)):
        for relation in relations:
            agree(condition(type_name, relation, bound), texts)


@pytest.mark.parametrize(
    ("type_name", "measured"),
    [
        *((name, "length") for name in MEASURED_BY_LENGTH),
        *(
            (name, each)
            for name in (*WHOLE, "Number", "xs:decimal")
            for each in ("digits", "decimals")
        ),
    ],
)
def test_counts(type_name: str, measured: Measured) -> None:
    rng = random.Random(f"{measured} of {type_name}")
    texts = sorted(set(texts_of(rng, type_name, 200)))
    for bound in (0, 2, 3, 39, 40, 10**9):
        for relation in RELATIONS:
            agree(condition(type_name, relation, str(bound), measured), texts)
