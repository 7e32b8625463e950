"""Codecs across cuts: rows and blocks in every encoding, intact and damaged."""

from __future__ import annotations

import codecs
import encodings.aliases
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from sculpt.automata.coding import single_byte_table
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.tabular import recode
from sculpt.tabular.decoder import MARK_ERRORS, UNDECODABLE, Decoder, placed
from sculpt.tabular.document import find_encoding


def accepted() -> list[str]:
    """The codecs with several bytes per character, or with more than one character set."""
    names = []
    for name in sorted(set(encodings.aliases.aliases.values())):
        try:
            schema = sculpt.Schema.parse(f"Encoding = {name}\n")
        except sculpt.SchemaError:
            continue
        codec, _ = find_encoding(b"", schema.core.dialect.encoding)
        if single_byte_table(codec) is None:
            names.append(codec)
    return sorted(set(names))


CODECS = accepted()
TEXTS = st.text(
    st.sampled_from('aZ09,;\n\r"日本語テスト한국어中文简体繁體éüßЖΩ€ｱ～〜―、。\\~+-/=&\t か゚'),
    max_size=40,
)
DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(["put", "insert", "delete", "cut"]),
        st.integers(0, 1000),
        st.one_of(st.sampled_from([*b"\x1b$(B)&@N\x0e\x0f~{}+-\n\xff\x80"]), st.integers(0, 255)),
    ),
    max_size=4,
)


def damaged(data: bytes, damage: list[tuple[str, int, int]]) -> bytes:
    changed = bytearray(data)
    for what, where, byte in damage:
        at = where % (len(changed) + 1)
        match what:
            case "put":
                changed[at : at + 1] = bytes([byte])
            case "insert":
                changed.insert(at, byte)
            case "delete":
                del changed[at : at + 1]
            case _:
                del changed[at:]
    return bytes(changed)


def test_every_family_is_there() -> None:
    assert len(CODECS) > 30
    assert {"utf-7", "hz", "iso2022_jp", "iso2022_kr", "utf-16-le", "gb18030"} <= set(CODECS)


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=60)
@given(text=TEXTS, damage=DAMAGE, cuts=st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_cuts_do_not_show(
    codec: str, text: str, damage: list[tuple[str, int, int]], cuts: list[int]
) -> None:
    data = damaged(text.encode(codec, "ignore"), damage)
    whole = Decoder(codec).decode(data, final=True)
    decoder = Decoder(codec)
    pieces = []
    at = 0
    while at < len(data):
        size = cuts[at % len(cuts)]
        pieces.append(decoder.decode(data[at : at + size]))
        decoder = Decoder(codec, decoder.state)
        at += size
    assert "".join([*pieces, decoder.decode(b"", final=True)]) == whole
    if not codec.startswith("iso2022"):
        assert whole == codecs.decode(data, codec, MARK_ERRORS)
    chars, offsets = placed(data, Decoder(codec), 0, final=True)
    assert chars == whole
    assert offsets == sorted(offsets)
    assert len(offsets) == len(whole) + 1
    if codec != "utf-7":  # which can encode a lone surrogate
        marked = [(char, at) for char, at in zip(whole, offsets, strict=False)]
        assert all(data[at] == ord(c) - 0xDC00 for c, at in marked if UNDECODABLE.match(c))


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=TEXTS,
    damage=DAMAGE,
    step=st.sampled_from([1, 2, 3, 7, 64, 1 << 14]),
    chunk=st.integers(1, 50),
)
def test_engines_agree_on_every_encoding(
    codec: str,
    text: str,
    damage: list[tuple[str, int, int]],
    step: int,
    chunk: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recode, "_STEP", step)
    file = tmp_path / "data"
    file.write_bytes(damaged(text.encode(codec, "ignore"), damage))
    schema = sculpt.Schema.parse(f"Encoding = {codec}\nx = [a-z0-9]*\ncol(1) -> x\ncol(2) -> x*\n")
    theirs = sculpt.validate(schema, file, engine="reference")
    options = Options(chunk=chunk, backend=BACKENDS["plain"]())
    ours = local.validate(schema.core, str(file), options)
    assert replace(ours, engine="reference") == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]


def test_a_long_run_of_base64_takes_linear_time() -> None:
    data = ("é" * 200_000 + ",x\n").encode("utf-7")
    text, offsets = placed(data, Decoder("utf-7"), 0, final=True)
    assert len(text) == 200_003
    assert offsets[-1] == len(data)
