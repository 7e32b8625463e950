"""A region as a separate table (paper, section 5.3: "could then be exported").

In: a `Marker` whose only region is the one to export. Out: batches with a field for each column
that occurs in the region and a row for each row that does; raw texts, null outside the region.

Invariant: the fields are those of the whole table, so an earlier pass finds them. The summary of a
chunk is a set of columns; summaries merge by union. Memory: a strip with its texts.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from sculpt.engines.lookups.finder import Regions
from sculpt.engines.regions.marker import Marker
from sculpt.engines.regions.strip_texts import StripTexts

if TYPE_CHECKING:
    import pyarrow as pa

REGION = 0
TARGET = "region"


class RegionExport:
    """The export of a region from a table or a chunk."""

    def __init__(self, marker: Marker) -> None:
        self.marker = marker

    def columns(self) -> set[int]:
        """The columns in which the region has cells, from 0."""
        found: set[int] = set()
        for strip in self.marker.strips():
            cells = Regions(strip, self.marker.sets).cells(REGION)
            found.update((cells % strip.width).tolist())
        return found

    def batches(self, columns: set[int]) -> Generator[pa.RecordBatch, None, None]:
        """The rows of the region, with a field for each of some columns."""
        import numpy as np
        import pyarrow as pa

        schema = region_schema(columns)
        for strip in self.marker.strips():
            regions = Regions(strip, self.marker.sets)
            cells = regions.cells(REGION)
            if not len(cells):
                continue
            texts = StripTexts(self.marker.machines, self.marker.data, strip).of(cells, raw=True)
            rows, of_row = np.unique(cells // strip.width, return_inverse=True)
            arrays: list[Any] = []
            for column in sorted(columns):
                mine = np.flatnonzero(cells % strip.width == column)
                at = np.full(len(rows), -1, dtype=np.int64)
                at[of_row[mine]] = mine
                arrays.append(texts.take(pa.array(at, mask=at < 0)))
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def region_schema(columns: set[int]) -> pa.Schema:
    """The fields of a region: `c2` is the second column of the table."""
    import pyarrow as pa

    return pa.schema([(f"c{column + 1}", pa.string()) for column in sorted(columns)])
