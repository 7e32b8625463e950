"""The functions that programs apply to texts, many at once.

In: a `Call` of a program, and the values that it is applied to. Out: an array of the results. A
function that has no result for some text leaves null there, and a finding.

Invariant: the results are those of `transform.reference`, text by text. Cost: a text that occurs
often (a header that many cells look up) is changed once; `checksum` reads files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.program import CoreProgram
from sculpt.transform.conditions.text_functions import BAD_PERCENT, percent_decoded, stem_of
from sculpt.transform.evaluation.casts import captured, counted, mapped
from sculpt.transform.evaluation.findings import named
from sculpt.transform.evaluation.values.cells import Cells
from sculpt.transform.iris import NOT_UNRESERVED, entity, percent_encoded
from sculpt.transform.writers.byte_sets import others
from sculpt.transform.writers.rendering import each, joined, over_values, rewritten, texts_of
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.transform.conditions.files import Files

_UNRESERVED = bytes(each for each in range(0x80) if not NOT_UNRESERVED.match(chr(each)))
_BEYOND_ASCII = r"[^\x00-\x7F]"
_BLANKS = " \t\r\n"


class TextFunctions:
    """Applies the functions of a program in a frame."""

    def __init__(self, program: CoreProgram, cells: Cells, files: Files | None) -> None:
        self.program = program
        self.cells = cells
        self.files = files

    def apply(self, call: c.Call, array: pa.Array) -> pa.Array:
        """The results of a call for an array of values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if call.function == "length" and pa.types.is_list(array.type):
            return pc.list_value_length(array).cast(pa.int64())
        is_text = pa.types.is_string(array.type) or pa.types.is_dictionary(array.type)
        texts = array if is_text else texts_of(array)
        arguments: tuple[Any, ...] = call.arguments
        match call.function:
            case "trim":
                return mapped(texts, lambda text: text.strip(_BLANKS))
            case "upper":
                return mapped(texts, str.upper)
            case "lower":
                return mapped(texts, str.lower)
            case "length":
                return pc.utf8_length(texts_of(texts)).cast(pa.int64())
            case "stem":
                return mapped(texts, stem_of)
            case "replace":
                old, new = arguments
                return pc.replace_substring(texts_of(texts), pattern=old, replacement=new)
            case "percent-encode":
                return over_values(texts, _encoded)
            case "blank":
                return joined("_:", texts_of(texts))
            case "lang" | "literal":
                return texts
            case "iri":
                prefix = arguments[0]
                return mapped(texts, lambda text: entity(prefix, text)) if prefix else texts
            case "count-files":
                assert self.files is not None
                return counted(texts, self.files.count)
        code, problem, change = self._partial(call.function, arguments)
        changed = change(texts)
        missing = changed.is_null().to_numpy(zero_copy_only=False)
        missing &= ~texts.is_null().to_numpy(zero_copy_only=False)

        source = c.source_cell(call.value)

        def describe(place: int) -> Violation:
            text = texts[place].as_py()
            return self.cells.at_source(
                code, call.line, place, text, f"{named(text)} {problem}", source
            )

        self.cells.report_texts(missing, describe, source)
        return changed

    def _partial(
        self, function: str, arguments: tuple[Any, ...]
    ) -> tuple[str, str, Callable[[pa.Array], pa.Array]]:
        """A function that is not defined for every text: code, message, and the function."""
        match function:
            case "split":
                separator, number = arguments
                problem = f"has no part {number} when split at `{separator}`"
                return (
                    "no-part",
                    problem,
                    lambda texts: mapped(texts, lambda text: _part_of(text, separator, number)),
                )
            case "capture":
                token, group = arguments
                pattern = self.program.patterns[token]
                problem = f"does not match `{token}`"
                return "no-match", problem, lambda texts: captured(texts, pattern, group)
            case "percent-decode":
                return "bad-percent", BAD_PERCENT, lambda texts: mapped(texts, percent_decoded)
            case "file-size":
                assert self.files is not None
                measure = self.files.size
                return "no-file", "is not a file", lambda texts: counted(texts, measure)
            case "checksum":
                files, (algorithm,) = self.files, arguments
                assert files is not None
                return (
                    "no-file",
                    "is not a file",
                    lambda texts: mapped(texts, lambda text: files.checksum(text, algorithm)),
                )
        name = arguments[0]
        table: Mapping[str, str] = self.program.mappings[name]
        return "unmapped", f"is not in the mapping `{name}`", lambda texts: mapped(texts, table.get)


def _encoded(texts: pa.StringArray) -> pa.StringArray:
    """Texts, percent-encoded: character by character where they are ASCII, and `%` first."""
    import pyarrow.compute as pc

    found = others(texts, _UNRESERVED)
    special = sorted(chr(each) for each in found if each < 0x80)
    for char in sorted(special, key=lambda char: char != "%"):
        texts = pc.replace_substring(texts, char, f"%{ord(char):02X}")
    if any(each >= 0x80 for each in found):
        return rewritten(texts, _BEYOND_ASCII, each(_encoded_beyond_ascii))
    return texts


def _encoded_beyond_ascii(text: str) -> str:
    return "".join(char if char.isascii() else percent_encoded(char) for char in text)


def _part_of(text: str, separator: str, number: int) -> str | None:
    parts = text.split(separator)
    return parts[number - 1].strip(_BLANKS) if number <= len(parts) else None
