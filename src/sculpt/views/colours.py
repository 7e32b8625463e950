"""The colours of regions: eight hues that colour-blind people can tell apart.

In: the texts of regions, in the order of a view. Out: the number of each one's colour, and for each
number the colours of the terminal and of the page. Nothing else in `views` names a colour.

The order puts hues that differ most first: most schemas have few rules. A region's colour is its
number in the view, modulo eight, but equal texts have the same colour: so it is the same in each
file, window and renderer. A colour never says anything alone: a letter, a bar or an outline does.

Invariant, which `tests/views/test_colours.py` measures: black text on a `light` tint and white text
on a `dark` one have a contrast of 7 and 5 to 1 (WCAG asks for 4.5), an accent has 3 to 1 against
its page, and in each of these lists any two colours differ visibly for people who see all colours
and for those who lack red, green (0.07 in Oklab) or blue cones (0.06).
"""

# Annotations are evaluated here: those of a named tuple would be compiled one by one (1 ms).
from collections.abc import Iterable
from typing import NamedTuple


class Colour(NamedTuple):
    """A hue in all the forms that renderers need."""

    name: str
    light: str
    """The tint of a cell with black text, on a light page and in terminals with many colours."""
    dark: str
    """The tint of a cell with white text, on a dark page."""
    light_accent: str
    """Bars and outlines on a light page."""
    dark_accent: str
    """Bars and outlines on a dark page."""
    ansi: str
    """The style in a terminal with 16 colours, which chooses their shades itself."""

    @property
    def style(self) -> str:
        """The style of a cell in a terminal with 256 colours or more: `rich` finds the nearest."""
        return f"black on {self.light}"


PALETTE = (
    Colour("yellow", "#ecdd79", "#292e06", "#8e9a24", "#edb80b", "black on bright_yellow"),
    Colour("blue", "#98c2fa", "#153f66", "#2f8af5", "#65b0f5", "black on bright_blue"),
    Colour("rose", "#ef7ba8", "#a3407f", "#be7a99", "#db389f", "black on magenta"),
    Colour("mint", "#ccfed2", "#487642", "#5c7e4b", "#acfea5", "black on bright_green"),
    Colour("ochre", "#ca9b58", "#77480e", "#7e3e01", "#a86933", "black on yellow"),
    Colour("violet", "#9d96f7", "#653f99", "#581ba9", "#836cfd", "black on bright_magenta"),
    Colour("cyan", "#a7e3ef", "#336258", "#036361", "#5ce0dd", "black on cyan"),
    Colour("salmon", "#faaca5", "#632e38", "#4e2828", "#ee7d84", "black on bright_red"),
)


def colour_numbers(texts: Iterable[str]) -> tuple[int, ...]:
    """For each region, by its text, in the order of a view: the number of its colour."""
    first: dict[str, int] = {}
    return tuple(first.setdefault(text, at) % len(PALETTE) for at, text in enumerate(texts))
