"""The palette: contrast, and that people with any colour vision can tell its colours apart."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from sculpt.views.colours import PALETTE, colour_numbers
from sculpt.views.model import COLOURS

# What is seen without one kind of cone, in linear RGB (Machado, Oliveira and Fernandes, 2009).
VISION = {
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
LISTS = ("light", "dark", "light_accent", "dark_accent")
PAGE = {"light_accent": "#ffffff", "dark_accent": "#16161a"}


def linear(colour: str) -> tuple[float, ...]:
    """A colour as linear RGB."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)


def times(matrix: tuple[tuple[float, ...], ...], vector: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def seen(colour: str, vision: str) -> tuple[float, ...]:
    """A colour in Oklab, as people with some vision see it."""
    light = tuple(min(1.0, max(0.0, x)) for x in times(VISION[vision], linear(colour)))
    return times(OKLAB, tuple(max(0.0, x) ** (1 / 3) for x in times(LMS, light)))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG measures it."""
    lights = [times(((0.2126, 0.7152, 0.0722),), linear(each))[0] + 0.05 for each in (one, other)]
    return max(lights) / min(lights)


def test_there_are_as_many_colours_as_the_model_says() -> None:
    assert len(PALETTE) == COLOURS
    assert len({colour.name for colour in PALETTE}) == COLOURS


def test_contrast_of_reference_colours() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_text_can_be_read() -> None:
    for colour in PALETTE:
        assert contrast(colour.light, "#000000") >= 7
        assert contrast(colour.dark, "#ffffff") >= 5


@pytest.mark.parametrize("name", list(PAGE))
def test_bars_can_be_seen(name: str) -> None:
    for colour in PALETTE:
        assert contrast(getattr(colour, name), PAGE[name]) >= 3


@pytest.mark.parametrize("vision", list(VISION))
@pytest.mark.parametrize("name", LISTS)
def test_any_two_colours_differ(name: str, vision: str) -> None:
    for one, other in combinations(PALETTE, 2):
        pair = [seen(getattr(each, name), vision) for each in (one, other)]
        distance = sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5
        assert distance >= 0.06 if vision == "no blue cones" else distance >= 0.07, (one, other)


def test_terminals_with_fewer_colours_show_eight_different_ones() -> None:
    from rich.color import Color, ColorSystem

    for system in (ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT):
        shown = {Color.parse(each.light).downgrade(system) for each in PALETTE}
        assert len(shown) == COLOURS
    assert len({each.ansi for each in PALETTE}) == COLOURS


def test_colours_go_round_and_equal_texts_share_one() -> None:
    texts = [str(number) for number in range(20)]
    assert colour_numbers(texts) == tuple(number % COLOURS for number in range(20))
    assert colour_numbers(["a", "b", "a", "c", "b"]) == (0, 1, 0, 3, 1)
    assert all(one != other for one, other in pairwise(colour_numbers(texts)))
