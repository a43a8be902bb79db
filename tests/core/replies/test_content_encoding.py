"""Compressed bodies."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.replies.content_encoding import PackingError, Unpacker, unpacked

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "GZIP": gzip.compress,
    " deflate": zlib.compress,
}
MEBIBYTE = 1024 * 1024


@given(
    st.sampled_from(sorted(PACK)),
    st.binary(max_size=300).map(lambda data: data * 1000),
    st.integers(1, 70_000),
)
def test_a_body_comes_out_as_it_went_in(coding: str, body: bytes, size: int) -> None:
    packed = PACK[coding](body)
    unpacker = Unpacker(coding)
    parts = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(piece for part in parts for piece in unpacker.pieces(part)) == body
    unpacker.end()
    assert unpacked(coding, packed) == body


def test_much_in_few_bytes_is_unpacked_in_small_pieces() -> None:
    packed = gzip.compress(bytes(32 * MEBIBYTE), 9)
    tracemalloc.start()
    assert sum(map(len, Unpacker("gzip").pieces(packed))) == 32 * MEBIBYTE
    assert tracemalloc.get_traced_memory()[1] < MEBIBYTE
    tracemalloc.stop()


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_body_has_a_largest_size(coding: str) -> None:
    packed = PACK[coding.upper()](bytes(MEBIBYTE + 1))
    with pytest.raises(PackingError, match=r"^is longer than 1 MiB$"):
        unpacked(coding, packed, MEBIBYTE)
    assert len(unpacked(coding, PACK[coding.upper()](bytes(MEBIBYTE)), MEBIBYTE)) == MEBIBYTE


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "identity, gzip", "x-gzip"])
def test_other_codings_and_several_are_refused(coding: str) -> None:
    with pytest.raises(
        PackingError, match=f"^is encoded as '{coding}'; only gzip and deflate are supported$"
    ):
        Unpacker(coding)


def test_what_is_cut_or_no_such_thing_is_told() -> None:
    with pytest.raises(PackingError, match=r"^is not gzip: it is cut$"):
        unpacked("gzip", gzip.compress(b"body")[:-9])
    with pytest.raises(PackingError, match=r"^is not gzip: Error -3 "):
        unpacked("gzip", b"{}")
    with pytest.raises(PackingError, match=r"^is not gzip: more follows its end$"):
        unpacked("gzip", gzip.compress(b"body") + gzip.compress(b"more"))
    assert unpacked("gzip", b"") == b""
