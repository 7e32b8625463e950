"""Finding the metadata of a file: the `Link` header, the site's configuration, default places.

In: the URL of a file, the headers that came with it, and a way to fetch URLs. Out: the URLs at
which metadata may be, in the order of the standard; whether a document that was found there is
about the file at all ("Model for Tabular Data", section 5).

Invariant: nothing is fetched but `/.well-known/csvm`; a file on disk has no site, so only the
default places count. Cost: linear in the headers and in the configuration, which are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from sculpt.interchange.access import Response
from sculpt.interchange.csvw.urls import normalised, resolve, without_fragment

DEFAULTS = ("{+url}-metadata.json", "csv-metadata.json")
WELL_KNOWN = "/.well-known/csvm"
TYPES = ("application/csvm+json", "application/ld+json", "application/json")
_MAX_TEMPLATES = 100
_LINK = re.compile(r'<([^>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+\*?\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)')
_PARAMETER = re.compile(r';\s*([\w!#$&+.^`|~-]+\*?)\s*(?:=\s*(?:"([^"]*)"|([^",;\s]*)))?')
_VARIABLE = re.compile(r"\{([+#./;?&]?)url\}")


def linked_metadata(url: str, headers: Mapping[str, str]) -> str | None:
    """The metadata that the `Link` header names: the last link that describes the file."""
    found = None
    for target, parameters in _LINK.findall(headers.get("link", "")):
        known = {
            name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(parameters)
        }
        relations = known.get("rel", "").lower().split()
        media = known.get("type", "").split(";")[0].strip().lower()
        if "describedby" in relations and media in TYPES:
            found = resolve(url, target)
    return found


def candidate_urls(url: str, fetch: Callable[[str], Response]) -> list[str]:
    """Where the metadata of a file may be, if no header says so."""
    templates: tuple[str, ...] = DEFAULTS
    if urlsplit(url).scheme in ("http", "https"):
        response = fetch(resolve(url, WELL_KNOWN))
        if response.is_found:
            lines = response.body.decode("utf-8", "replace").splitlines()
            given = tuple(line.strip() for line in lines if line.strip())[:_MAX_TEMPLATES]
            templates = given or DEFAULTS
    return [resolve(url, expanded(template, without_fragment(url))) for template in templates]


def expanded(template: str, url: str) -> str:
    """A URI template in which `url` is the only variable."""

    def one(match: re.Match[str]) -> str:
        if match[1] in ("+", "#"):
            return ("#" if match[1] == "#" else "") + quote(url, safe=":/?#[]@!$&'()*+,;=%-._~")
        lead = {"?": "?url=", "&": "&url=", ";": ";url="}.get(match[1], match[1])
        return lead + quote(url, safe="")

    return _VARIABLE.sub(one, template)


def describes(document: Any, base: str, url: str) -> bool:
    """Does a metadata document have a table with this URL?"""
    return normalised(without_fragment(url)) in described(document, base)


def described(document: Any, base: str) -> list[str]:
    """The URLs of the tables of a metadata document, in their normal form."""
    if not isinstance(document, Mapping):
        return []
    context = document.get("@context")
    if isinstance(context, list) and len(context) > 1 and isinstance(context[1], Mapping):
        given = context[1].get("@base")
        base = resolve(base, given) if isinstance(given, str) else base
    listed = document.get("tables", [document])
    return [
        resolve(base, table["url"])
        for table in (listed if isinstance(listed, list) else [])
        if isinstance(table, Mapping) and isinstance(table.get("url"), str)
    ]
