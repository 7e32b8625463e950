"""The bytes of values: those of whole arrays against single texts, and both against the values."""

from __future__ import annotations

import re
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.checks.identities.values import _CANONICAL, PartBytes
from sculpt.checks.reference import _comparable
from sculpt.core import ir
from sculpt.core.datatypes.model import Base

NUMBERS = [*_CANONICAL, "xs:double", "xs:date"]
FORMS = r"[ \t]?[+-]?0{0,2}[0-9]{0,19}(\.[0-9]{0,3})?(e[+-]?[0-9]{1,4})?\s?"
DIGITS = st.from_regex("0|0?[1-9][0-9]{0,18}", fullmatch=True)
NUMBER_TEXTS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.integers(-300, 300).map(str),
    st.decimals(allow_nan=False, places=3, min_value=-1000, max_value=1000).map(str),
    st.from_regex(FORMS, fullmatch=True),
    st.sampled_from(["-0", "0", "", "00", "-0.0", "0.10", "12\n", "٣", "1e400", "-127", "-129"]),
)


def part_of(*types: str) -> ir.CorePart:
    return ir.CorePart(ir.Everything(), "", tuple(map(Base, types)))


@given(
    types=st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=2),
    texts=st.lists(NUMBER_TEXTS | st.none(), max_size=12) | st.lists(DIGITS, max_size=12),
)
def test_arrays_of_texts_have_the_bytes_of_single_texts(
    types: list[str], texts: list[str | None]
) -> None:
    """What is taken as it is would be read to the same bytes; equal bytes are equal values."""
    part = part_of(*types)
    single = [PartBytes(part).of(text or "") for text in texts]
    assert PartBytes(part).of_array(pa.array(texts, pa.string())).to_pylist() == single
    plain = [_comparable(part, text or "", True) for text in texts]
    for one, other in combinations(range(len(texts)), 2):
        assert (single[one] == single[other]) == (plain[one] == plain[other]), texts


@pytest.mark.parametrize("name", _CANONICAL)
def test_canonical_texts_are_in_the_range_of_their_type(name: str) -> None:
    """The longest ones are values of the type, and their bytes are their own."""
    own = PartBytes(part_of(name))
    signs = ("", "-")
    texts = [sign + digit * size for sign in signs for digit in "19" for size in range(1, 20)]
    taken = [text for text in (*texts, "0") if re.fullmatch(_CANONICAL[name], text)]
    assert taken
    assert [own.of(text) for text in taken] == [text.encode() for text in taken]
