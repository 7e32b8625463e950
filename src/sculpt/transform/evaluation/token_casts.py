"""Casts to derived tokens: which branch of a token a text matches, and what it is worth there.

In: the tokens of a program, casts to derived tokens, and texts. Out: values, and why a text has
none. Whether a text matches is decided as rules decide it (`engines.messages.text_tokens`); what it
is worth is said by the type or the picture of the first branch that matches (`token_types`).

Invariant: a text that does not match the token has no value and a reason; one that matches only
branches without a type is null. Cost: 15 to 30 microseconds for each distinct
text; many thousands are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sculpt.core import ir
from sculpt.core.dialect import Delimiter
from sculpt.core.programs.token_types import Reading, readable_text
from sculpt.core.programs.typed_values import LIST, Value, ValueType, parse_value
from sculpt.engines.messages.hints import mismatch_hint
from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.tabular.grid import list_splitter
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.evaluation.casts import cast_texts

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]


MAX_KNOWN, MAX_LENGTH = 20_000, 100
"""How many texts are remembered, and how long each may be."""
_NO_VALUE, _UNKNOWN = object(), object()


class TokenReader:
    """Reads texts by the derived tokens of a program."""

    def __init__(self, tokens: Mapping[str, ir.CoreToken]) -> None:
        self._tokens = tokens
        self._known: dict[tuple[str, str], Any] = {}
        self._splitters: dict[Delimiter, Callable[[str], list[str]]] = {}

    @cached_property
    def _texts(self) -> TextTokens:
        return TextTokens(dict(self._tokens))

    def value(self, text: str, reading: Reading, to: ValueType) -> Value | list[str] | None:
        """What a text is worth; raises `ValueError` with the reason if it does not match."""
        found = self._found(text, reading, to)
        return parse_value(found, to) if isinstance(found, str) else found

    def hint(self, text: str, reading: Reading) -> str | None:
        """Why a text does not match, if it does not and that can be said."""
        if self._texts.matcher(reading.token).matches(text):
            return None
        return mismatch_hint(self._texts, reading.token, text)

    def values(
        self, texts: pa.Array, reading: Reading, to: ValueType, backend: Backend
    ) -> tuple[pa.Array, Array]:
        """The values of many texts, and the places of those that have none."""
        import numpy as np
        import pyarrow as pa

        coded = texts if isinstance(texts, pa.DictionaryArray) else texts.dictionary_encode()
        read = [self._remembered(text, reading, to) for text in coded.dictionary.to_pylist()]
        bad = np.fromiter((each is _NO_VALUE for each in read), np.bool_, len(read))
        found = [None if each is _NO_VALUE else each for each in read]
        if to == LIST:
            values = pa.array(found, arrow_type(to))
        else:
            values, more = cast_texts(pa.array(found, pa.string()), to, backend)
            bad[more] = True
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        places = np.flatnonzero((indices >= 0) & bad[indices]) if len(bad) else indices[:0]
        return values.take(coded.indices), places

    def _remembered(self, text: str | None, reading: Reading, to: ValueType) -> Any:
        """What `_found` gives, or `_NO_VALUE`; the same texts come again in other strips."""
        if text is None:
            return None
        key = reading.token, text
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            try:
                found = self._found(text, reading, to)
            except ValueError:
                found = _NO_VALUE
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            if len(text) <= MAX_LENGTH:
                self._known[key] = found
        return found

    def _found(self, text: str, reading: Reading, to: ValueType) -> str | list[str] | None:
        """The text to parse as the type, the items of a list, or null; raises `ValueError`."""
        matching = self._texts.matching(text)
        for reader in reading.readers:  # what matches a branch matches the token
            if not reader.is_picture and reader.token not in matching:
                continue
            if isinstance(reader.base, Delimiter):
                return self._items(text, reader.base)
            found = readable_text(reader.base, text, to)
            if found is not None:
                return found
        if reading.token not in matching:
            raise ValueError(f"does not match `{reading.token}`")
        return None if reading.readers else text

    def _items(self, text: str, delimiter: Delimiter) -> list[str]:
        if delimiter not in self._splitters:
            self._splitters[delimiter] = list_splitter(delimiter)
        return self._splitters[delimiter](text)
