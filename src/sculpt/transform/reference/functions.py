"""The functions that programs apply to a text, as they are defined: one text at a time.

In: a `Call` of a program, the text, and the place to report to. Out: the result, or `None` and a
finding. `docs/language.md#functions`. Shared with the engine that works on columns: the meaning
of namespaces (`iris`), of groups (RE2), and of what `conditions` asks of texts and files.

Invariant: a function sees nothing but its text, its arguments, and the mappings, tokens and files
that they name. Cost: linear in the text; `checksum` reads a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.core.programs.expressions import Call
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.reference import Coordinate
from sculpt.extras import need
from sculpt.transform.conditions.text_functions import BAD_PERCENT, percent_decoded, stem_of
from sculpt.transform.evaluation.casts import captured
from sculpt.transform.evaluation.findings import named
from sculpt.transform.iris import entity, percent_encoded
from sculpt.transform.reference.findings import Findings
from sculpt.transform.reference.places import Place
from sculpt.transform.reference.texts import Datum

if TYPE_CHECKING:
    from sculpt.transform.conditions.files import Files

_BLANKS = " \t\r\n"


class TextFunctions:
    """Applies the functions of a program, and reports where one has no result."""

    def __init__(self, program: CoreProgram, files: Files | None, findings: Findings) -> None:
        self.program = program
        self.files = files
        self.findings = findings

    def apply(self, call: Call, text: str, place: Place | Coordinate) -> Datum:
        """Apply a function to a text; `None` if it has no result."""
        match call.function, call.arguments:
            case "trim", ():
                return text.strip(_BLANKS)
            case "upper", ():
                return text.upper()
            case "lower", ():
                return text.lower()
            case "stem", ():
                return stem_of(text)
            case "percent-decode", ():
                decoded = percent_decoded(text)
                if decoded is not None:
                    return decoded
                self.findings.report(
                    "bad-percent", call.line, place, text, f"{named(text)} {BAD_PERCENT}"
                )
            case "replace", (str(old), str(new)):
                return text.replace(old, new)
            case "percent-encode", ():
                return percent_encoded(text)
            case "blank", ():
                return f"_:{text}"
            case "lang" | "literal", ():
                return text
            case "iri", (str(prefix),):
                return entity(prefix, text) if prefix else text
            case "split", (str(separator), int(index)):
                parts = text.split(separator)
                if index <= len(parts):
                    return parts[index - 1].strip(_BLANKS)
                message = f"{named(text)} has no part {index} when split at `{separator}`"
                self.findings.report("no-part", call.line, place, text, message)
            case "capture", (str(token), int(group)):
                need("arrow", "`capture`")
                import pyarrow as pa

                pattern = self.program.patterns[token]
                found: str | None = captured(pa.array([text]), pattern, group)[0].as_py()
                if found is not None:
                    return found
                message = f"{named(text)} does not match `{token}`"
                self.findings.report("no-match", call.line, place, text, message)
            case "map", (str(name),):
                if text in self.program.mappings[name]:
                    return self.program.mappings[name][text]
                message = f"{named(text)} is not in the mapping `{name}`"
                self.findings.report("unmapped", call.line, place, text, message)
            case "count-files", ():
                assert self.files is not None
                return self.files.count(text)
            case "file-size", ():
                assert self.files is not None
                size = self.files.size(text)
                if size is not None:
                    return size
                self.findings.report(
                    "no-file", call.line, place, text, f"{named(text)} is not a file"
                )
            case "checksum", (str(algorithm),):
                assert self.files is not None
                digest = self.files.checksum(text, algorithm)
                if digest is not None:
                    return digest
                self.findings.report(
                    "no-file", call.line, place, text, f"{named(text)} is not a file"
                )
            case unknown:
                raise AssertionError(unknown)
        return None
