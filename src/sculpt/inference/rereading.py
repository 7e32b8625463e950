"""Another reading of a file whose first one breaks somewhere after the sample.

In: a path, the reading that breaks, and who judges files. Out: the next best reading in which the
whole file breaks nothing; `None` if no reading does. First other quotes are tried, none above all;
then, if it is the bytes that break it, the encoding that the whole file shows.

Invariant: the engine has read the whole file in the reading that is returned. Cost: a validation
for each reading that is tried, of which there are a few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.core.dialect import Dialect
from sculpt.errors import SculptError
from sculpt.inference.emit.text import last_resort
from sculpt.inference.files.reading import Reading, reading_in
from sculpt.inference.proof.judges import Judge
from sculpt.inference.sniff.encoding import encoding_of
from sculpt.inference.sniff.finder import sniff
from sculpt.inference.sniff.model import Sniffed
from sculpt.inference.sniff.sample import Piece, Sample
from sculpt.tabular.inputs import BLOCK_SIZE, Input
from sculpt.values import replace

_MOST_BLOCKS = 16
_MOST_TRIED = 8


def reread(path: str, judge: Judge) -> Reading | None:
    """The next best reading of a whole file."""
    found = sniff(path)
    dialects = [*dict.fromkeys(_dialects(found))][:_MOST_TRIED]
    for encoding in dict.fromkeys((found.encoding, encoding_of(_beyond_ascii(path)))):
        if not reads(judge, path, reading_in(_unquoted(found.dialect), encoding)):
            continue  # whatever the quotes, the characters are wrong
        for dialect in dialects:
            reading = reading_in(dialect, encoding)
            if reads(judge, path, reading):
                return reading
    return None


def reads(judge: Judge, path: str, reading: Reading) -> bool:
    """Does a file break nothing, as long as there are no rules?"""
    schema = last_resort((), [f"{name} = {value}" for name, value in reading.directives]).schema
    try:
        (verdict,) = judge(schema, [path], 1)
    except SculptError:
        return False
    return verdict.valid


def _dialects(found: Sniffed) -> Iterator[Dialect]:
    """The dialects to try: the candidates, and other quotes for each delimiter."""
    best = found.dialect
    yield best
    if best.layouts:
        return
    has_quotes = bool(found.candidates) and dict(found.candidates[0].features)["quoted"] > 0
    alike = [each.dialect for each in found.candidates if each.dialect.col_delim == best.col_delim]
    if not has_quotes:
        yield _unquoted(best)
    for each in alike:
        if not each.layouts:
            yield replace(each, comment=best.comment)
    if best.quote is not None:
        yield replace(best, stray_quotes="text")
    yield _unquoted(best)


def _unquoted(dialect: Dialect) -> Dialect:
    """The dialect without quotes."""
    return replace(dialect, quote=None, escape=None, escapes="any", stray_quotes="error")


def _beyond_ascii(path: str) -> Sample:
    """The blocks of a file that have other characters than those of ASCII, and its first one."""
    pieces: list[Piece] = []
    at, is_whole = 0, True
    with Input(path) as source:
        for block, _ in source.blocks(BLOCK_SIZE):
            if not pieces or not block.isascii():
                pieces.append(Piece(at, block))
            at += len(block)
            if len(pieces) > _MOST_BLOCKS:
                is_whole = False
                break
    return Sample(path, tuple(pieces) or (Piece(0, b""),), is_whole)


def difference(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> str:
    """What one reading says and another does not, as directives."""
    known = dict(before)
    new = [f"`{name} = {value}`" for name, value in after if known.get(name) != value]
    new += [f"no `{name}`" for name in known if name not in dict(after)]
    return " and ".join(new)
