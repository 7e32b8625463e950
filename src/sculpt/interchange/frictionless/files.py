"""What a resource says about its file: `hash`, `bytes`, and the framework's `rows`.

In: a `Resource`. Out: conditions about the whole file, which look for it in the folder of the
descriptor, or below the one that `--files` names.

Invariant: a file that is fetched, or that is one of several, is not looked at, and a note says so.
Cost: constant.
"""

from __future__ import annotations

from sculpt.interchange.access import is_url
from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.frictionless.headings import Layout
from sculpt.interchange.frictionless.model import Resource
from sculpt.origins import Note, Origin

_ALGORITHMS = ("md5", "sha1", "sha256", "sha512")


def write_file_checks(
    resource: Resource, part: int, layout: Layout, builder: SchemaBuilder
) -> None:
    """The conditions about the file of a resource."""
    if resource.rows is not None and len(resource.paths) <= 1:
        rows = "col(1)" if layout.data == "true" else f"col(1) and {layout.data}"
        spot = resource.at.to("rows").spot
        origin = Origin(f"rows {resource.rows}", spot, "row-count")
        builder.require(f"Count({rows}) = {resource.rows}", origin)
    if part > 1:
        return
    if len(resource.paths) != 1 or is_url(resource.paths[0]):
        given = {"bytes": resource.bytes, "hash": resource.hash}
        for name in (name for name, value in given.items() if value is not None):
            message = f"`{name}` is only checked for a resource that is one local file"
            builder.note(Note(message, resource.at.to(name).spot))
        return
    path = resource.paths[0].removeprefix("./")
    if resource.bytes is not None:
        origin = Origin(f"bytes {resource.bytes}", resource.at.to("bytes").spot, "byte-count")
        builder.require(f"file-size({literal(path)}) = {resource.bytes}", origin)
    if resource.hash is not None:
        _write_hash(resource, path, resource.hash, builder)


def _write_hash(resource: Resource, path: str, text: str, builder: SchemaBuilder) -> None:
    spot = resource.at.to("hash").spot
    algorithm, colon, digest = text.partition(":")
    if not colon:
        algorithm, digest = "md5", text
    algorithm = algorithm.lower().replace("-", "")
    if algorithm not in _ALGORITHMS:
        builder.note(Note(f"hashes of `{algorithm}` are not checked", spot))
        return
    origin = Origin(f"hash {text}", spot, "hash-count")
    condition = f"checksum({literal(path)}, {literal(algorithm)}) = {literal(digest.lower())}"
    builder.require(condition, origin)
