"""How regions are marked in a picture: the letter and the style of each.

In: a view, the regions to be shown, the styles of a terminal. Out: a `Key`, which the table and the
legend share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sculpt.syntax.ast import SeverityName
from sculpt.values import frozen
from sculpt.views.colours import PALETTE
from sculpt.views.model import Region
from sculpt.views.terminal.names import region_letter
from sculpt.views.view import View

MANY_COLOURS = tuple(colour.style for colour in PALETTE)
SIXTEEN_COLOURS = tuple(colour.ansi for colour in PALETTE)
NO_COLOURS = ("",) * len(PALETTE)

VIOLATION_SIGN, WARNING_SIGN, UNCHECKED_SIGN = "!", "~", "?"
VIOLATION_STYLE, UNCHECKED_STYLE = "bold white on red", "bold magenta"
WARNING_STYLE = "bold black on yellow"
SIGNS: dict[SeverityName, tuple[str, str]] = {
    "error": (VIOLATION_SIGN, VIOLATION_STYLE),
    "warning": (WARNING_SIGN, WARNING_STYLE),
}
"""The sign of a violation and its style."""


@frozen
class Key:
    """The regions of a picture, with letters and styles."""

    regions: tuple[Region, ...]
    letters: Mapping[str, str]
    styles: Mapping[str, str]
    only: tuple[str, ...]
    """The regions that were asked for; empty for all."""
    marks_unchecked: bool
    stresses_unchecked: bool
    """Is the picture about unchecked cells, so that they stand out?"""


def key_of(
    view: View,
    only: tuple[str, ...] = (),
    unchecked: bool = False,
    styles: Sequence[str] = MANY_COLOURS,
) -> Key:
    """The key of a picture of some regions, all if `only` is empty; or of `unchecked` cells.

    Regions keep their letters and colours if others are left out.
    """
    shown = [
        (number, region)
        for number, region in enumerate(view.regions)
        if not only or region.name in only
    ]
    return Key(
        tuple(region for _, region in shown),
        {region.name: region_letter(number) for number, region in shown},
        {region.name: styles[region.colour % len(styles)] for _, region in shown},
        only,
        bool(view.schema.core.rules) and (unchecked or not only),
        unchecked,
    )
