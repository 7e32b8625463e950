"""The commands `import` and `export`: schemas of other systems as Sculpt, and the way back.

In: the parameters of a call. Out: the exit status; the schemas go to standard output or to new
files. Invariant: no file is replaced, so nobody's edits are lost, and nothing is written if any
source is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import urljoin

from sculpt.cli.arguments import load
from sculpt.cli.parser import WrongCallError
from sculpt.cli.reports.notes import note_line
from sculpt.cli.table import Exported, Format, Kind
from sculpt.cli.terminal import print_error, remark, write_text
from sculpt.errors import SchemaError, UsageError
from sculpt.interchange.access import Access, is_url, is_web_url
from sculpt.interchange.model import Package, TableText
from sculpt.interchange.packages import files_of as table_files
from sculpt.interchange.packages import import_bytes, import_file, only_of, tie_of
from sculpt.report.styled import counted, styled, visible
from sculpt.tabular.inputs import STDIN, read_bytes

SUFFIX = ".sculpt"


def import_schemas(
    sources: list[str],
    out: str | None,
    kind: Kind | None,
    strict: bool,
    allow_http: bool,
    allow_outside: bool,
) -> int:
    """Turn schemas of other systems into Sculpt; return the exit status."""
    access = Access(allow_http, allow_outside)
    packages = _packages(sources, kind, access)
    notes = [note for _, package in packages for note in package.all_notes]
    for note in notes:
        remark(note_line(note))
    if strict and notes:
        print_error(f"{counted(len(notes), 'thing')} cannot be taken over")
        return 2
    texts: dict[str, str] = {}
    for source, package in packages:
        for name, text in files_of(package, source, out).items():
            if name in texts:
                raise UsageError(f"two schemas would be written to `{name}`: import them apart")
            texts[name] = text
    if out is None:
        write_text(_joined(texts))
    else:
        _write(texts)
    return 0


def export(
    schema: str,
    to: Exported | None,
    out: str | None,
    strict: bool,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Write a schema for another system; return the exit status."""
    from sculpt.interchange.export import TARGETS
    from sculpt.interchange.export import export as exported

    if to is None:
        raise WrongCallError(f"`--to` is missing: it is one of {', '.join(TARGETS)}")
    loaded = load(schema, settings, Format.TEXT, None, (), allow_http, allow_outside)
    is_file = out is not None and bool(os.path.splitext(out)[1])
    folder = os.path.dirname(out) if out is not None and is_file else out
    result = exported(loaded, str(to), folder=folder)
    for note in result.notes:
        hint = f"; {note.hint}" if note.hint else ""
        text = f" [left-out]: {note.message} ({note.place}){hint}"
        remark(styled(("warning", "bold yellow"), visible(text)))
    if strict and result.notes:
        print_error(f"{counted(len(result.notes), 'thing')} cannot be expressed in {TARGETS[to]}")
        return 2
    is_single = len(result.files) == 1
    if out is None:
        if not is_single:
            names = ", ".join(f"`{name}`" for name in result.files)
            raise UsageError(f"these are several files ({names}): write them with `-o DIR`")
        write_text(next(iter(result.files.values())))
        return 0
    is_file = is_single and is_file
    _write(
        {out if is_file else os.path.join(out, name): text for name, text in result.files.items()}
    )
    return 0


def _packages(
    sources: Sequence[str], kind: Kind | None, access: Access
) -> list[tuple[str, Package]]:
    """What is imported, source by source; the errors of all of them at once."""
    named = None if kind is None else str(kind)
    found, errors = [], []
    for source in sources:
        try:
            if source == STDIN:
                found.append((source, import_bytes(source, read_bytes(STDIN), named, access)))
            else:
                found.append((source, import_file(source, named, access)))
        except SchemaError as error:
            errors.append(error)
    if errors:
        problems = tuple(each for error in errors for each in error.diagnostics)
        raise SchemaError(problems, tuple(sources))
    return found


def files_of(package: Package, source: str, out: str | None) -> dict[str, str]:
    """The texts of a package by their paths; that of data is relative to them.

    `out` is a directory, or, with the ending of a schema, the file of the whole, with those of the
    tables beside it.
    """
    file = out if out is not None and out.endswith(SUFFIX) else None
    folder = (out or "") if file is None else os.path.dirname(file)
    if package.is_single:
        only = only_of(package)
        return {file or os.path.join(folder, only.file_name): only.text}

    def data_path(table: TableText) -> str | None:
        if table.data is not None and is_web_url(source):
            return urljoin(source, table.data)
        if table.data is None or is_url(table.data) or os.path.isabs(table.data):
            return table.data
        beside = os.path.join(os.path.dirname(source), table.data)
        return os.path.relpath(beside, (os.path.dirname(source) if out is None else folder) or ".")

    parts = table_files(package, data_path)
    texts = {os.path.join(folder, each.file_name): each.text for each in parts}
    stem = os.path.basename(source).partition(".")[0] if source != STDIN else "package"
    name = file or os.path.join(folder, f"{stem}{SUFFIX}")
    taken = {each.casefold() for each in texts}  # some file systems do not tell case apart
    while name.casefold() in taken:
        name = os.path.join(os.path.dirname(name), f"all-{os.path.basename(name)}")

    return {**texts, name: tie_of(package, data_path).text}


def _joined(texts: dict[str, str]) -> str:
    """Several files as one text, each after its name."""
    if len(texts) == 1:
        return next(iter(texts.values()))
    rule = "-" * 60
    return "\n".join(f"% {rule}\n% {name}\n% {rule}\n\n{text}" for name, text in texts.items())


def _write(paths: dict[str, str]) -> None:
    """Write new files."""
    from pathlib import Path

    from sculpt.transform.atomic import errors_named, placed

    for path, text in paths.items():
        if os.path.exists(path) and Path(path).read_bytes() != text.encode():
            raise UsageError(f"{path}: is there already; name another `--out`, or remove it")
    for path, text in paths.items():
        with errors_named(path):
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with placed(path) as beside:
            Path(beside).write_text(text, encoding="utf-8", newline="\n")
        remark(styled(f"{path}: written"))
