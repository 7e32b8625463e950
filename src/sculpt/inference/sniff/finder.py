"""`sniff`: from a file to how it is written.

In: a path, a URI, or `-`. Out: a `Sniffed`; a `DataError` if the file cannot be read.

Invariant: no content is an error: whatever the bytes are, there is an answer, perhaps with little
confidence. Cost: `sample` reads at most 1 MB, of which `ranking` looks at a part.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise

from sculpt.core.dialect import Dialect
from sculpt.inference.sniff.encoding import encoding_of
from sculpt.inference.sniff.model import (
    DEFAULTS,
    LINE_ENDS,
    Candidate,
    Encoding,
    Finding,
    Sniffed,
    values_of,
    written,
)
from sculpt.inference.sniff.noise import is_noise
from sculpt.inference.sniff.ranking import comment_of, rank, with_comment
from sculpt.inference.sniff.sample import Sample, take_sample
from sculpt.tabular.document import Document, decode, decode_piece, find_encoding
from sculpt.tabular.grid import Grid
from sculpt.values import replace

_HEAD = 120_000
"""Bytes of the head that are decoded, and of the other pieces."""
_PIECE = 16_000
_SHOWN = 0.005
_NO_TEXT = 0.1
"""No confidence is greater if the file is no text."""


def sniff(path: str | os.PathLike[str]) -> Sniffed:
    """How a file is written: its encoding, delimiter, quotes, comments and line ends."""
    sample = take_sample(os.fspath(path))
    encoding = encoding_of(sample)
    documents = _documents(sample, encoding)
    if not documents[0].text.strip("\r\n \t\ufeff\0"):
        return Sniffed(sample.path, Dialect(), encoding, ())
    candidates, grids = rank(documents)
    best = candidates[0]
    dialect = replace(best.dialect, encoding=encoding.codec)
    findings = _findings(candidates)
    comment = comment_of(grids[0], best.columns)
    if comment is not None:
        mark, confidence = comment
        dialect = with_comment(dialect, mark)
        findings.append(Finding("Comment", written(mark), confidence, "none", 1 - confidence))
    if encoding.directive is not None:
        rival = encoding.runner_up, encoding.runner_up_confidence
        findings.append(Finding("Encoding", encoding.directive, encoding.confidence, *rival))
    is_text = not is_noise(documents[0].text, best.dialect.col_delim.text)
    if not is_text:
        encoding = replace(encoding, confidence=min(_NO_TEXT, encoding.confidence))
        findings = [Finding(e.name, e.value, min(_NO_TEXT, e.confidence)) for e in findings]
    return Sniffed(
        sample.path,
        _expressible(dialect),
        encoding,
        tuple(findings),
        tuple(candidates),
        best.columns,
        _line_ends(grids),
        sample.size,
        sample.is_whole,
        is_text,
    )


def _documents(sample: Sample, encoding: Encoding) -> list[Document]:
    """The head of the sample as text, and whole lines of some other pieces."""
    head = sample.head[:_HEAD]
    found = [decode(head, encoding.directive)]
    codec, _ = find_encoding(sample.head[:4], encoding.directive)
    others = sample.pieces[1:]
    for piece in (others[len(others) // 2], others[-1]) if others else ():
        data = piece.data[:_PIECE] if piece is not others[-1] else piece.data[-_PIECE:]
        text = decode_piece(data, codec).text
        begin, end = text.find("\n") + 1, text.rfind("\n") + 1
        if 0 < begin < end:
            found.append(Document(text[begin:end], b"", codec))
    return found


def _expressible(dialect: Dialect) -> Dialect:
    """The dialect as its directives would be read: with widths, the rest is the default."""
    return replace(dialect, quote='"') if dialect.layouts else dialect


def _findings(candidates: list[Candidate]) -> list[Finding]:
    """The directives of the best candidate, with the shares of their values."""
    best = dict(values_of(candidates[0].dialect))
    names = [name for name in best if name == "Col Delim" or best[name] != DEFAULTS.get(name)]
    if "Col Widths" in best:
        names = ["Col Widths"]
    found = []
    for name in names:
        shares = _shares(candidates, name)
        value = best[name]
        sure = shares.pop(_text(name, value), 0.0)
        rival, share = max(shares.items(), key=lambda each: each[1], default=(None, 0.0))
        is_shown = rival is not None and share >= _SHOWN
        found.append(
            Finding(name, value, min(1.0, sure), rival if is_shown else None,
                    share if is_shown else 0.0)
        )  # fmt: skip
    return found


def _shares(candidates: list[Candidate], name: str) -> dict[str, float]:
    """The share of each value of a directive; delimiters and widths are alternatives."""
    splits = ("Col Delim", "Col Widths")
    shares: dict[str, float] = {}
    for candidate in candidates:
        for other, value in candidate.values:
            if other == name or (name in splits and other in splits):
                key = _text(other, value)
                shares[key] = shares.get(key, 0.0) + candidate.share
    return shares


def _text(name: str, value: str) -> str:
    """A value, with its directive where several directives are alternatives."""
    return f"{name} = {value}" if name == "Col Widths" else value or "any"


def _line_ends(grids: tuple[Grid, ...]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for grid in grids:
        text = grid.document.text
        for one, two in pairwise(grid.rows):
            counts[text[one.end : two.start].lstrip(" \t")[:2]] += 1
        if grid.rows:
            counts[text[grid.rows[-1].end :][:2]] += 1
    named: Counter[str] = Counter()
    for end, count in counts.items():
        name = LINE_ENDS.get(end) or LINE_ENDS.get(end[:1])
        if name is not None:
            named[name] += count
    return tuple(named.most_common())
